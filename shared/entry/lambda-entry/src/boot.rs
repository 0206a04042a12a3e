//! Starting: once per process, failing fast.

use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::Duration;

use aws_config::environment::EnvironmentVariableCredentialsProvider;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use countersign_aws::AwsConfig;
use countersign_store_kit::{Blobs, DynamoClient, Table};
use futures::future::LocalBoxFuture;

use crate::settings::{MissingSetting, Setting, Settings};

/// How long a connection may take to be made; what the SDK takes of itself.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(3_100);

/// What a function is built from.
#[derive(Debug, Clone)]
pub struct Boot {
    /// The settings.
    pub settings: Settings,
    /// Region, credentials and the HTTP client all AWS clients share.
    pub aws: AwsConfig,
    /// The one DynamoDB client of the process; a function without tables makes none.
    dynamo: OnceLock<DynamoClient>,
}

impl Boot {
    /// What is built from these settings and this configuration.
    #[must_use]
    pub fn new(settings: Settings, aws: AwsConfig) -> Self {
        Self { settings, aws, dynamo: OnceLock::new() }
    }

    /// The table a setting names.
    ///
    /// # Errors
    /// [`StartError`] when the setting is missing.
    pub fn table(&self, setting: Setting) -> Result<Table, StartError> {
        let client = self.dynamo.get_or_init(|| DynamoClient::new(&self.aws));
        Ok(Table::new(client.clone(), self.settings.need(setting)?))
    }

    /// A setting that counts something; 0 when it is not set.
    ///
    /// # Errors
    /// [`StartError`] when it is not a whole number.
    pub fn number(&self, setting: Setting) -> Result<u64, StartError> {
        self.parsed(setting, "0", "is not a whole number")
    }

    /// A setting that is `true` or `false`; `false` when it is not set.
    ///
    /// # Errors
    /// [`StartError`] when it is neither.
    pub fn flag(&self, setting: Setting) -> Result<bool, StartError> {
        self.parsed(setting, "false", "is neither `true` nor `false`")
    }

    /// A setting that must be there, as something else reads it.
    ///
    /// # Errors
    /// [`StartError`] when it is missing or `read` refuses it.
    pub fn read<T, E: Display>(
        &self,
        setting: Setting,
        read: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, StartError> {
        let text = self.settings.need(setting)?;
        read(text).map_err(|error| StartError::invalid(setting, error.to_string()))
    }

    fn parsed<T: FromStr>(
        &self,
        setting: Setting,
        default: &str,
        otherwise: &str,
    ) -> Result<T, StartError> {
        let text = self.settings.get(setting).unwrap_or(default);
        text.parse().map_err(|_| StartError::invalid(setting, format!("`{text}` {otherwise}")))
    }

    /// The data bucket.
    ///
    /// # Errors
    /// [`StartError`] when the setting is missing.
    pub fn blobs(&self) -> Result<Blobs, StartError> {
        Ok(Blobs::of(&self.aws, self.settings.need(Setting::BucketData)?))
    }
}

/// Why a function could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The template forgot a setting.
    #[error(transparent)]
    Setting(#[from] MissingSetting),
    /// A setting has a value the function cannot work with.
    #[error("the setting `{name}` cannot be used: {reason}")]
    Invalid {
        /// The environment variable.
        name: &'static str,
        /// What is wrong with its value.
        reason: String,
    },
    /// The runtime ended with an error.
    #[error("the runtime stopped: {0}")]
    Runtime(String),
}

impl StartError {
    /// The runtime ended with an error.
    #[expect(clippy::needless_pass_by_value, reason = "a function for `map_err`")]
    pub(crate) fn stopped(error: lambda_runtime::Error) -> Self {
        Self::Runtime(error.to_string())
    }

    /// A setting has a value that something refuses, which says why.
    #[must_use]
    pub fn invalid(setting: Setting, reason: impl Into<String>) -> Self {
        Self::Invalid { name: setting.name(), reason: reason.into() }
    }
}

/// What [`start`] runs: boxed, so that the runtime is compiled once.
pub type Main = Box<dyn FnOnce(Boot) -> LocalBoxFuture<'static, Result<(), StartError>>>;

/// Runs `main` with settings and AWS configuration on a single-threaded runtime; a Lambda handles one event at a time.
#[must_use]
pub fn start(main: Main) -> ExitCode {
    lambda_runtime::tracing::init_default_subscriber();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&StartError::Runtime(error.to_string())),
    };
    let outcome = runtime.block_on(async move {
        let http = countersign_aws::http_client().map_err(|error| StartError::Runtime(error.0))?;
        let aws = configuration(http).into();
        main(Boot::new(Settings::from_env(), aws)).await
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// What Lambda gives a function lies in its environment: credentials, region, an endpoint. Nothing else is looked for, such as
/// profiles, an instance's metadata or another role, so the SDK's own search, which reads more, is not asked.
fn configuration(http: SharedHttpClient) -> SdkConfig {
    let first = |names: &[&str]| names.iter().find_map(|name| std::env::var(name).ok());
    let credentials = EnvironmentVariableCredentialsProvider::new();
    let is_set =
        |name: &str| first(&[name]).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let mut builder = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .region(first(&["AWS_REGION", "AWS_DEFAULT_REGION"]).map(Region::new))
        .timeout_config(TimeoutConfig::builder().connect_timeout(CONNECT_TIMEOUT).build())
        .use_fips(is_set("AWS_USE_FIPS_ENDPOINT"))
        .use_dual_stack(is_set("AWS_USE_DUALSTACK_ENDPOINT"))
        .http_client(http)
        .service_config(Endpoints);
    builder.set_endpoint_url(first(&["AWS_ENDPOINT_URL"]));
    builder.build()
}

/// Endpoints of single services, such as `AWS_ENDPOINT_URL_DYNAMODB`.
#[derive(Debug)]
struct Endpoints;

impl LoadServiceConfig for Endpoints {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        let service = key.service_id().to_ascii_uppercase().replace(' ', "_");
        std::env::var(format!("{}_{service}", key.env())).ok()
    }
}

fn fail(error: &StartError) -> ExitCode {
    tracing::error!(%error, "the function could not start");
    ExitCode::FAILURE
}

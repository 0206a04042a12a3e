//! What the user pool says of an account's second factors.
//!
//! The event of a sign-in does not tell; the pool does when it is asked (`AdminGetUser`). That one call is signed and sent
//! by hand over the client that every AWS client here shares: a whole SDK would cost each cold start more than the call.

use std::fmt;
use std::time::Duration;

use aws_smithy_runtime::client::orchestrator::operation::Operation;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::timeout::TimeoutConfig;
use countersign_aws::{AwsConfig, signed};
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

/// The pool gives a sign-in five seconds in all.
const PATIENCE: Duration = Duration::from_secs(2);

/// The pool did not say. The words stand in the log only, and hold nothing of the account.
#[derive(Debug, thiserror::Error)]
#[error("the pool did not say which factors the account has: {0}")]
pub struct PoolError(String);

/// Whom to ask which second factors an account signs in with.
pub trait Factors: Send + Sync {
    /// The factors in the pool's own words, such as `SOFTWARE_TOKEN_MFA`.
    fn of<'a>(
        &'a self,
        pool: &'a str,
        username: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, PoolError>>;
}

/// The user pools of this account.
pub struct UserPools {
    aws: AwsConfig,
}

impl UserPools {
    /// Reached with this configuration.
    #[must_use]
    pub fn new(aws: &AwsConfig) -> Self {
        Self { aws: aws.clone() }
    }

    async fn ask(&self, pool: &str, username: &str) -> Result<Vec<String>, PoolError> {
        let region = self.aws.region().ok_or_else(|| unsaid("no region"))?.to_string();
        let endpoint = self.aws.endpoint_url().map_or_else(|| home(&region), str::to_owned);
        let body = json!({ "UserPoolId": pool, "Username": username }).to_string();
        let address = format!("{}/", endpoint.trim_end_matches('/'));
        let headers = signed(&self.aws, "cognito-idp", &address, &HEADERS, body.as_bytes()).await;
        let headers = headers.map_err(|error| PoolError(error.to_string()))?;
        let call = Call { headers, body };
        let client = self.aws.http_client().ok_or_else(|| unsaid("no HTTP client"))?;
        let operation = Operation::builder()
            .service_name("cognito-idp")
            .operation_name("AdminGetUser")
            .http_client(client)
            .endpoint_url(&endpoint)
            .no_auth()
            .no_retry()
            .timeout_config(TimeoutConfig::disabled())
            .serializer(|call: Call| call.request())
            .deserializer(read)
            .build();
        operation.invoke(call).await.map_err(|error| match error {
            SdkError::ServiceError(refused) => refused.into_err(),
            _ => unsaid("not reached"),
        })
    }
}

impl Factors for UserPools {
    fn of<'a>(
        &'a self,
        pool: &'a str,
        username: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, PoolError>> {
        Box::pin(async move {
            let said = tokio::time::timeout(PATIENCE, self.ask(pool, username)).await;
            said.unwrap_or_else(|_| Err(unsaid("too slow")))
        })
    }
}

const HEADERS: [(&str, &str); 2] = [
    ("content-type", "application/x-amz-json-1.1"),
    ("x-amz-target", "AWSCognitoIdentityProviderService.AdminGetUser"),
];

fn unsaid(why: &str) -> PoolError {
    PoolError(why.to_owned())
}

/// Where the service is in AWS.
fn home(region: &str) -> String {
    let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("https://cognito-idp.{region}.{suffix}")
}

struct Call {
    headers: Vec<(String, String)>,
    body: String,
}

// Written by hand: a derived one would print the signature.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Call(…)")
    }
}

impl Call {
    fn request(self) -> Result<HttpRequest, BoxError> {
        let mut request = HttpRequest::new(SdkBody::from(self.body));
        request.set_method("POST")?;
        for (name, value) in self.headers {
            request.headers_mut().try_insert(name, value)?;
        }
        Ok(request)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Account {
    #[serde(default, rename = "UserMFASettingList")]
    factors: Option<Vec<String>>,
}

fn read(response: &HttpResponse) -> Result<Vec<String>, OrchestratorError<PoolError>> {
    let refused = |why: String| OrchestratorError::operation(PoolError(why));
    let status = response.status().as_u16();
    if !(200..300).contains(&status) {
        return Err(refused(format!("status {status}")));
    }
    let body = response.body().bytes().unwrap_or_default();
    let account: Account =
        serde_json::from_slice(body).map_err(|error| refused(error.to_string()))?;
    Ok(account.factors.unwrap_or_default())
}

//! Which model a deployment has, from its settings.

use std::sync::Arc;

use countersign_aws::AwsConfig;
use countersign_connector::DeploymentSecrets;
use countersign_http_out::{Egress, base_address};
use url::{Host, Url};

use crate::bedrock;
use crate::provider::{Interface, Provider};

/// What the deployment says about models.
#[derive(Debug, Clone, Default)]
pub struct ModelConfig {
    /// `openai`, `anthropic`, `bedrock`, `extractive`, or nothing, which is the last.
    pub provider: Option<String>,
    /// The base address of the provider; left out, that of the one whose name it has.
    pub url: Option<String>,
    /// The model's name at the provider.
    pub name: Option<String>,
}

/// The models of a deployment: its own, and those of known providers.
#[derive(Clone)]
pub struct Models {
    own: Model,
    reached: Reached,
}

/// How providers are reached.
#[derive(Clone)]
struct Reached {
    egress: Egress,
    secrets: Arc<dyn DeploymentSecrets>,
    aws: AwsConfig,
}

impl Reached {
    fn provider(self, interface: Interface, base: Url, model: String) -> Box<Provider> {
        let Self { egress, secrets, aws } = self;
        Box::new(Provider { interface, egress, base, model, secrets, aws })
    }

    /// Where the provider whose interface it is answers itself.
    fn home(&self, interface: Interface) -> String {
        interface.home(self.region())
    }

    /// Whether what is signed may go there: to the service in this region, or to this machine where that is open.
    fn is_trusted(&self, base: &Url) -> bool {
        let host = base.host_str().unwrap_or_default();
        let is_local = base.host().is_some_and(|host| match host {
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
            Host::Domain(name) => name == "localhost",
        });
        is_local || bedrock::is_of_region(host, self.region())
    }

    fn region(&self) -> &str {
        self.aws.region().map_or("", |region| region.as_ref())
    }
}

impl Models {
    /// The model of whoever names none.
    #[must_use]
    pub fn own(&self) -> &Model {
        &self.own
    }

    /// A model by provider and name, such as `openai/gpt-5-mini`: at the deployment's address when it has that provider, else at
    /// the provider's own. None when the provider is not known.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<Model> {
        let (provider, model) = name.split_once('/')?;
        let interface = Interface::named(provider)?;
        let model = model.to_owned();
        if let Model::Provider(own) = &self.own
            && own.interface == interface
        {
            return Some(Model::Provider(Box::new(Provider { model, ..(**own).clone() })));
        }
        let base = Url::parse(&self.reached.home(interface)).ok()?;
        Some(Model::Provider(self.reached.clone().provider(interface, base, model)))
    }
}

/// One model.
#[derive(Clone)]
pub enum Model {
    /// The built-in one, which needs nobody.
    Extractive,
    /// One of a provider.
    Provider(Box<Provider>),
}

/// Why the settings make no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct ModelSetupError {
    /// Which setting.
    pub setting: ModelSetting,
    /// What is wrong.
    pub reason: String,
}

/// One of the three settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelSetting {
    /// Who.
    Provider,
    /// Where.
    Url,
    /// Which.
    Name,
}

impl Model {
    /// What is recorded and shown: `extractive`, or provider and model.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Extractive => "extractive".to_owned(),
            Self::Provider(provider) => provider.name(),
        }
    }
}

impl ModelConfig {
    /// The models.
    ///
    /// # Errors
    /// [`ModelSetupError`] when a provider is named and cannot work with these settings, or settings are given that nothing
    /// would read.
    pub fn models(
        self,
        egress: Egress,
        secrets: Arc<dyn DeploymentSecrets>,
        aws: &AwsConfig,
    ) -> Result<Models, ModelSetupError> {
        let reached = Reached { egress, secrets, aws: aws.clone() };
        Ok(Models { own: self.model(&reached)?, reached })
    }

    fn model(self, reached: &Reached) -> Result<Model, ModelSetupError> {
        let refuse =
            |setting, reason: &str| Err(ModelSetupError { setting, reason: reason.to_owned() });
        let interface = match self.provider.as_deref() {
            None | Some("" | "extractive") if self.url.is_some() => {
                return refuse(ModelSetting::Url, "the built-in model has no address");
            }
            None | Some("" | "extractive") if self.name.is_some() => {
                return refuse(ModelSetting::Name, "the built-in model has no other name");
            }
            None | Some("" | "extractive") => return Ok(Model::Extractive),
            Some(name) => match Interface::named(name) {
                Some(interface) => interface,
                None => return unknown(name),
            },
        };
        let base = base(&self.url.unwrap_or_else(|| reached.home(interface)))?;
        if interface == Interface::Bedrock && !reached.is_trusted(&base) {
            let reason = "with Bedrock it must be an address of Bedrock in the region of the deployment: requests are signed with a role";
            return refuse(ModelSetting::Url, reason);
        }
        let Some(model) = self.name.filter(|name| is_name(name)) else {
            let reason = "it must be the model's name, 1 to 100 visible characters";
            return refuse(ModelSetting::Name, reason);
        };
        Ok(Model::Provider(reached.clone().provider(interface, base, model)))
    }
}

fn unknown(provider: &str) -> Result<Model, ModelSetupError> {
    let shown: String = provider.chars().take(40).collect();
    let use_one = "use `extractive`, `openai`, `anthropic` or `bedrock`";
    let reason = format!("`{shown}` is not a provider: {use_one}");
    Err(ModelSetupError { setting: ModelSetting::Provider, reason })
}

fn is_name(name: &str) -> bool {
    (1..=100).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic() && b != b'`')
}

fn base(text: &str) -> Result<Url, ModelSetupError> {
    base_address(text).map_err(|reason| ModelSetupError { setting: ModelSetting::Url, reason })
}

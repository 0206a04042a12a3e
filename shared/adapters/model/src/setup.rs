//! Which model a deployment has, from its settings.

use countersign_failure::address_problem;
use std::sync::Arc;

use countersign_connector::DeploymentSecrets;
use countersign_http_out::Egress;
use url::Url;

use crate::provider::{Interface, Provider};

/// What the deployment says about models.
#[derive(Debug, Clone, Default)]
pub struct ModelConfig {
    /// `openai`, `anthropic`, `extractive`, or nothing, which is the last.
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
    egress: Egress,
    secrets: Arc<dyn DeploymentSecrets>,
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
            return Some(Model::Provider(Provider { model, ..own.clone() }));
        }
        let (egress, secrets) = (self.egress.clone(), self.secrets.clone());
        let base = Url::parse(interface.home()).ok()?;
        Some(Model::Provider(Provider { interface, egress, base, model, secrets }))
    }
}

/// One model.
#[derive(Clone)]
pub enum Model {
    /// The built-in one, which needs nobody.
    Extractive,
    /// One of a provider.
    Provider(Provider),
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
    ) -> Result<Models, ModelSetupError> {
        let own = self.model(egress.clone(), secrets.clone())?;
        Ok(Models { own, egress, secrets })
    }

    fn model(
        self,
        egress: Egress,
        secrets: Arc<dyn DeploymentSecrets>,
    ) -> Result<Model, ModelSetupError> {
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
        let base = base(self.url.as_deref().unwrap_or(interface.home()))?;
        let Some(model) = self.name.filter(|name| is_name(name)) else {
            let reason = "it must be the model's name, 1 to 100 visible characters";
            return refuse(ModelSetting::Name, reason);
        };
        Ok(Model::Provider(Provider { interface, egress, base, model, secrets }))
    }
}

fn unknown(provider: &str) -> Result<Model, ModelSetupError> {
    let shown: String = provider.chars().take(40).collect();
    let use_one = "use `extractive`, `openai` or `anthropic`";
    let reason = format!("`{shown}` is not a provider: {use_one}");
    Err(ModelSetupError { setting: ModelSetting::Provider, reason })
}

fn is_name(name: &str) -> bool {
    (1..=100).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic() && b != b'`')
}

fn base(text: &str) -> Result<Url, ModelSetupError> {
    let refuse = |reason: String| ModelSetupError { setting: ModelSetting::Url, reason };
    let mut url = Url::parse(text).map_err(|error| {
        refuse(format!("it is not an address: {}", address_problem(&error.to_string())))
    })?;
    if url.cannot_be_a_base() || url.query().is_some() || !url.username().is_empty() {
        return Err(refuse("it must be a plain address without user and query".to_owned()));
    }
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

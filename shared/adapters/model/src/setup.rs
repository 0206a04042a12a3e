//! Which model a deployment has, from its settings.

use std::sync::Arc;

use countersign_connector::DeploymentSecrets;
use countersign_http_out::Egress;
use url::Url;

use crate::openai::OpenAi;

/// What the deployment says about models.
#[derive(Debug, Clone, Default)]
pub struct ModelConfig {
    /// `openai`, `extractive`, or nothing, which is the latter.
    pub provider: Option<String>,
    /// The base address of the provider; left out, that of OpenAI.
    pub url: Option<String>,
    /// The model's name at the provider.
    pub name: Option<String>,
}

/// The model of a deployment.
#[derive(Clone)]
pub enum Model {
    /// The built-in one, which needs nobody.
    Extractive,
    /// One behind an interface like OpenAI's.
    OpenAi(OpenAi),
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
            Self::OpenAi(client) => format!("openai/{}", client.model()),
        }
    }
}

impl ModelConfig {
    /// The model.
    ///
    /// # Errors
    /// [`ModelSetupError`] when a provider is named and cannot work with these settings, or settings are given that nothing
    /// would read.
    pub fn model(
        self,
        egress: Egress,
        secrets: Arc<dyn DeploymentSecrets>,
    ) -> Result<Model, ModelSetupError> {
        let refuse =
            |setting, reason: &str| Err(ModelSetupError { setting, reason: reason.to_owned() });
        match self.provider.as_deref() {
            None | Some("" | "extractive") if self.url.is_some() => {
                refuse(ModelSetting::Url, "the built-in model has no address")
            }
            None | Some("" | "extractive") if self.name.is_some() => {
                refuse(ModelSetting::Name, "the built-in model has no other name")
            }
            None | Some("" | "extractive") => Ok(Model::Extractive),
            Some("openai") => {
                let base = base(self.url.as_deref().unwrap_or(OpenAi::HOME))?;
                let Some(name) = self.name.filter(|name| is_name(name)) else {
                    return refuse(
                        ModelSetting::Name,
                        "it must be the model's name, 1 to 100 visible characters",
                    );
                };
                Ok(Model::OpenAi(OpenAi::new(egress, base, name, secrets)))
            }
            Some(other) => {
                let shown: String = other.chars().take(40).collect();
                let reason = format!("`{shown}` is not a provider: use `extractive` or `openai`");
                refuse(ModelSetting::Provider, &reason)
            }
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=100).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic() && b != b'`')
}

fn base(text: &str) -> Result<Url, ModelSetupError> {
    let refuse = |reason: String| ModelSetupError { setting: ModelSetting::Url, reason };
    let mut url =
        Url::parse(text).map_err(|error| refuse(format!("it is not an address: {error}")))?;
    if url.cannot_be_a_base() || url.query().is_some() || !url.username().is_empty() {
        return Err(refuse("it must be a plain address without user and query".to_owned()));
    }
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

//! Which model a step asks, and on which terms: what an administrator has listed, read at every call, with the run where that can be.

use countersign_model::Model;
use countersign_model_list::{ModelList, Terms};
use countersign_registry::ModelChoice;
use countersign_registry::action::{Call, ReadList};
use countersign_store_directory::{Directory, Setting};
use futures::future::BoxFuture;

use crate::Deps;
use crate::error::LlmError;

/// Where the list of models is.
pub trait ModelLists: Send + Sync {
    /// The list as it is now; none when there is none.
    fn list(&self) -> BoxFuture<'_, Result<Option<ModelList>, LlmError>>;
}

impl ModelLists for Directory {
    fn list(&self) -> BoxFuture<'_, Result<Option<ModelList>, LlmError>> {
        Box::pin(async move {
            let stored = self.setting(Setting::ModelList).await.map_err(LlmError::List)?;
            let list = stored.map(|stored| serde_json::from_str(&stored.json)).transpose();
            list.map_err(|_| LlmError::ListUnreadable)
        })
    }
}

impl Deps {
    /// The name of the model that would be asked.
    pub(crate) fn model_name(&self, choice: Option<&ModelChoice>) -> String {
        choice.map_or_else(|| self.models.own().name(), |choice| choice.model.to_string())
    }

    /// The model that is asked, and what holds for it.
    pub(crate) async fn chosen(&self, call: &Call) -> Result<(Model, Terms), LlmError> {
        let (own, choice) = (self.models.own(), call.model.as_ref());
        if let (Model::Extractive, None) = (own, choice) {
            return Ok((Model::Extractive, Terms::default()));
        }
        let model = self.model_name(choice);
        let list = match &call.asking.list {
            ReadList::Read(list) => list.as_deref().cloned(),
            ReadList::Not => self.lists.list().await?,
        };
        let is_own = model == own.name();
        if !is_own && !list.as_ref().is_some_and(|list| list.allows(&model)) {
            return Err(LlmError::NotAllowed { model });
        }
        let terms = list.map(|list| list.terms(&model)).unwrap_or_default();
        if terms.lacks_price() {
            return Err(LlmError::PriceUnknown { model });
        }
        let chosen = if is_own { Some(own.clone()) } else { self.models.named(&model) };
        Ok((chosen.ok_or(LlmError::NotAllowed { model })?, terms))
    }
}

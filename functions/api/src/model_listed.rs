//! Whether the model that an agent chooses is one that agents may choose (F-176).

use countersign_document::Problem as Found;
use countersign_model_list::{ModelList, ModelName};
use countersign_profile::{ProfileError, ProfileSpec};
use countersign_store_directory::Setting;
use countersign_web::Problem;

use crate::Context;
use crate::routes::profiles::problem;

/// A model is only chosen from the deployment's list. Of an agent that is changed, `before` is what it was: a choice that stays is
/// judged when the model is asked.
pub(crate) async fn check(
    ctx: &Context,
    before: Option<&ProfileSpec>,
    spec: &ProfileSpec,
) -> Result<(), Problem> {
    let known: Vec<ModelName> =
        before.map(ProfileSpec::models).into_iter().flatten().map(|(_, model)| model).collect();
    let mut chosen = spec.models();
    chosen.retain(|(_, model)| !known.contains(model));
    if chosen.is_empty() {
        return Ok(());
    }
    let stored = ctx.directory.setting(Setting::ModelList).await?;
    let list = stored.and_then(|stored| serde_json::from_str::<ModelList>(&stored.json).ok());
    let is_allowed = |model: &ModelName| list.as_ref().is_some_and(|of| of.allows(model.as_str()));
    chosen.retain(|(_, model)| !is_allowed(model));
    if chosen.is_empty() {
        return Ok(());
    }
    let hint = hint(list.as_ref());
    let found = chosen.into_iter().map(|(place, model)| {
        let message = format!("`{model}` is not in the deployment's list of models");
        Found::error("model", place, message).hint(hint.clone())
    });
    Err(problem(&ProfileError::Invalid(found.collect())))
}

/// What to do about a model that is not listed.
fn hint(list: Option<&ModelList>) -> String {
    let models = list.iter().flat_map(|list| list.models.iter());
    let named: Vec<String> = models.take(10).map(|one| format!("`{}`", one.model)).collect();
    match named.as_slice() {
        [] => "leave it out: no model is listed, and an administrator can list some".to_owned(),
        named => {
            format!("leave it out, or choose one that is listed, such as {}", named.join(", "))
        }
    }
}

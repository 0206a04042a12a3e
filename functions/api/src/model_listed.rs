//! Whether the model that an agent chooses is one that agents may choose (F-176).

use countersign_document::Problem as Found;
use countersign_model_list::ModelList;
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
    let chosen = spec.model_preference.as_ref();
    let known = before.and_then(|before| before.model_preference.as_ref());
    let Some(model) = chosen.filter(|model| Some(*model) != known) else { return Ok(()) };
    let stored = ctx.directory.setting(Setting::ModelList).await?;
    let list = stored.and_then(|stored| serde_json::from_str::<ModelList>(&stored.json).ok());
    if list.as_ref().is_some_and(|list| list.allows(model.as_str())) {
        return Ok(());
    }
    let message = format!("`{model}` is not in the deployment's list of models");
    let models = list.iter().flat_map(|list| list.models.iter());
    let named: Vec<String> = models.take(10).map(|one| format!("`{}`", one.model)).collect();
    let hint = match named.as_slice() {
        [] => "leave it out: no model is listed, and an administrator can list some".to_owned(),
        named => {
            format!("leave it out, or choose one that is listed, such as {}", named.join(", "))
        }
    };
    let found = Found::error("model", "/model_preference", message).hint(hint);
    Err(problem(&ProfileError::Invalid(vec![found])))
}

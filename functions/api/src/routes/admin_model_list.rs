//! `/api/admin/model-list`: the models that agents may choose, with prices and budgets.

use axum::extract::State;
use countersign_document::read_value;
use countersign_identity::UserId;
use countersign_model_list::ModelList;
use countersign_store_directory::{Setting, StoredSetting};
use countersign_web::{Json, Problem};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::collection::json::field_error;
use super::{Administrator, Ctx, JsonOf, now};
use crate::documented::documented;

/// How many earlier lists are shown.
const HISTORY: i32 = 50;

/// A list of models.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewModelList {
    /// The `version` that was read; 0 when there was no list yet.
    version: u64,
    /// The list itself: `currency`, `models`, `cost_per_run`, `cost_per_day`.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    list: Map<String, Value>,
}

/// The list as it is, and who wrote it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ModelListView {
    /// Null when there is none.
    list: Option<ShownList>,
    /// Counts the changes; 0 when none was ever written.
    version: u64,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    set_by: Option<UserId>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    set_at: Option<Timestamp>,
    /// This one and those before it, the newest first; at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<ModelListView>,
    /// Of a list that was written: what it leaves open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<ModelListWarning>,
}

/// What a list leaves open.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ModelListWarning {
    /// The field.
    path: &'static str,
    /// What it leaves open.
    message: String,
    /// What to do about it.
    hint: String,
}

impl ModelListWarning {
    /// A list with a budget and without the price of the model that is asked where nobody chooses another one.
    fn of(list: &ModelList, own: Option<&str>) -> Vec<Self> {
        let unpriced = own.filter(|own| list.terms(own).lacks_price());
        let budget = if list.cost_per_run.is_some() { "cost_per_run" } else { "cost_per_day" };
        let warning = |own: &str| Self {
            path: "models",
            message: format!(
                "`{own}`, the deployment's own model, has no prices here, and `{budget}` counts what it costs: every step that asks it fails with MODEL_PRICE_UNKNOWN"
            ),
            hint: format!("list it with both prices, or leave out `{budget}`"),
        };
        unpriced.map(warning).into_iter().collect()
    }
}

documented!(ModelListView);

/// The list; as text when it cannot be read, which stops every step of a provider's model.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum ShownList {
    Read(Box<ModelList>),
    Unreadable(String),
}

impl ModelListView {
    fn none() -> Self {
        let (history, warnings) = (Vec::new(), Vec::new());
        Self { list: None, version: 0, set_by: None, set_at: None, history, warnings }
    }

    fn of(stored: StoredSetting) -> Self {
        let StoredSetting { json, version, updated_by, updated_at } = stored;
        let list = Some(match serde_json::from_str(&json) {
            Ok(list) => ShownList::Read(list),
            Err(_) => ShownList::Unreadable(json),
        });
        let (set_by, set_at) = (Some(updated_by), Some(updated_at));
        Self { list, version, set_by, set_at, history: Vec::new(), warnings: Vec::new() }
    }
}

/// The list that holds now, and who wrote it.
#[utoipa::path(
    get, path = "/model-list", tag = "administration",
    responses((status = 200, body = ModelListView), (status = 403, description = "PERMISSION_DENIED"))
)]
pub(crate) async fn detail(State(ctx): Ctx, _: Administrator) -> JsonOf<ModelListView> {
    let list = ctx.directory.setting(Setting::ModelList).await?;
    let history = ctx.directory.settings(Setting::ModelList, HISTORY).await?;
    let history = history.into_iter().map(ModelListView::of).collect();
    let list = list.map_or_else(ModelListView::none, ModelListView::of);
    Ok(Json(ModelListView { history, ..list }))
}

/// Replaces the list. It holds for every call of a model from now on, also of runs that have begun.
#[utoipa::path(
    put, path = "/model-list", tag = "administration", request_body = NewModelList,
    responses((status = 200, body = ModelListView), (status = 403, description = "PERMISSION_DENIED"), (status = 409, description = "VERSION_CONFLICT"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn set(
    State(ctx): Ctx,
    Administrator(ref by): Administrator,
    Json(body): Json<NewModelList>,
) -> JsonOf<ModelListView> {
    let reading = read_value::<ModelList>(Value::Object(body.list));
    let problems = || Problem::invalid(reading.problems.iter().map(field_error).collect());
    let list = reading.value.as_ref().ok_or_else(problems)?;
    let warnings = ModelListWarning::of(list, ctx.own_model.as_deref());
    let list = serde_json::to_value(list).unwrap_or_default();
    let of = Setting::ModelList;
    let stored = ctx.directory.set_setting(of, &list, body.version, by, now()).await?;
    tracing::info!(%by, version = stored.version, list = stored.json, "the list of models was set");
    Ok(Json(ModelListView { warnings, ..ModelListView::of(stored) }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(rest: &Value, own: Option<&str>, expect: bool) {
        let large = json!({ "model": "openai/large", "input_price": "1", "output_price": "2" });
        let mut list = json!({ "currency": "USD", "models": [large] });
        list.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let list: ModelList = serde_json::from_value(list).unwrap();
        let warnings = ModelListWarning::of(&list, own);
        assert_eq!(warnings.len(), usize::from(expect), "{warnings:?}");
        let names = |warning: &ModelListWarning| {
            warning.path == "models" && own.is_some_and(|own| warning.message.contains(own))
        };
        assert!(warnings.iter().all(names), "{warnings:?}");
    }

    #[test]
    fn r_035_a_budget_without_the_price_of_the_deployments_model_is_a_warning() {
        let (tiny, large) = (Some("openai/tiny"), Some("openai/large"));
        check(&json!({ "cost_per_run": "5" }), tiny, true);
        check(&json!({ "cost_per_day": "5" }), tiny, true);
        check(&json!({}), tiny, false);
        check(&json!({ "cost_per_run": "5" }), large, false);
        check(&json!({ "cost_per_run": "5" }), None, false);
    }
}

//! `/api/admin/approval-floor`: the least the deployment asks of every approval policy.

use std::collections::BTreeSet;

use axum::extract::State;
use countersign_approval::{Assurance, Door, Floor, Policy};
use countersign_identity::UserId;
use countersign_run_start::floor_unreadable;
use countersign_store_directory::{Setting, StoredSetting};
use countersign_web::{FieldError, Json, Problem};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Administrator, Ctx, JsonOf, now};
use crate::documented::documented;

/// How many earlier floors are shown.
const HISTORY: i32 = 50;

/// A floor. What is left out asks for nothing more than each policy does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ApprovalFloor)]
pub(crate) struct NewFloor {
    /// At least so many signatures; at most 40.
    #[serde(default)]
    min_quorum: u32,
    /// At most so many denials close a request; 1 to 40.
    #[serde(default)]
    max_denials: Option<u32>,
    /// `link`, `link_code` or `signed_in`: at least so sure.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    assurance: Option<Assurance>,
    /// The same for what cannot be taken back; `assurance` when left out, and never less.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    irreversible_assurance: Option<Assurance>,
    /// Only these doors: `mail`, `console`, `rest`, `webhook`.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    doors: Option<BTreeSet<Door>>,
    /// Requesters never decide, whatever the kind of request and the context of the run.
    #[serde(default)]
    requester_never_decides: bool,
    /// The `version` that was read; 0 when there was no floor yet.
    version: u64,
}

/// The floor as it is, and who set it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApprovalFloorView")]
pub(crate) struct FloorView {
    policy: FloorPolicy,
    /// Counts the changes; 0 when none was ever set.
    version: u64,
    /// Who set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    set_by: Option<UserId>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    set_at: Option<Timestamp>,
    /// This one and those before it, the newest first; at most 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<FloorView>,
}

documented!(FloorView);

/// The policy; as text when it cannot be read, which stops every gate.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum FloorPolicy {
    Read(Floor),
    Unreadable(String),
}

impl FloorView {
    fn none() -> Self {
        let policy = FloorPolicy::Read(Floor::default());
        Self { policy, version: 0, set_by: None, set_at: None, history: Vec::new() }
    }

    fn of(stored: StoredSetting) -> Self {
        let StoredSetting { json, version, updated_by, updated_at } = stored;
        let policy = match serde_json::from_str::<Floor>(&json) {
            Ok(floor) => FloorPolicy::Read(floor),
            Err(_) => FloorPolicy::Unreadable(json),
        };
        let (set_by, set_at) = (Some(updated_by), Some(updated_at));
        Self { policy, version, set_by, set_at, history: Vec::new() }
    }
}

/// A floor that cannot be read stops every gate; it must not look like none.
impl NewFloor {
    /// The floor it says, or everything that is wrong with it.
    fn checked(&self) -> Result<Floor, Problem> {
        let mut errors = Vec::new();
        let most = u32::try_from(Policy::MAX_APPROVERS).unwrap_or(u32::MAX);
        if self.min_quorum > most {
            let message = format!("must be from 0 to {most}, found {}", self.min_quorum);
            errors.push(FieldError::new("min_quorum", message));
        }
        if let Some(denials) = self.max_denials.filter(|denials| !(1..=most).contains(denials)) {
            let message = format!("must be from 1 to {most}, found {denials}");
            errors.push(FieldError::new("max_denials", message));
        }
        let irreversible = self.irreversible_assurance.or(self.assurance);
        if irreversible < self.assurance {
            let message = "must not be less than `assurance`";
            errors.push(FieldError::new("irreversible_assurance", message));
        }
        errors.extend(self.doors.as_ref().and_then(|doors| closed(doors, irreversible)));
        if !errors.is_empty() {
            return Err(Problem::invalid(errors));
        }
        Ok(Floor {
            min_quorum: self.min_quorum,
            max_denials: self.max_denials,
            assurance: self.assurance,
            irreversible_assurance: irreversible,
            doors: self.doors.clone(),
            requester_never_decides: self.requester_never_decides,
        })
    }
}

/// Why nobody could decide through these doors. A webhook is never enough alone.
fn closed(doors: &BTreeSet<Door>, assurance: Option<Assurance>) -> Option<FieldError> {
    let signed_in = doors.contains(&Door::Console) || doors.contains(&Door::Rest);
    if assurance == Some(Assurance::SignedIn) && !signed_in {
        let message = "must include `console` or `rest`: `signed_in` is asked for";
        return Some(FieldError::new("doors", message));
    }
    if !signed_in && !doors.contains(&Door::Mail) {
        let message = "must include `mail`, `console` or `rest`";
        return Some(FieldError::new("doors", message));
    }
    None
}

/// The floor that holds now, and who set it.
#[utoipa::path(
    get, path = "/approval-floor", tag = "administration",
    responses((status = 200, body = FloorView), (status = 403, description = "PERMISSION_DENIED"))
)]
pub(crate) async fn detail(State(ctx): Ctx, _: Administrator) -> JsonOf<FloorView> {
    let floor = ctx
        .directory
        .setting(Setting::ApprovalFloor)
        .await?
        .map_or_else(FloorView::none, FloorView::of);
    let history = ctx
        .directory
        .settings(Setting::ApprovalFloor, HISTORY)
        .await?
        .into_iter()
        .map(FloorView::of)
        .collect();
    Ok(Json(FloorView { history, ..floor }))
}

/// Replaces the floor. It holds for every request that is opened from now on.
#[utoipa::path(
    put, path = "/approval-floor", tag = "administration", request_body = NewFloor,
    responses((status = 200, body = FloorView), (status = 403, description = "PERMISSION_DENIED"), (status = 409, description = "VERSION_CONFLICT"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn set(
    State(ctx): Ctx,
    Administrator(ref by): Administrator,
    Json(body): Json<NewFloor>,
) -> JsonOf<FloorView> {
    let floor = body.checked()?;
    let policy = serde_json::to_value(&floor).map_err(|_| floor_unreadable())?;
    let stored =
        ctx.directory.set_setting(Setting::ApprovalFloor, &policy, body.version, by, now()).await?;
    tracing::info!(%by, version = stored.version, policy = stored.json, "the approval floor was set");
    Ok(Json(FloorView::of(stored)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn checked(body: &Value) -> Result<Floor, Vec<String>> {
        let mut body = body.clone();
        body["version"] = json!(0);
        let body: NewFloor = serde_json::from_value(body).unwrap();
        let paths = |problem: Problem| problem.errors.iter().map(|one| one.path.clone()).collect();
        body.checked().map_err(paths)
    }

    fn check(body: &Value, expect: &[&str]) {
        let found = checked(body).err().unwrap_or_default();
        assert_eq!(found, expect, "{body}");
    }

    #[test]
    fn every_error_of_a_floor_has_its_place() {
        check(&json!({}), &[]);
        check(&json!({ "min_quorum": 2, "max_denials": 1, "requester_never_decides": true }), &[]);
        check(&json!({ "min_quorum": 41, "max_denials": 0 }), &["min_quorum", "max_denials"]);
        let less = json!({ "assurance": "signed_in", "irreversible_assurance": "link" });
        check(&less, &["irreversible_assurance"]);
        check(&json!({ "doors": [] }), &["doors"]);
        check(&json!({ "doors": ["webhook"] }), &["doors"]);
        check(&json!({ "doors": ["mail"], "assurance": "signed_in" }), &["doors"]);
        check(&json!({ "doors": ["mail", "rest"], "assurance": "signed_in" }), &[]);
    }

    #[test]
    fn what_is_asked_of_everything_is_asked_of_the_irreversible_too() {
        let floor = checked(&json!({ "assurance": "signed_in" })).unwrap();
        assert_eq!(floor.irreversible_assurance, Some(Assurance::SignedIn));
    }

    #[test]
    fn a_floor_is_read_back_as_it_was_set() {
        let floor = checked(&json!({ "min_quorum": 2, "doors": ["rest"] })).unwrap();
        let stored = StoredSetting {
            json: serde_json::to_value(&floor).unwrap().to_string(),
            version: 3,
            updated_by: UserId::from_bytes([1; 16]),
            updated_at: Timestamp::UNIX_EPOCH,
        };
        let read = FloorView::of(stored.clone());
        assert_eq!((json!(read.policy), read.version), (json!(floor), 3));
        let broken = StoredSetting { json: "{\"min_qorum\":2}".to_owned(), ..stored };
        assert!(
            matches!(FloorView::of(broken).policy, FloorPolicy::Unreadable(_)),
            "must not look like no floor"
        );
    }
}

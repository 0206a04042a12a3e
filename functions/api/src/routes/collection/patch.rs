//! `PATCH /{kind}/{id}`: a part of a document that is shown as it is sent (RFC 7396).

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::State;
use axum::routing::{MethodRouter, patch};
use countersign_document::merge_patch;
use countersign_web::{IfMatch, Json, Path, Problem, Signed};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::record::{DocumentRecord, Resent};
use super::{Kind, More, Shows, changeable, changed, path, shows, stored};
use crate::Context;
use crate::routes::{Ctx, holder};

/// The fields to change, each as it is to be; `null` gives one its default.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Patch<R> {
    fields: Map<String, Value>,
    #[serde(skip)]
    kind: PhantomData<fn() -> R>,
}

/// What answers a `PATCH` of `/{kind}/{id}`.
pub(crate) fn one<K>() -> (String, MethodRouter<Arc<Context>>)
where
    K: Kind<Change = Resent<K>> + DocumentRecord,
{
    (format!("{}/{{id}}", path::<K>()), patch(change::<K>))
}

async fn change<K>(
    State(ctx): Ctx,
    signed: Signed,
    Path(id): Path<K::Id>,
    seen: IfMatch,
    Json(patch): Json<Patch<K>>,
) -> Shows<K>
where
    K: Kind<Change = Resent<K>> + DocumentRecord,
{
    let before = changeable::<K>(&ctx, holder(&signed, K::WRITER)?, &id).await?;
    seen.check(before.version())?;
    let change = patched(&before, patch)?;
    let (after, warnings) = changed(&ctx, &signed, &before, change).await?;
    if is_unchanged(&before, &after) {
        return Ok(shows(before, warnings, More::new()));
    }
    stored(&ctx, &before, after, warnings).await
}

/// Whether nothing but the version and the time would be new. Who saves a document with another token changes it: what runs for
/// it goes by that one.
fn is_unchanged<K: Kind>(before: &K, after: &K) -> bool {
    let content = |document: &K| {
        let mut content = serde_json::to_value(document).ok()?;
        let fields = content.as_object_mut()?;
        fields.retain(|name, _| !["version", "updated_at"].contains(&name.as_str()));
        Some(content)
    };
    content(before).is_some_and(|before| content(after).is_some_and(|after| after == before))
}

/// The document with its changes, as if it had been sent whole. `version` is refused there unless it is the one that is
/// changed.
fn patched<R: DocumentRecord>(before: &R, patch: Patch<R>) -> Result<Resent<R>, Problem> {
    let added = serde_json::to_value(R::added().build()).unwrap_or_default();
    let has_default = |name: &String| added["properties"].get(name).is_none();
    let removed = patch.fields.iter().find(|(name, value)| value.is_null() && !has_default(name));
    if let Some((name, _)) = removed {
        return Err(Problem::field(name.as_str(), "has no default, so it cannot be null"));
    }
    let mut whole = serde_json::to_value(before.clone().shown()).unwrap_or_default();
    merge_patch(&mut whole, &Value::Object(patch.fields));
    Ok(Resent::of(whole))
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;
    use countersign_profile::{Profile, ProfileId, ProfileSpec};
    use serde_json::json;

    use super::*;

    fn check(patch: &Value, field: &str, expect: Result<&Value, (u16, &str)>) {
        let spec = json!({"name": "A", "icon": "x", "journal_config": {"retention_days": 7}});
        let spec = ProfileSpec::from_json(&spec).unwrap();
        let (id, owner) = (ProfileId::from_bytes([2; 16]), UserId::from_bytes([1; 16]));
        let profile = Profile::new(id, owner, spec, jiff::Timestamp::UNIX_EPOCH);
        let sent: Patch<Profile> = serde_json::from_value(patch.clone()).unwrap();
        let fields = patched(&profile, sent).and_then(|whole| whole.fields(&profile));
        let fields = fields.map(|(fields, _)| fields);
        let found = fields.map(|fields| fields.pointer(field).cloned().unwrap_or_default());
        let found = found.map_err(|problem| (problem.status, problem.code.clone()));
        let expect = expect.cloned().map_err(|(status, code)| (status, code.to_owned()));
        assert_eq!(found, expect, "{patch}");
    }

    #[test]
    fn f_177_a_patch_changes_what_it_names_and_nothing_else() {
        let days = "/journal_config/retention_days";
        check(&json!({}), days, Ok(&json!(7)));
        check(&json!({"journal_config": {"auto_journal": false}}), days, Ok(&json!(7)));
        check(&json!({"journal_config": {"retention_days": 9}}), days, Ok(&json!(9)));
        check(&json!({"icon": null}), "/icon", Ok(&Value::Null));
        check(&json!({"version": 1, "name": "B"}), "/name", Ok(&json!("B")));
        check(&json!({"is_active": false}), "/is_active", Ok(&json!(false)));
    }

    #[test]
    fn f_177_a_document_that_stays_as_it_was_is_unchanged() {
        let profile = |fields: Value| {
            let spec = ProfileSpec::from_json(&fields).unwrap();
            let (id, owner) = (ProfileId::from_bytes([2; 16]), UserId::from_bytes([1; 16]));
            Profile::new(id, owner, spec, jiff::Timestamp::UNIX_EPOCH)
        };
        let before = profile(json!({"name": "A", "icon": "x"}));
        let updated_at = jiff::Timestamp::from_second(9).unwrap();
        let saved = Profile { version: 2, updated_at, ..before.clone() };
        assert!(is_unchanged(&before, &saved));
        assert!(!is_unchanged(&before, &Profile { is_active: false, ..saved }));
        assert!(!is_unchanged(&before, &profile(json!({"name": "A"}))));
    }

    #[test]
    fn f_177_a_patch_of_another_version_and_of_what_cannot_change_is_refused() {
        check(&json!({"version": 2}), "", Err((409, "VERSION_CONFLICT")));
        for name in ["id", "version", "created_at", "is_active"] {
            check(&json!({name: null}), "", Err((422, "INVALID_INPUT")));
        }
        check(&json!({"created_at": "2026-01-01T00:00:00Z"}), "", Err((422, "INVALID_INPUT")));
    }
}

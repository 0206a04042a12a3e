//! What lists of monitors, triggers and schedules are narrowed by: fields of the documents, by their names.

use countersign_profile::ProfileId;
use countersign_schedule::ScheduleSpec;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::pagination::ListQuery;

/// Which monitors, or which triggers.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActiveQuery {
    /// At most so many, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// The same as `profile_id`, as other lists call it.
    kind: Option<String>,
    /// `own`, `system`, or both when left out.
    from: Option<String>,
    /// `true`: only those that start runs; `false`: only those that are paused.
    is_active: Option<bool>,
    /// Only those of this agent, `prof_…`.
    #[param(value_type = Option<String>)]
    profile_id: Option<ProfileId>,
}

/// Which schedules.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleQuery {
    /// At most so many, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// The same as `profile_id`, as other lists call it.
    kind: Option<String>,
    /// `own`, `system`, or both when left out.
    from: Option<String>,
    /// `true`: only those that the clock starts; `false`: only the others.
    is_enabled: Option<bool>,
    /// Only those of this agent, `prof_…`.
    #[param(value_type = Option<String>)]
    profile_id: Option<ProfileId>,
}

impl ActiveQuery {
    /// What the store is asked for.
    pub(crate) fn listing(&self) -> ListQuery {
        let Self { limit, cursor, kind, from, is_active, profile_id } = self.clone();
        let (kind, also) = narrowed(kind, is_active, profile_id.as_ref());
        ListQuery { limit, cursor, kind, from, also }
    }

    /// Whether one of this agent, paused or not, is one of those asked for.
    pub(crate) fn takes(&self, is_active: bool, profile: &ProfileId) -> bool {
        is_same(self.is_active, &is_active) && is_same(self.profile_id.as_ref(), &profile)
    }
}

impl ScheduleQuery {
    /// What the store is asked for.
    pub(crate) fn listing(&self) -> ListQuery {
        let Self { limit, cursor, kind, from, is_enabled, profile_id } = self.clone();
        let (kind, also) = narrowed(kind, is_enabled, profile_id.as_ref());
        ListQuery { limit, cursor, kind, from, also }
    }

    /// Whether a schedule is one of those asked for.
    pub(crate) fn takes(&self, schedule: &ScheduleSpec) -> bool {
        is_same(self.is_enabled, &schedule.is_enabled)
            && is_same(self.profile_id.as_ref(), &&schedule.profile_id)
    }
}

/// The kind that is asked for, else the agent; and the filters as one text: a cursor belongs to them.
fn narrowed(
    kind: Option<String>,
    is_on: Option<bool>,
    profile: Option<&ProfileId>,
) -> (Option<String>, Option<String>) {
    let is_narrowed = is_on.is_some() || profile.is_some();
    let also = is_narrowed.then(|| format!("{is_on:?}\0{profile:?}"));
    (kind.or_else(|| profile.map(ToString::to_string)), also)
}

/// Whether this is what is asked for, when something is.
fn is_same<T: PartialEq>(asked: Option<T>, own: &T) -> bool {
    asked.is_none_or(|asked| asked == *own)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn query(written: Value) -> ActiveQuery {
        serde_json::from_value(written).unwrap()
    }

    fn agent(n: u8) -> ProfileId {
        ProfileId::from_bytes([n; 16])
    }

    #[track_caller]
    fn check(asked: &Value, takes: bool) {
        assert_eq!(query(asked.clone()).takes(false, &agent(1)), takes, "{asked}");
    }

    #[test]
    fn f_367_monitors_are_narrowed_by_their_own_words() {
        check(&json!({}), true);
        check(&json!({ "is_active": false }), true);
        check(&json!({ "is_active": true }), false);
        check(&json!({ "profile_id": agent(1), "is_active": false }), true);
        check(&json!({ "profile_id": agent(2) }), false);
        assert!(serde_json::from_value::<ActiveQuery>(json!({ "is_enabled": true })).is_err());
    }

    #[test]
    fn f_367_a_cursor_belongs_to_the_filters() {
        let plain = query(json!({})).listing();
        assert_eq!((plain.kind, plain.also), (None, None));
        let active = query(json!({ "is_active": true })).listing();
        let paused = query(json!({ "is_active": false })).listing();
        assert!(active.also.is_some() && active.also != paused.also);
        let of = query(json!({ "profile_id": agent(1) })).listing();
        assert_eq!(of.kind, Some(agent(1).to_string()), "the store has them by their agent");
        let both = query(json!({ "kind": "prof_x", "profile_id": agent(1) })).listing();
        assert_eq!(both.kind.as_deref(), Some("prof_x"), "and what fits neither is left out");
    }
}

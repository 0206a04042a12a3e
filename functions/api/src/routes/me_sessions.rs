//! `GET /me/sessions`: where the caller is signed in.

use axum::extract::State;
use countersign_identity::{DirectoryEntry, UserId};
use countersign_store_directory::SeenSession;
use countersign_web::{Json, Problem, Signed};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Ctx, JsonOf, now};
use crate::Context;

/// A session at the user pool.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct SessionLine {
    /// Its id (`origin_jti`): whoever administers ends it by this.
    session_id: String,
    /// Whose it is.
    #[schema(value_type = String)]
    user_id: UserId,
    /// When they signed in.
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    /// Whether a token of it was seen that is still good.
    is_active: bool,
    /// Whether this request has a token of it.
    is_current: bool,
}

/// Sessions of one person.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionList {
    /// Those that are active first, of these those that began last first; at most 100.
    items: Vec<SessionLine>,
    /// Whether there are more.
    is_cut: bool,
}

/// So many are listed.
const LISTED: usize = 100;

impl SessionList {
    /// The sessions of a person; `current` is the one that the request comes from.
    pub(super) async fn of(
        ctx: &Context,
        user: &UserId,
        current: Option<&str>,
    ) -> Result<Self, Problem> {
        let sessions = ctx.directory.sessions(user).await?;
        let entry = ctx.directory.entry_of(user).await?;
        let line = |seen| line(user, seen, entry.as_ref(), (current, now()));
        Ok(listed(sessions.into_iter().map(line).collect()))
    }
}

/// The first of them. One that can still act is never hidden behind those that cannot.
fn listed(mut items: Vec<SessionLine>) -> SessionList {
    items.sort_by_key(|one| !one.is_active);
    let is_cut = items.len() > LISTED;
    items.truncate(LISTED);
    SessionList { items, is_cut }
}

fn line(
    user: &UserId,
    seen: SeenSession,
    entry: Option<&DirectoryEntry>,
    (current, now): (Option<&str>, Timestamp),
) -> SessionLine {
    let is_ended = |entry: &DirectoryEntry| {
        let began = seen.started_at.as_second();
        entry.revoked.contains(&seen.id) || entry.not_before.is_some_and(|bound| began < bound)
    };
    let may_act = entry.is_some_and(|entry| entry.active && !is_ended(entry));
    SessionLine {
        user_id: user.clone(),
        started_at: seen.started_at,
        is_active: may_act && seen.valid_until > now.as_second(),
        is_current: current == Some(seen.id.as_str()),
        session_id: seen.id,
    }
}

/// The caller's sessions of which a token was used here within the last 30 days, with when they began. `is_active` says whether a
/// token of it was seen that is still good: one that was ended is not active, nor one whose tokens have all expired.
#[utoipa::path(get, path = "/me/sessions", tag = "operation", responses((status = 200, body = SessionList)))]
pub(crate) async fn list(State(ctx): Ctx, signed: Signed) -> JsonOf<SessionList> {
    let current = signed.presented.session.as_deref();
    Ok(Json(SessionList::of(&ctx, &signed.caller.user, current).await?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use countersign_identity::{Accounts, Scopes};

    use super::*;

    fn entry(not_before: Option<i64>, revoked: &[&str], active: bool) -> DirectoryEntry {
        DirectoryEntry {
            user: UserId::from_bytes([1; 16]),
            name: "Ana".to_owned(),
            email: "ana@example.org".to_owned(),
            email_verified: true,
            active,
            accounts: Accounts::Any,
            scopes: Scopes::default(),
            capabilities: BTreeSet::new(),
            not_before,
            revoked: revoked.iter().map(|id| (*id).to_owned()).collect(),
        }
    }

    #[test]
    fn r_104_sessions_that_have_ended_do_not_hide_one_that_is_active() {
        let one = |n: usize, is_active| SessionLine {
            session_id: format!("s-{n}"),
            user_id: UserId::from_bytes([1; 16]),
            started_at: Timestamp::UNIX_EPOCH,
            is_active,
            is_current: false,
        };
        let all = listed((0..=LISTED).map(|n| one(n, n == LISTED)).collect());
        assert!(all.is_cut);
        assert_eq!((all.items.len(), all.items[0].session_id.as_str()), (LISTED, "s-100"));
        assert_eq!(all.items[1].session_id, "s-0", "the others keep their order");
        assert!(!listed(vec![one(1, false)]).is_cut);
    }

    #[test]
    fn r_104_a_session_is_active_until_it_is_ended_or_its_tokens_have_expired() {
        let check = |entry: Option<DirectoryEntry>, second: i64, is_active: bool| {
            let user = UserId::from_bytes([1; 16]);
            let started_at = Timestamp::from_second(100).unwrap();
            let seen = SeenSession { id: "s-1".to_owned(), started_at, valid_until: 200 };
            let now = Timestamp::from_second(second).unwrap();
            let line = line(&user, seen, entry.as_ref(), (Some("s-1"), now));
            assert_eq!((line.is_active, line.is_current), (is_active, true));
        };
        check(Some(entry(None, &["s-2"], true)), 199, true);
        check(Some(entry(Some(100), &[], true)), 199, true);
        check(Some(entry(None, &[], true)), 200, false);
        check(Some(entry(None, &["s-1"], true)), 150, false);
        check(Some(entry(Some(101), &[], true)), 150, false);
        check(Some(entry(None, &[], false)), 150, false);
        check(None, 150, false);
    }
}

//! The keys of the table; nobody else writes them.

use countersign_identity::{Capability, Scope, UserId};
use countersign_store_kit::Key;
use countersign_team::{Team, TeamId};

use crate::account::PoolSubject;
use crate::sessions::SeenSession;
use crate::settings::Setting;
use crate::user::{Email, Username};

/// The partition of the index that lists everybody.
pub(crate) const USERS: &str = "USERS";
/// The sort key of a person.
pub(crate) const PROFILE: &str = "PROFILE";
/// What the sort key of a granted scope starts with.
pub(crate) const SCOPE: &str = "SCOPE#";
/// What the sort key of a granted capability starts with.
pub(crate) const CAPABILITY: &str = "CAPABILITY#";
/// What the sort key of a void token starts with.
pub(crate) const REVOKED: &str = "REVOKED#";

pub(crate) fn partition(user: &UserId) -> String {
    format!("USER#{user}")
}

pub(crate) fn profile(user: &UserId) -> Key {
    Key::new(partition(user), PROFILE)
}

pub(crate) fn scope(user: &UserId, scope: &Scope) -> Key {
    Key::new(partition(user), format!("{SCOPE}{scope}"))
}

pub(crate) fn capability(user: &UserId, capability: Capability) -> Key {
    Key::new(partition(user), format!("{CAPABILITY}{}", name(capability)))
}

pub(crate) fn revoked(user: &UserId, token_id: &str) -> Key {
    Key::new(partition(user), format!("{REVOKED}{token_id}"))
}

pub(crate) fn sessions(user: &UserId) -> String {
    format!("SESSIONS#{user}")
}

/// By when it began, so that the latest come first.
pub(crate) fn session(user: &UserId, seen: &SeenSession) -> Key {
    Key::new(sessions(user), format!("{}#{}", seen.started_at, seen.id))
}

/// The partition of the index that lists every team.
pub(crate) const TEAMS: &str = "TEAMS";
/// What the sort key of a membership starts with.
pub(crate) const MEMBERSHIP: &str = "TEAM#";

pub(crate) fn team(team: &TeamId) -> Key {
    Key::new(format!("TEAM#{team}"), "TEAM")
}

/// Where a team is in that index: by name, in any case.
pub(crate) fn by_name(team: &Team) -> String {
    format!("{}#{}", team.name.as_str().to_lowercase(), team.id)
}

pub(crate) fn membership(user: &UserId, team: &TeamId) -> Key {
    Key::new(partition(user), format!("{MEMBERSHIP}{team}"))
}

/// The partition of the index with the members of a team.
pub(crate) fn members(team: &TeamId) -> String {
    format!("TEAM#{team}#MEMBERS")
}

pub(crate) fn username(username: &Username) -> Key {
    Key::new(format!("USERNAME#{}", username.as_str()), "CLAIM")
}

pub(crate) fn email(email: &Email) -> Key {
    Key::new(format!("EMAIL#{}", email.canonical()), "CLAIM")
}

pub(crate) fn subject(subject: &PoolSubject) -> Key {
    Key::new(format!("SUBJECT#{subject}"), "CLAIM")
}

/// That somebody was once appointed as the first administrator of this address.
pub(crate) fn appointed(email: &Email) -> Key {
    Key::new("DEPLOYMENT", format!("APPOINTED#{}", email.canonical()))
}

pub(crate) fn setting(of: Setting) -> Key {
    Key::new("DEPLOYMENT", of.key())
}

/// The partition of every version there was.
pub(crate) fn settings(of: Setting) -> String {
    format!("DEPLOYMENT#{}S", of.key())
}

pub(crate) fn setting_version(of: Setting, version: u64) -> Key {
    Key::new(settings(of), format!("{version:012}"))
}

fn name(capability: Capability) -> &'static str {
    match capability {
        Capability::Decide => "decide",
        Capability::Publish => "publish",
        Capability::Administer => "administer",
    }
}

/// Reads the capability back from its sort key.
pub(crate) fn named(sort_key: &str) -> Option<Capability> {
    let wanted = sort_key.strip_prefix(CAPABILITY)?;
    [Capability::Decide, Capability::Publish, Capability::Administer]
        .into_iter()
        .find(|cap| name(*cap) == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_capability_reads_back_from_its_key() {
        for cap in [Capability::Decide, Capability::Publish, Capability::Administer] {
            let key = capability(&UserId::from_bytes([1; 16]), cap);
            assert_eq!(named(&key.sk), Some(cap));
        }
        assert_eq!(named("CAPABILITY#fly"), None);
        assert_eq!(named("SCOPE#decide"), None);
    }
}

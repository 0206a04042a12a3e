//! That an agent is shared with a team, and on which terms.

use std::collections::BTreeMap;

use countersign_identity::UserId;
use countersign_run::RunContext;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TeamId;

countersign_ids::prefixed_id! {
    /// One share.
    pub struct ShareId("share");
}

/// An agent that is shared with a team (F-229, F-405). There is at most one share of an agent with a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// The id.
    pub id: ShareId,
    /// The agent, `prof_…`.
    pub agent_profile_id: String,
    /// The team.
    pub team_id: TeamId,
    /// The owner of the agent, who alone shares it.
    pub shared_by: UserId,
    /// On which terms.
    #[serde(flatten)]
    pub terms: Terms,
    /// When it was shared.
    pub created_at: Timestamp,
    /// When its terms were changed last.
    pub updated_at: Timestamp,
}

impl Share {
    /// Whether any other of the agent's shares lets it read posts: what that team wrote is for no other.
    #[must_use]
    pub fn reads_elsewhere(&self, all: &[Self]) -> bool {
        let reads = |other: &&Self| TeamPermission::from(other.terms).post_access;
        all.iter().filter(reads).any(|other| other.team_id != self.team_id)
    }
}

/// The terms of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "ShareTermsView")]
pub struct Terms {
    /// Whether the agent may read the team's files.
    pub team_file_access: bool,
    /// Whether the agent may read the team's posts.
    pub team_post_access: bool,
    /// What members see of the agent's journal.
    pub journal_visibility: JournalVisibility,
    /// Whether members may run the agent, which works for them with what is its owner's.
    pub members_run: bool,
    /// Whether the share counts.
    pub is_active: bool,
}

impl Terms {
    /// Whether members may run the agent now, and read what it answers them.
    #[must_use]
    pub fn lets_members_run(self) -> bool {
        self.is_active && self.members_run
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            team_file_access: false,
            team_post_access: false,
            journal_visibility: JournalVisibility::default(),
            members_run: false,
            is_active: true,
        }
    }
}

/// What members see of the journal of an agent (F-230, K-67).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalVisibility {
    /// The entries of runs that they started themselves.
    OwnOnly,
    /// These, and those of runs that a schedule or a monitor started.
    #[default]
    OwnAndScheduled,
    /// Every entry.
    Full,
}

impl JournalVisibility {
    /// Whether a member sees the entry of a run that `invoked_by` started in this context.
    #[must_use]
    pub fn shows(self, member: &UserId, invoked_by: &UserId, context: RunContext) -> bool {
        let is_clock = matches!(context, RunContext::Scheduled | RunContext::Monitor);
        match self {
            Self::OwnOnly => member == invoked_by,
            Self::OwnAndScheduled => member == invoked_by || is_clock,
            Self::Full => true,
        }
    }
}

/// What one team grants an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TeamPermission {
    /// Its files.
    pub file_access: bool,
    /// Its posts.
    pub post_access: bool,
}

impl TeamPermission {
    /// Whether this grant, named as contracts name it, is among them.
    #[must_use]
    pub fn has(self, grant: &str) -> bool {
        match grant {
            "team_file_access" => self.file_access,
            "team_post_access" => self.post_access,
            _ => false,
        }
    }
}

impl TeamPermission {
    /// What an agent of this owner may do: nothing without its owner's share, or while the owner is no member.
    #[must_use]
    pub fn of(owner: &UserId, share: Option<&Share>, is_member: bool) -> Self {
        let share = share.filter(|share| is_member && share.shared_by == *owner);
        share.map(|share| share.terms.into()).unwrap_or_default()
    }
}

impl From<Terms> for TeamPermission {
    /// Nothing where the share does not count.
    fn from(terms: Terms) -> Self {
        Self {
            file_access: terms.is_active && terms.team_file_access,
            post_access: terms.is_active && terms.team_post_access,
        }
    }
}

/// The teams an agent is shared with, derived from its active shares (F-173, K-68); never stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct TeamConfig {
    /// The teams.
    pub shared_with_teams: Vec<TeamId>,
    /// Whether any team grants its files.
    pub team_file_access: bool,
    /// Whether any team grants its posts.
    pub team_post_access: bool,
    /// What each team grants.
    pub team_permissions: BTreeMap<TeamId, TeamPermission>,
}

impl TeamConfig {
    /// The configuration that these shares come to.
    #[must_use]
    pub fn derived<'s>(shares: impl IntoIterator<Item = &'s Share>) -> Self {
        let active = shares.into_iter().filter(|share| share.terms.is_active);
        let permission = |share: &Share| (share.team_id.clone(), share.terms.into());
        let team_permissions: BTreeMap<TeamId, TeamPermission> = active.map(permission).collect();
        Self {
            shared_with_teams: team_permissions.keys().cloned().collect(),
            team_file_access: team_permissions.values().any(|grant| grant.file_access),
            team_post_access: team_permissions.values().any(|grant| grant.post_access),
            team_permissions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(team: u8, terms: Terms) -> Share {
        Share {
            id: ShareId::from_bytes([team; 16]),
            agent_profile_id: "prof_1".to_owned(),
            team_id: TeamId::from_bytes([team; 16]),
            shared_by: UserId::from_bytes([9; 16]),
            terms,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn k_68_the_configuration_is_what_active_shares_come_to() {
        let (files, off) = (
            Terms { team_file_access: true, ..Terms::default() },
            Terms { team_post_access: true, is_active: false, ..Terms::default() },
        );
        let config =
            TeamConfig::derived(&[share(2, Terms::default()), share(1, files), share(3, off)]);
        let teams = [1, 2].map(|team| TeamId::from_bytes([team; 16]));
        assert_eq!(config.shared_with_teams, teams);
        assert!(config.team_file_access && !config.team_post_access);
        let granted: TeamPermission = files.into();
        assert_eq!(config.team_permissions[&teams[0]], granted);
        assert!(granted.has("team_file_access") && !granted.has("team_post_access"));
        assert_eq!(TeamPermission::from(off), TeamPermission::default());
    }

    #[test]
    fn k_36_an_agent_has_what_its_owner_shares_while_they_are_a_member() {
        let posts = share(1, Terms { team_post_access: true, ..Terms::default() });
        let (owner, other) = (posts.shared_by.clone(), UserId::from_bytes([8; 16]));
        let granted: TeamPermission = posts.terms.into();
        assert_eq!(TeamPermission::of(&owner, Some(&posts), true), granted);
        for none in [
            TeamPermission::of(&owner, Some(&posts), false),
            TeamPermission::of(&other, Some(&posts), true),
            TeamPermission::of(&owner, None, true),
        ] {
            assert_eq!(none, TeamPermission::default());
        }
    }

    #[test]
    fn f_405_a_share_is_one_flat_record_and_its_terms_have_defaults() {
        let written: Terms = serde_json::from_str("{}").unwrap();
        assert_eq!(written, Terms::default());
        let stored = serde_json::to_value(share(1, written)).unwrap();
        assert_eq!(stored["journal_visibility"], "own_and_scheduled");
        assert_eq!((&stored["is_active"], &stored["members_run"]), (&true.into(), &false.into()));
        let read: Share = serde_json::from_value(stored).unwrap();
        assert_eq!(read, share(1, written));
    }

    #[test]
    fn f_230_members_see_of_the_journal_what_the_share_says() {
        use JournalVisibility::{Full, OwnAndScheduled, OwnOnly};
        use RunContext::{Background, Interactive, Monitor, Scheduled};
        let (member, owner) = (UserId::from_bytes([1; 16]), UserId::from_bytes([2; 16]));
        for context in [Interactive, Background, Scheduled, Monitor] {
            let is_clock = matches!(context, Scheduled | Monitor);
            for (level, others) in [(OwnOnly, false), (OwnAndScheduled, is_clock), (Full, true)] {
                assert!(level.shows(&member, &member, context));
                assert_eq!(level.shows(&member, &owner, context), others, "{level:?} {context:?}");
            }
        }
    }
}

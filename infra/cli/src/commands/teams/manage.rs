//! What an administrator does with teams.

use clap::Subcommand;
use serde_json::json;

use crate::commands::listed::List;
use crate::commands::one::plain;
use crate::commands::session::Session;
use crate::commands::visible;
use crate::door::Door;
use crate::error::CliError;

const ADMIN: &str = "/api/admin/teams";

#[derive(Debug, Subcommand)]
pub(super) enum Manage {
    /// List every team, as an administrator.
    All,
    /// Make a team, as an administrator.
    Create {
        /// Its name.
        name: String,
        /// What it is for.
        #[arg(long, default_value = "")]
        description: String,
    },
    /// Let a team work again, as an administrator.
    Enable {
        /// The team, `team_…`.
        team: String,
    },
    /// Switch a team off, as an administrator: until it is enabled again, its members see nothing of it.
    Disable {
        /// The team, `team_…`.
        team: String,
    },
    /// Make somebody a member, as an administrator.
    Add {
        /// The team, `team_…`.
        team: String,
        /// An id, a username or a mail address.
        user: String,
    },
    /// Take somebody out of a team, as an administrator.
    Remove {
        /// The team, `team_…`.
        team: String,
        /// An id, a username or a mail address.
        user: String,
    },
}

const ALL: List =
    List { fields: &["id", "name", "is_active"], titles: &["TEAM", "NAME", "ACTIVE"] };

impl Manage {
    pub(super) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let door = &session.door;
        let said = match self {
            Self::All => return ALL.show(session, ADMIN).await,
            Self::Create { name, description } => {
                door.post(ADMIN, &json!({ "name": name, "description": description })).await?
            }
            Self::Enable { team } => switched(door, team, true).await?,
            Self::Disable { team } => switched(door, team, false).await?,
            Self::Add { team, user } => {
                door.put(&member(team, user)?, &json!({})).await?;
                json!({ "team": team, "added": user })
            }
            Self::Remove { team, user } => {
                door.delete(&member(team, user)?).await?;
                json!({ "team": team, "removed": user })
            }
        };
        session.say(&said);
        Ok(())
    }
}

async fn switched(door: &Door, team: &str, on: bool) -> Result<serde_json::Value, CliError> {
    door.patch(&format!("{ADMIN}/{}", plain(team)?), &json!({ "is_active": on })).await
}

fn member(team: &str, user: &str) -> Result<String, CliError> {
    if user.is_empty() || user.contains(['/', '?', '#', '%']) {
        let message = format!("`{}` is not an id, username or mail address", visible(user));
        return Err(CliError::Argument(message));
    }
    Ok(format!("{ADMIN}/{}/members/{user}", plain(team)?))
}

#[cfg(test)]
mod tests {
    use super::member;

    #[test]
    fn f_409_a_member_is_named_and_no_other_path() {
        assert!(member("team_1", "ana@example.org").unwrap().ends_with("/members/ana@example.org"));
        for (team, user) in [("../users", "ana"), ("team_1", "../ana"), ("team_1", "")] {
            assert!(member(team, user).is_err(), "{team} {user}");
        }
    }
}

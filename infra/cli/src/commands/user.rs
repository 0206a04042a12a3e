//! `countersign user`: people and their grants, through the administrators' door.

use clap::{Args, Subcommand};
use countersign_identity::{Role, Scope};
use serde_json::json;

use super::session::Session;
use super::{Person, operator, row, text};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::{Place, Stack};

#[derive(Debug, Args)]
pub(crate) struct User {
    #[command(subcommand)]
    command: Command,
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add a person; the address counts as verified because you say so.
    Add(NewPerson),
    /// Give a person a scope or a capability.
    Grant {
        /// An id, a username or a mail address.
        user: String,
        /// A scope such as `macro:analyst`, or `decide`, `publish`, `administer`.
        grant: String,
    },
    /// Take a scope or a capability away; the next step and the next click notice.
    Revoke {
        /// An id, a username or a mail address.
        user: String,
        /// What to take away.
        grant: String,
    },
    /// List people.
    List,
    /// Show a person with everything granted.
    Show {
        /// An id, a username or a mail address.
        user: String,
    },
}

#[derive(Debug, Args)]
struct NewPerson {
    /// The name to sign in with.
    username: String,
    /// The mail address.
    #[arg(long)]
    email: String,
    /// The name to show.
    #[arg(long)]
    name: Option<String>,
    /// What the person may do: scopes such as `global:analyst`, or `decide`, `publish`, `administer`. May be repeated.
    #[arg(long, value_name = "SCOPE")]
    grant: Vec<String>,
}

impl User {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let stack = place.running()?;
        let session = Session { door: operator(&stack)?, as_json: self.json, console };
        match &self.command {
            Command::Add(person) => person.add(&session).await?,
            Command::Grant { user, grant } => granted(&session, &stack, user, grant).await?,
            Command::Revoke { user, grant } => revoked(&session, &stack, user, grant).await?,
            Command::List => {
                let page = session.door.get("/api/admin/users?limit=100").await?;
                let fields = ["id", "username", "email", "display_name"];
                let titles = ["ID", "USERNAME", "EMAIL", "NAME"];
                session.table(&page, &titles, |user| row(user, &fields));
            }
            Command::Show { user } => {
                let person = Person::find(&stack, user).await?;
                let shown = session.door.get(&format!("/api/admin/users/{}", person.id)).await?;
                session.say(&shown);
            }
        }
        Ok(())
    }
}

impl NewPerson {
    async fn add(&self, session: &Session<'_>) -> Result<(), CliError> {
        // Before anybody is entered: a mistyped grant must not leave a person without it.
        self.grant.iter().try_for_each(|grant| known(grant))?;
        let Self { username, email, name, grant } = self;
        let body = json!({ "username": username, "email": email, "email_verified": true, "display_name": name });
        let added = session.door.post("/api/admin/users", &body).await?;
        for grant in grant {
            give(&session.door, username, grant).await?;
        }
        session.outcome(&added, |added| text(added, "id").unwrap_or_default());
        Ok(())
    }
}

async fn granted(
    session: &Session<'_>,
    stack: &Stack,
    user: &str,
    grant: &str,
) -> Result<(), CliError> {
    known(grant)?;
    give(&session.door, Person::find(stack, user).await?.id.as_str(), grant).await?;
    let granted = json!({ "user": user, "granted": grant });
    session.outcome(&granted, |_| format!("{user} holds {grant}"));
    Ok(())
}

async fn revoked(
    session: &Session<'_>,
    stack: &Stack,
    user: &str,
    grant: &str,
) -> Result<(), CliError> {
    let person = Person::find(stack, user).await?;
    let path = format!("/api/admin/users/{}/{}/{grant}", person.id, shelf(grant));
    session.door.delete(&path).await?;
    let revoked = json!({ "user": user, "revoked": grant });
    session.outcome(&revoked, |_| format!("{user} no longer holds {grant}"));
    Ok(())
}

/// Grants a scope, or gives a capability: only scopes have a colon.
pub(crate) async fn give(door: &Door, user: &str, grant: &str) -> Result<(), CliError> {
    let body = if grant.contains(':') {
        json!({ "scope": grant })
    } else {
        json!({ "capability": grant })
    };
    door.post(&format!("/api/admin/users/{user}/{}", shelf(grant)), &body).await?;
    Ok(())
}

/// Refuses what is neither a scope nor a capability.
fn known(grant: &str) -> Result<(), CliError> {
    let roles = Role::ALL.map(Role::as_str).join("`, `");
    let is_capability = ["decide", "publish", "administer"].contains(&grant);
    if is_capability || grant.parse::<Scope>().is_ok() {
        return Ok(());
    }
    Err(CliError::Argument(format!(
        "`{grant}` is neither `decide`, `publish` or `administer` nor a scope: a topic or `global`, a colon and one of `{roles}`"
    )))
}

fn shelf(grant: &str) -> &'static str {
    if grant.contains(':') { "grants" } else { "capabilities" }
}

#[cfg(test)]
mod tests {
    use super::known;

    #[track_caller]
    fn check(grant: &str, expect: bool) {
        assert_eq!(known(grant).is_ok(), expect, "{grant}");
    }

    #[test]
    fn a_mistyped_grant_is_refused_before_anything_is_sent() {
        check("decide", true);
        check("global:analyst", true);
        check("macro:reader", true);
        check("decied", false);
        check("global:wizard", false);
        check("analyst", false);
    }
}

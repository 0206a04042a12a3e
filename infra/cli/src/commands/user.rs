//! `countersign user`: people and their grants, through the administrators' door.

use clap::{Args, Subcommand};
use serde_json::json;

use super::{Person, items, operator, pretty, row, text};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct User {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add a person; the address counts as verified because you say so.
    Add {
        /// The name to sign in with.
        username: String,
        /// The mail address.
        #[arg(long)]
        email: String,
        /// The name to show.
        #[arg(long)]
        name: Option<String>,
        /// What the person may do, such as `global:analyst`; may be repeated.
        #[arg(long, value_name = "SCOPE")]
        grant: Vec<String>,
    },
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
    /// List people and their grants.
    List,
}

impl User {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let stack = place.running()?;
        let door = operator(&stack)?;
        match &self.command {
            Command::Add { username, email, name, grant } => {
                let body = json!({ "username": username, "email": email, "name": name.as_ref().unwrap_or(username), "grants": grant });
                let added = door.post("/api/admin/users", &body).await?;
                console.line(
                    text(&added, "id")
                        .or_else(|| text(&added, "user_id"))
                        .unwrap_or_else(|| pretty(&added)),
                );
            }
            Command::Grant { user, grant } => {
                let person = Person::find(&stack, user).await?;
                door.post(
                    &format!("/api/admin/users/{}/grants", person.id),
                    &json!({ "grant": grant }),
                )
                .await?;
                console.line(format!("{user} holds {grant}"));
            }
            Command::Revoke { user, grant } => {
                let person = Person::find(&stack, user).await?;
                door.delete(&format!("/api/admin/users/{}/grants/{grant}", person.id)).await?;
                console.line(format!("{user} no longer holds {grant}"));
            }
            Command::List => {
                let page = door.get("/api/admin/users").await?;
                let rows: Vec<Vec<String>> = items(&page)
                    .iter()
                    .map(|user| row(user, &["id", "username", "email", "scopes"]))
                    .collect();
                console.table(&["ID", "USERNAME", "EMAIL", "GRANTS"], &rows);
            }
        }
        Ok(())
    }
}

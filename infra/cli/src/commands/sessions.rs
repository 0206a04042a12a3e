//! `countersign sessions`: where somebody is signed in.

use clap::Args;

use super::session::Session;
use super::{Caller, FACTORY, row, visible};
use crate::error::CliError;

const TITLES: [&str; 4] = ["SESSION", "STARTED", "ACTIVE", "THIS ONE"];
const FIELDS: [&str; 4] = ["session_id", "started_at", "is_active", "is_current"];

#[derive(Debug, Args)]
pub(crate) struct Sessions {
    /// Those of somebody else, by id, username or mail address; for administrators.
    #[arg(long, value_name = "USER")]
    of: Option<String>,
    #[command(flatten)]
    pub(super) caller: Caller,
}

impl Sessions {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let path = match &self.of {
            None => format!("{FACTORY}/me/sessions"),
            Some(user) => format!("/api/admin/users/{}/sessions", named(user)?),
        };
        let page = session.door.get(&path).await?;
        session.table(&page, &TITLES, |one| row(one, &FIELDS));
        Ok(())
    }
}

/// A person as a part of a path; what can be none names no other path.
fn named(user: &str) -> Result<&str, CliError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@._+-".contains(c);
    if user.chars().all(is_plain) && user.contains(|c: char| c.is_ascii_alphanumeric()) {
        return Ok(user);
    }
    let message = format!("`{}` is not an id, a username or a mail address", visible(user));
    Err(CliError::Argument(message))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn r_104_what_is_no_person_names_no_other_path() {
        for good in ["ana", "ana.b+c@example.org", "user_0197"] {
            assert!(named(good).is_ok(), "{good}");
        }
        for wrong in ["", "..", ".", "a/b", "a?b", "a#b", "a%2f", "a b"] {
            assert!(named(wrong).is_err(), "{wrong}");
        }
    }
}

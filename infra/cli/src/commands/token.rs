//! `countersign token`.

use clap::{Args, ValueEnum};
use countersign_identity::{Scopes, TokenUse};

use super::Person;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;
use crate::token::{Claims, operator, sign};

#[derive(Debug, Args)]
pub(crate) struct Token {
    /// Whose token: an id, a username or a mail address of the directory. Without it, the operator's.
    user: Option<String>,
    /// What it may do at most, such as `macro:analyst`; all the person's grants unless given.
    #[arg(long, value_name = "SCOPE", requires = "user")]
    scope: Vec<String>,
    /// How it came to be; only a login may decide or publish.
    #[arg(long, value_enum, default_value_t = Kind::Login, requires = "user")]
    kind: Kind,
    /// How long it is good, in minutes.
    #[arg(long, default_value_t = 60, value_name = "MINUTES", requires = "user", value_parser = clap::value_parser!(i64).range(1..=1440))]
    minutes: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A person at this machine.
    Login,
    /// A program of this person.
    Api,
}

impl Token {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let stack = place.running()?;
        let Some(user) = &self.user else {
            console.line(operator(&stack)?);
            return Ok(());
        };
        let person = Person::find(&stack, user).await?;
        let scopes = if self.scope.is_empty() { person.scopes } else { self.scopes()? };
        let (token_use, capabilities) = match self.kind {
            Kind::Login => (TokenUse::Login, vec!["decide", "publish", "administer"]),
            Kind::Api => (TokenUse::Api, vec![]),
        };
        let capabilities = capabilities.into_iter().map(str::to_owned).collect();
        console.line(sign(
            &stack,
            &Claims { sub: person.id, scopes, capabilities, token_use, seconds: self.minutes * 60 },
        )?);
        Ok(())
    }

    /// A scope that does not read is an error here, where a person has typed it.
    fn scopes(&self) -> Result<Scopes, CliError> {
        for scope in &self.scope {
            let read = scope.parse::<countersign_identity::Scope>();
            read.map_err(|()| {
                CliError::Argument(format!("`{scope}` is not a scope such as `macro:analyst`"))
            })?;
        }
        Ok(Scopes::parse(self.scope.iter().map(String::as_str)))
    }
}

//! Somebody who acts, at the door of a deployment, and how they want to be answered: in lines and tables, or with JSON as it is.

use serde_json::Value;

use super::{Caller, Who, fields, items, pretty, text};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::Place;

/// What a command asks through, and answers to.
pub(crate) struct Session<'c> {
    pub(crate) door: Door,
    pub(crate) as_json: bool,
    pub(crate) console: &'c Console,
}

impl Caller {
    /// The door, as the one who acts.
    pub(crate) async fn session<'c>(
        &self,
        place: &Place,
        console: &'c Console,
    ) -> Result<Session<'c>, CliError> {
        self.who.session(place, self.json, console).await
    }

    /// The same as an administrator, or as the operator of the local stack.
    pub(crate) async fn administrator<'c>(
        &self,
        place: &Place,
        console: &'c Console,
    ) -> Result<Session<'c>, CliError> {
        let door = self.who.administrator(place).await?;
        Ok(Session { door, as_json: self.json, console })
    }
}

impl Who {
    /// The door, as the one who acts.
    pub(crate) async fn session<'c>(
        &self,
        place: &Place,
        as_json: bool,
        console: &'c Console,
    ) -> Result<Session<'c>, CliError> {
        Ok(Session { door: self.door(place).await?, as_json, console })
    }
}

impl Session<'_> {
    /// Prints a page of a list, or JSON.
    pub(crate) fn table(
        &self,
        page: &Value,
        titles: &[&str],
        line: impl Fn(&Value) -> Vec<String>,
    ) {
        if self.as_json {
            self.console.line(pretty(page));
            return;
        }
        let rows: Vec<Vec<String>> = items(page).iter().map(line).collect();
        self.console.table(titles, &rows);
        if text(page, "next").is_some() {
            self.console.note(format!(
                "these are {}, and there may be more; with `--json`, `next` is the `cursor` of the page that follows",
                rows.len()
            ));
        }
    }

    /// Prints one thing in lines that tell of it, or JSON.
    pub(crate) fn tell(&self, found: &Value, lines: impl FnOnce(&Value) -> Vec<String>) {
        if self.as_json {
            self.console.line(pretty(found));
        } else {
            lines(found).iter().for_each(|line| self.console.text(line));
        }
    }

    /// Prints what came of a request: one line that says it, or JSON.
    pub(crate) fn outcome(&self, answer: &Value, line: impl FnOnce(&Value) -> String) {
        self.tell(answer, |answer| vec![line(answer)]);
    }

    /// Prints one thing, a line for each of its fields, or JSON.
    pub(crate) fn say(&self, said: &Value) {
        self.tell(said, fields::lines);
    }
}

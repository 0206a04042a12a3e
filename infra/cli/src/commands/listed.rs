//! What the API says: a table or lines for people, or JSON as it is.

use serde_json::Value;

use super::{items, pretty, row, text, visible};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;

/// A list of the API as a table.
pub(crate) struct List {
    pub(crate) fields: &'static [&'static str],
    pub(crate) titles: &'static [&'static str],
}

impl List {
    /// Prints what is at this path.
    pub(crate) async fn show(
        &self,
        door: &Door,
        path: &str,
        as_json: bool,
        console: &Console,
    ) -> Result<(), CliError> {
        let page = door.get(path).await?;
        table(&page, as_json, console, self.titles, |found| row(found, self.fields));
        Ok(())
    }
}

/// Prints a page: a table with a row for each item, or JSON.
pub(crate) fn table(
    page: &Value,
    as_json: bool,
    console: &Console,
    titles: &[&str],
    line: impl Fn(&Value) -> Vec<String>,
) {
    if as_json {
        console.line(pretty(page));
        return;
    }
    let rows: Vec<Vec<String>> = items(page).iter().map(line).collect();
    console.table(titles, &rows);
}

/// Prints what came of a request: one line that says it, or JSON.
pub(crate) fn outcome(
    answer: &Value,
    as_json: bool,
    console: &Console,
    line: impl FnOnce(&Value) -> String,
) {
    console.line(if as_json { pretty(answer) } else { line(answer) });
}

/// Prints one thing, a line for each of its fields.
pub(crate) fn say(said: &Value, as_json: bool, console: &Console) {
    if as_json {
        console.line(pretty(said));
        return;
    }
    for (name, _) in said.as_object().into_iter().flatten() {
        if let Some(value) = text(said, name) {
            console.line(format!("{name}: {}", visible(&value)));
        }
    }
}

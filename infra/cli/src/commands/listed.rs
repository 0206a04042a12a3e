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
        if as_json {
            console.line(pretty(&page));
            return Ok(());
        }
        let rows: Vec<Vec<String>> =
            items(&page).iter().map(|found| row(found, self.fields)).collect();
        console.table(self.titles, &rows);
        Ok(())
    }
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

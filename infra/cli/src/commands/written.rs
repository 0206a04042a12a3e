//! Documents in files.

use std::path::Path;

use countersign_document::Document;
use serde::Serialize;
use serde_json::Value;

use crate::error::CliError;

/// A document as it is written: YAML, of which JSON is a part.
///
/// # Errors
/// [`CliError::Argument`] with every problem, like a compiler.
pub(super) fn read<D: Document + Serialize>(file: &Path) -> Result<Value, CliError> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        CliError::Argument(format!("{} cannot be read: {error}", file.display()))
    })?;
    let reading = countersign_document::read::<D>(&text);
    if let Some(spec) = reading.value {
        return serde_json::to_value(spec).map_err(|error| CliError::Argument(error.to_string()));
    }
    let origin = file.display().to_string();
    Err(CliError::Argument(countersign_document::text(&origin, &text, &reading.problems, false)))
}

#[cfg(test)]
mod tests {
    use countersign_monitor::MonitorSpec;
    use countersign_trigger::TriggerSpec;

    use super::read;

    #[test]
    fn f_366_a_file_is_checked_before_it_is_sent() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "name: A\ninterval: 1m\n").unwrap();
        let said = read::<MonitorSpec>(file.path()).unwrap_err().to_string();
        assert!(said.contains("profile_id") && said.contains("interval"), "{said}");
        std::fs::write(file.path(), "name: A\non: {type: webhook, folder: a}\n").unwrap();
        let said = read::<TriggerSpec>(file.path()).unwrap_err().to_string();
        assert!(said.contains("profile_id") && said.contains("folder"), "{said}");
    }
}

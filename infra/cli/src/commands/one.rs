//! One document of the API, named on the command line, or written in a file.

use std::path::Path;

use clap::Args;
use countersign_document::Document;
use serde::Serialize;
use serde_json::{Value, json};

use super::listed::narrowed;
use super::{FACTORY, visible};
use crate::door::Door;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct One {
    /// Its id, such as `sched_…`, `mon_…`, `trig_…` or `conv_…`.
    pub(crate) id: String,
}

impl One {
    /// Its path, of this kind.
    pub(crate) fn path(&self, kind: &str, below: &str) -> Result<String, CliError> {
        Ok(format!("{FACTORY}/{kind}/{}{below}", plain(&self.id)?))
    }

    /// Posts to its path, of this kind; what the API says.
    pub(crate) async fn post(
        &self,
        door: &Door,
        kind: &str,
        below: &str,
    ) -> Result<Value, CliError> {
        door.post(&self.path(kind, below)?, &json!({})).await
    }

    /// Removes it, of this kind; what is said of that.
    pub(crate) async fn remove(&self, door: &Door, kind: &str) -> Result<Value, CliError> {
        door.delete(&self.path(kind, "")?).await?;
        Ok(json!({ "removed": self.id }))
    }
}

/// The path of the documents of this kind: those for which `flag` is as it is asked for, of this agent.
pub(crate) fn all(
    kind: &str,
    (flag, is_on): (&str, Option<bool>),
    profile: Option<&String>,
) -> Result<String, CliError> {
    let is_on = is_on.map(|is_on| is_on.to_string());
    narrowed(&format!("{FACTORY}/{kind}"), &[(flag, is_on), ("profile_id", profile.cloned())])
}

/// An id as a part of a path; what is not one names no other path.
pub(crate) fn plain(id: &str) -> Result<&str, CliError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !id.is_empty() && id.bytes().all(is_plain) {
        return Ok(id);
    }
    Err(CliError::Argument(format!("`{}` is not an id", visible(id))))
}

/// A document as it is written: YAML, of which JSON is a part.
pub(crate) fn read<D: Document + Serialize>(file: &Path) -> Result<Value, CliError> {
    let text = super::validate::text(file)?;
    let reading = countersign_document::read::<D>(&text);
    if let Some(spec) = reading.value {
        return serde_json::to_value(spec).map_err(|error| CliError::Argument(error.to_string()));
    }
    let origin = file.display().to_string();
    Err(CliError::Argument(countersign_document::text(&origin, &text, &reading.problems, false)))
}

#[cfg(test)]
mod tests {
    use countersign_model_list::ModelList;
    use countersign_monitor::MonitorSpec;
    use countersign_trigger::TriggerSpec;

    use super::*;

    #[test]
    fn f_370_what_is_no_id_names_no_path() {
        let path = |id: &str| One { id: id.to_owned() }.path("monitors", "/pause");
        assert!(path("mon_1").unwrap().ends_with("/monitors/mon_1/pause"));
        assert!(path("../profiles").is_err());
        assert!(path("").is_err());
    }

    #[test]
    fn f_366_a_file_is_checked_before_it_is_sent() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "name: A\ninterval: 1m\n").unwrap();
        let said = read::<MonitorSpec>(file.path()).unwrap_err().to_string();
        assert!(said.contains("profile_id") && said.contains("interval"), "{said}");
        std::fs::write(file.path(), "name: A\non: {type: webhook, folder: a}\n").unwrap();
        let said = read::<TriggerSpec>(file.path()).unwrap_err().to_string();
        assert!(said.contains("profile_id") && said.contains("folder"), "{said}");
        std::fs::write(file.path(), "currency: USD\nmodels: [{model: openai/a, price: \"1\"}]\n")
            .unwrap();
        let said = read::<ModelList>(file.path()).unwrap_err().to_string();
        assert!(said.contains("`price`") && said.contains(":2:"), "{said}");
    }
}

//! What one call read of all its files, and what it could not read.

use std::collections::BTreeMap;

use countersign_failure::{Class, Failure as _};
use countersign_formats::Extraction;
use countersign_registry::Warnings;
use countersign_registry::action::Call;
use serde_json::{Map, Value, json};

use crate::binding::Resolved;
use crate::error::ConnectError;
use crate::file_target::{MAX_FILES, Place, Target, is_malformed, unread};
use crate::output::{Origin, shaped, stamp};
use crate::value_warnings::ValueWarnings;

/// Records returned by one call.
const MAX_RECORDS: usize = 50_000;
/// Files named in the message of a call that could read none.
const MAX_NAMED: usize = 10;

/// What was read of all files.
#[derive(Default)]
pub(crate) struct Gathered {
    records: Vec<Map<String, Value>>,
    errors: Vec<Value>,
    /// What is said of whole files: rows that are not read, columns that are missing.
    of_files: Warnings<Value>,
    /// What is said of single values.
    of_values: ValueWarnings,
    notes: Vec<Value>,
    read: usize,
    /// The error the call fails with when nothing was read: one that trying again can help, before all others.
    failed: Option<ConnectError>,
}

impl Gathered {
    /// Warns of uploads with the same name: a corrected file does not replace the one it corrects, and both are added up.
    pub(crate) fn same_names(&mut self, targets: &[Target]) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for target in targets.iter().filter(|target| matches!(target.place, Place::Key { .. })) {
            *counts.entry(target.name.as_str()).or_default() += 1;
        }
        for (name, count) in counts.into_iter().filter(|(_, count)| *count > 1) {
            self.of_files.push_with(|| {
                let message = format!("{count} files have this name, and all of them are read");
                json!({ "name": name, "message": message })
            });
        }
    }

    pub(crate) fn add(
        &mut self,
        target: &Target,
        outcome: Result<Extraction, ConnectError>,
        resolved: &Resolved,
        call: &Call,
    ) {
        let found = match outcome.and_then(|found| self.fitting(found)) {
            Ok(found) => found,
            Err(error) => return self.fail(target, error),
        };
        if found.records.is_empty() {
            self.note(target, resolved);
        }
        let offset = self.records.len();
        let origin = Origin { reference: &target.reference, name: &target.name };
        for mut record in found.records {
            stamp(&mut record, resolved, call, &origin);
            self.records.push(record);
        }
        let file = (self.read, target.name.as_str());
        for warning in found.warnings {
            let told = || {
                json!({
                    "file": target.reference, "name": target.name, "record": warning.record.map(|record| offset + record),
                    "field": warning.field, "message": warning.message,
                })
            };
            match warning.record {
                None => self.of_files.push_with(told),
                Some(_) => self.of_values.push(file, &warning.field, told),
            }
        }
        for (field, more) in &found.more_warnings {
            self.of_values.count(file, field, *more);
        }
        self.read += 1;
    }

    /// A file is read whole or not at all.
    fn fitting(&self, found: Extraction) -> Result<Extraction, ConnectError> {
        if self.records.len() + found.records.len() <= MAX_RECORDS {
            return Ok(found);
        }
        let message = format!("with this file the call would have more than {MAX_RECORDS} records");
        Err(unread("FILE_RECORDS", message, "read the file in a call of its own, or filter it"))
    }

    /// A file that was read and holds nothing the endpoint looks for is not an error, and must not look like one that
    /// was never there.
    fn note(&mut self, target: &Target, resolved: &Resolved) {
        let kind = resolved.endpoint.entities.entity_type.replace(['_', '-'], " ");
        let message = if kind.is_empty() {
            "the file was read and has no entries".to_owned()
        } else {
            format!("the file was read and has no entries of the kind `{kind}`")
        };
        self.notes
            .push(json!({ "file": target.reference, "name": target.name, "message": message }));
    }

    /// What an address answers and is no such file is told, and nothing more (F-311); an upload is its owner's to mend.
    fn fail(&mut self, target: &Target, error: ConnectError) {
        let (code, message) = (error.code(), error.to_string());
        self.errors.push(json!({
            "file": target.reference, "name": target.name, "code": code, "message": message,
        }));
        match (&target.place, error) {
            (Place::Address(_), ConnectError::Format(error)) if is_malformed(&error) => {
                tracing::warn!(address = %target.reference, code, "an answer was not as expected");
            }
            (_, error) if self.failed.as_ref().is_none_or(|first| is_worse(first, &error)) => {
                self.failed = Some(error);
            }
            _ => {}
        }
    }

    /// The output, or an error when no file could be read.
    pub(crate) fn finish(
        mut self,
        resolved: &Resolved,
        truncated: bool,
    ) -> Result<Value, ConnectError> {
        if let (0, Some(error)) = (self.read, self.failed.take()) {
            let (count, named) = (self.errors.len(), self.named());
            return Err(ConnectError::NothingRead { count, named, first: Box::new(error) });
        }
        if truncated {
            let message = format!("there are more files; one call reads the first {MAX_FILES}");
            self.of_files.push(json!({ "message": message }));
        }
        let (mut output, missing) = shaped(&resolved.endpoint, self.records, truncated, None);
        self.of_files.extend(missing.into_iter().map(|message| json!({ "message": message })));
        self.of_values.add_to(&mut self.of_files);
        output.insert("files_read".to_owned(), self.read.into());
        output.insert("files_failed".to_owned(), self.errors.len().into());
        output.insert("errors".to_owned(), self.errors.into());
        self.of_files.write(&mut output);
        output.insert("file_notes".to_owned(), self.notes.into());
        Ok(output.into())
    }

    /// The files that failed, each with its reason.
    fn named(&self) -> String {
        let text = |error: &Value, key: &str| error[key].as_str().unwrap_or_default().to_owned();
        let mut named: Vec<String> = self
            .errors
            .iter()
            .take(MAX_NAMED)
            .map(|error| format!("`{}`: {}", text(error, "name"), text(error, "message")))
            .collect();
        if self.errors.len() > MAX_NAMED {
            named.push(format!("and {} more", self.errors.len() - MAX_NAMED));
        }
        named.join("; ")
    }
}

/// Whether trying again can help with `other`, and could not with `first`.
fn is_worse(first: &ConnectError, other: &ConnectError) -> bool {
    first.class() != Class::Retryable && other.class() == Class::Retryable
}

//! The export, read to the byte.
//!
//! A verdict over a file is a verdict over all of it: a member that is not hashed, a repeated key or a moved blank makes
//! the file unreadable. Otherwise somebody could write into a ledger what its verification then seems to confirm.

use std::str;

use countersign_failure::json_problem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Checkpoint, Finding, Ledger, PublicKey, Sealed};
use crate::tenant::Tenant;

/// One file of an export.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// Its name in its folder.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Everything that stands in the folders of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Export {
    /// `entries/`.
    pub entries: Vec<File>,
    /// `checkpoints/`.
    pub checkpoints: Vec<File>,
    /// `keys/`.
    pub keys: Vec<File>,
}

/// What an export says.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The ledger; none when not one file of it can be read.
    pub ledger: Option<Ledger>,
    /// The keys it brings along.
    pub keys: Vec<PublicKey>,
    /// The files that are not what the ledger writes.
    pub findings: Vec<Finding>,
}

impl Export {
    /// Reads every file, in the order of the names. The deployment is that of the checkpoints `kept` outside; without
    /// one, that of the export itself.
    #[must_use]
    pub fn read(&self, kept: &[Checkpoint]) -> Reading {
        let mut findings = Vec::new();
        let entries = Folder { name: "entries", files: &self.entries }.read(
            exact::<Sealed>,
            |sealed| numbered(sealed.entry.sequence),
            &mut findings,
        );
        let checkpoints = Folder { name: "checkpoints", files: &self.checkpoints }.read(
            exact::<Checkpoint>,
            |checkpoint| numbered(checkpoint.sequence),
            &mut findings,
        );
        let keys = Folder { name: "keys", files: &self.keys }.read(
            exact_key,
            |key| format!("{}.pem", key.fingerprint()),
            &mut findings,
        );
        let ledger = tenant(kept, &checkpoints, &entries).map(|tenant| Ledger {
            tenant,
            entries,
            waiting: Vec::new(),
            checkpoints,
        });
        Reading { ledger, keys, findings }
    }
}

struct Folder<'a> {
    name: &'static str,
    files: &'a [File],
}

impl Folder<'_> {
    /// What can be read, and a finding for each file that cannot or that has another's name.
    fn read<T>(
        &self,
        read: impl Fn(&[u8]) -> Result<T, String>,
        name: impl Fn(&T) -> String,
        findings: &mut Vec<Finding>,
    ) -> Vec<T> {
        let mut files: Vec<&File> = self.files.iter().collect();
        files.sort();
        let mut all = Vec::with_capacity(files.len());
        for file in files {
            let path = format!("{}/{}", self.name, file.name);
            match read(&file.bytes) {
                Err(reason) => findings.push(Finding::Unreadable { file: path, reason }),
                Ok(content) => {
                    let expected = name(&content);
                    if expected != file.name {
                        findings.push(Finding::Misnamed { file: path, expected });
                    }
                    all.push(content);
                }
            }
        }
        all
    }
}

fn numbered(sequence: u64) -> String {
    format!("{sequence:012}.json")
}

fn tenant(kept: &[Checkpoint], own: &[Checkpoint], entries: &[Sealed]) -> Option<Tenant> {
    let sealed = kept.last().or_else(|| own.last()).map(|checkpoint| &checkpoint.tenant);
    sealed.or_else(|| entries.first().map(|first| &first.receipt.tenant)).cloned()
}

const NOT_UTF8: &str = "it is not text in UTF-8";

/// Reads JSON of which no member is left out and none is read as something else.
pub(super) fn whole<T: DeserializeOwned + Serialize>(json: &[u8]) -> Result<T, String> {
    let plain = |error: serde_json::Error| json_problem(&error.to_string());
    let text = str::from_utf8(json).map_err(|_| NOT_UTF8.to_owned())?;
    let content: T = serde_json::from_str(text).map_err(plain)?;
    let stands: Value = serde_json::from_str(text).map_err(plain)?;
    match serde_json::to_value(&content) {
        Ok(understood) if understood == stands => Ok(content),
        _ => Err("something in it has no meaning".to_owned()),
    }
}

/// Reads [`whole`] JSON that is written as the ledger writes it: indented by two blanks, no key repeated, nothing
/// around it. The order of members has no meaning.
fn exact<T: DeserializeOwned + Serialize>(json: &[u8]) -> Result<T, String> {
    let content = whole(json)?;
    let stands: Option<Value> = serde_json::from_slice(json).ok();
    let written = stands.and_then(|stands| serde_json::to_vec_pretty(&stands).ok());
    if written.as_deref() == Some(json) {
        Ok(content)
    } else {
        Err("white space, escapes or repeated keys are not as the ledger writes them".to_owned())
    }
}

fn exact_key(pem: &[u8]) -> Result<PublicKey, String> {
    let text = str::from_utf8(pem).map_err(|_| NOT_UTF8.to_owned())?;
    let key = PublicKey::from_pem(text).map_err(|error| error.to_string())?;
    if key.pem() == text {
        Ok(key)
    } else {
        Err("the PEM text is not as the ledger writes it".to_owned())
    }
}

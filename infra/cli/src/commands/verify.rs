//! `countersign verify`: whether a ledger's export is what was signed. Works offline, on a folder.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use countersign_approval::chain::{Checkpoint, Ledger, PublicKey, Report, Sealed, verify};
use serde::de::DeserializeOwned;

use super::pretty;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::{Aws, Place};

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The exported ledger: a folder with `entries/` and `checkpoints/`. Without it, that of the local stack.
    #[arg(value_name = "DIR")]
    ledger: Option<PathBuf>,
    /// The public key, PEM. Take it from somebody else than the ledger; without it the export's own key is used.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// A signed checkpoint you have kept, JSON. May be repeated.
    #[arg(long, value_name = "FILE")]
    checkpoint: Vec<PathBuf>,
    /// A head you have kept, such as from a mail: `SEQUENCE:HASH`. May be repeated.
    #[arg(long, value_name = "SEQUENCE:HASH")]
    anchor: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let folder = match &self.ledger {
            Some(folder) => folder.clone(),
            None => fetched(place).await?,
        };
        let anchors: Vec<Anchor> =
            self.anchor.iter().map(|text| Anchor::parse(text)).collect::<Result<_, _>>()?;
        let (report, contradicted) = self.verified(&folder, &anchors)?;
        self.tell(&report, &contradicted, console);
        let wrong = report.findings.len() + contradicted.len();
        if wrong == 0 {
            Ok(())
        } else {
            let findings = if wrong == 1 { "finding" } else { "findings" };
            Err(CliError::Found(format!("the ledger is not intact: {wrong} {findings}")))
        }
    }

    fn verified(
        &self,
        folder: &Path,
        anchors: &[Anchor],
    ) -> Result<(Report, Vec<String>), CliError> {
        let (ledger, mut wrong) = read_ledger(folder)?;
        let key = self.public_key(folder)?;
        let kept: Vec<Checkpoint> =
            self.checkpoint.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
        let report = verify(&ledger, &kept, &key);
        wrong.extend(anchors.iter().filter_map(|anchor| anchor.contradicts(&ledger)));
        Ok((report, wrong))
    }

    fn public_key(&self, folder: &Path) -> Result<PublicKey, CliError> {
        let file = match &self.key {
            Some(file) => file.clone(),
            None => only_key(&folder.join("keys"))?,
        };
        let pem = fs::read_to_string(&file)
            .map_err(|source| CliError::io(format!("reading `{}`", file.display()), source))?;
        PublicKey::from_pem(&pem).map_err(|error| {
            CliError::Found(format!(
                "`{}` holds no public key of a ledger: {error}",
                file.display()
            ))
        })
    }

    fn tell(&self, report: &Report, contradicted: &[String], console: &Console) {
        if self.json {
            let mut said = serde_json::to_value(report).unwrap_or_default();
            said["contradicted_anchors"] = serde_json::json!(contradicted);
            console.line(pretty(&said));
            return;
        }
        let at = report.sealed_at.map(|at| format!(", signed at {at}")).unwrap_or_default();
        console.line(format!("entries         {}", report.entries));
        console.line(format!("sealed through  {}{at}", report.sealed_through));
        console.line(format!("not yet sealed  {}", report.unsealed));
        for finding in &report.findings {
            console.line(format!("✗ {finding}"));
        }
        for anchor in contradicted {
            console.line(format!("✗ {anchor}"));
        }
        if report.is_intact() && contradicted.is_empty() {
            console.line("✓ intact");
        }
        if self.key.is_none() {
            console.note("the key came with the ledger: whoever could rewrite both could do so unseen; give one you trust with `--key`");
        }
    }
}

/// A head somebody has kept outside.
struct Anchor {
    sequence: u64,
    hash: String,
}

impl Anchor {
    /// Reads `12:3f0a…`; mails write the hash in groups, so blanks do not count.
    fn parse(text: &str) -> Result<Self, CliError> {
        let refused = || CliError::Argument(format!("`{text}` is not of the form SEQUENCE:HASH"));
        let (sequence, hash) = text.split_once(':').ok_or_else(refused)?;
        let hash: String = hash
            .chars()
            .filter(|letter| !letter.is_whitespace())
            .collect::<String>()
            .to_lowercase();
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sequence = sequence.trim().parse().map_err(|_| refused())?;
        if is_hash { Ok(Self { sequence, hash }) } else { Err(refused()) }
    }

    fn contradicts(&self, ledger: &Ledger) -> Option<String> {
        let entry = ledger.entries.iter().find(|sealed| sealed.entry.sequence == self.sequence);
        match entry {
            None => Some(format!("the ledger has no entry {}, which you have seen", self.sequence)),
            Some(sealed) if sealed.entry.hash.to_string() != self.hash => {
                Some(format!("entry {} is not the one you have seen", self.sequence))
            }
            Some(_) => None,
        }
    }
}

/// The ledger, and what of it cannot be read: a file that is none of an entry was altered like any other.
fn read_ledger(folder: &Path) -> Result<(Ledger, Vec<String>), CliError> {
    if !folder.is_dir() {
        return Err(CliError::Argument(format!("there is no folder `{}`", folder.display())));
    }
    let mut wrong = Vec::new();
    let entries: Vec<Sealed> = read_all(&folder.join("entries"), &mut wrong)?;
    let checkpoints: Vec<Checkpoint> = read_all(&folder.join("checkpoints"), &mut wrong)?;
    let Some(tenant) = checkpoints.last().map(|checkpoint| checkpoint.tenant.clone()) else {
        return Err(CliError::Found(format!(
            "`{}` holds no checkpoint: nothing there is sealed yet",
            folder.display()
        )));
    };
    Ok((Ledger { tenant, entries, waiting: Vec::new(), checkpoints }, wrong))
}

/// Every JSON file of a folder that can be read, in the order of their names.
fn read_all<T: DeserializeOwned>(
    folder: &Path,
    wrong: &mut Vec<String>,
) -> Result<Vec<T>, CliError> {
    let Ok(found) = fs::read_dir(folder) else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for entry in found {
        let path = entry
            .map_err(|source| CliError::io(format!("reading `{}`", folder.display()), source))?
            .path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    let mut all = Vec::with_capacity(files.len());
    for file in &files {
        match read(file) {
            Ok(read) => all.push(read),
            Err(CliError::Found(problem)) => wrong.push(problem),
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<T, CliError> {
    let bytes = fs::read(file)
        .map_err(|source| CliError::io(format!("reading `{}`", file.display()), source))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        CliError::Found(format!("`{}` is not what it should be: {error}", file.display()))
    })
}

fn only_key(folder: &Path) -> Result<PathBuf, CliError> {
    let keys: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    match keys.as_slice() {
        [key] => Ok(key.clone()),
        [] => Err(CliError::Argument(
            "there is no public key beside the ledger: give one with `--key`".to_owned(),
        )),
        _ => Err(CliError::Argument(
            "there are several public keys beside the ledger: choose one with `--key`".to_owned(),
        )),
    }
}

/// The export of the local stack, copied to its state folder.
async fn fetched(place: &Place) -> Result<PathBuf, CliError> {
    let (stack, state) = (place.running()?, place.state()?);
    let bucket = stack
        .output("BucketName")
        .ok_or_else(|| CliError::Found("the local stack has no bucket".to_owned()))?;
    let folder = state.join("ledger");
    let aws = Aws::of(&stack, &place.project()?);
    let target = folder.display().to_string();
    let output = aws
        .output(
            &["s3", "sync", "--delete", "--quiet", &format!("s3://{bucket}/ledger"), &target],
            &state,
        )
        .await?;
    if output.status.success() {
        Ok(folder)
    } else {
        Err(CliError::Found("the ledger could not be copied from the local stack".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Anchor, read_all};

    #[track_caller]
    fn check(text: &str, expect: Option<(u64, &str)>) {
        let read = Anchor::parse(text).ok();
        assert_eq!(read.as_ref().map(|anchor| (anchor.sequence, anchor.hash.as_str())), expect);
    }

    #[test]
    fn a_file_that_is_no_entry_is_told_and_the_others_are_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("1.json"), "{\"a\": 1}").unwrap();
        std::fs::write(folder.path().join("2.json"), "{\"a\": ").unwrap();
        std::fs::write(folder.path().join("3.json"), "{\"a\": 3}").unwrap();
        let mut wrong = Vec::new();
        let read: Vec<serde_json::Value> = read_all(folder.path(), &mut wrong).unwrap();
        assert_eq!((read.len(), wrong.len()), (2, 1));
        assert!(wrong[0].contains("2.json"), "{wrong:?}");
    }

    #[test]
    fn an_anchor_reads_as_mails_write_it() {
        let hash = "0123456789abcdef".repeat(4);
        check(&format!("12:{hash}"), Some((12, &hash)));
        check(&format!("12: {} {}", &hash[..32].to_uppercase(), &hash[32..]), Some((12, &hash)));
        check("12", None);
        check("12:abc", None);
        check(&format!("x:{hash}"), None);
    }
}

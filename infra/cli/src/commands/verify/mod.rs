//! `countersign verify`: up to which checkpoint a ledger's export is what was signed. Works offline, on a folder.

mod anchor;
mod answered;
mod folder;
mod verification;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use countersign_approval::chain::{Checkpoint, Finding, PublicKey, Reading, verify};

use self::anchor::Anchor;
use self::answered::answers;
use self::verification::{Key, Verification};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::{Aws, Place};

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The exported ledger: a folder with `entries/`, `checkpoints/` and `keys/`. Without it, that of the local stack.
    #[arg(value_name = "DIR")]
    ledger: Option<PathBuf>,
    /// The public key, PEM, from somebody else than the ledger. Without it the export's own key is used and proves little.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// A signed checkpoint you have kept outside, JSON: finds what was cut or computed anew before it. May be repeated.
    #[arg(long, value_name = "FILE")]
    checkpoint: Vec<PathBuf>,
    /// A head you have kept, such as from a mail: `SEQUENCE:HASH`; finds the same. May be repeated.
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
        let verdict = self.verdict(&folder)?;
        if self.json {
            console.line(super::pretty(&verdict.json()));
        } else {
            verdict.lines().iter().for_each(|line| console.line(line));
        }
        verdict.failure().map_or(Ok(()), |failure| Err(CliError::Found(failure)))
    }

    fn verdict(&self, folder: &Path) -> Result<Verification, CliError> {
        let anchors: Vec<Anchor> =
            self.anchor.iter().map(|text| Anchor::parse(text)).collect::<Result<_, _>>()?;
        let kept: Vec<Checkpoint> =
            self.checkpoint.iter().map(|file| kept(file)).collect::<Result<_, _>>()?;
        let reading = folder::export(folder)?.read(&kept);
        let (key, pinned) = self.public_key(folder, &reading)?;
        let ledger = reading.ledger.as_ref();
        let mut report = ledger.map(|ledger| verify(ledger, &kept, &key)).unwrap_or_default();
        report.findings.splice(0..0, reading.findings);
        let contradicted = anchors.iter().filter_map(|anchor| anchor.contradicts(ledger));
        Ok(Verification {
            key: Key { fingerprint: key.fingerprint().to_owned(), pinned },
            contradicted: contradicted.collect(),
            newest_given: self.newest_given(folder, &kept, &anchors),
            answers: ledger.map(|ledger| answers(ledger, &report)).unwrap_or_default(),
            report,
        })
    }

    /// The key, and whether it came from somewhere else than the export.
    fn public_key(&self, folder: &Path, reading: &Reading) -> Result<(PublicKey, bool), CliError> {
        let Some(file) = &self.key else { return Ok((only_key(reading)?, false)) };
        let pem = text(file)?;
        let key = PublicKey::from_pem(&pem).map_err(|error| {
            CliError::Found(format!("`{}` is not the key of a ledger: {error}", file.display()))
        })?;
        Ok((key, !is_within(folder, file)))
    }

    /// The highest sequence that the user vouches for; a checkpoint of the export itself vouches for nothing.
    fn newest_given(&self, folder: &Path, kept: &[Checkpoint], anchors: &[Anchor]) -> Option<u64> {
        let files = self.checkpoint.iter().zip(kept).filter(|(file, _)| !is_within(folder, file));
        let given = files.map(|(_, checkpoint)| checkpoint.sequence);
        given.chain(anchors.iter().map(|anchor| anchor.sequence)).max()
    }
}

fn only_key(reading: &Reading) -> Result<PublicKey, CliError> {
    match reading.keys.as_slice() {
        [key] => Ok(key.clone()),
        [] => Err(no_key(reading)),
        _ => Err(CliError::Argument(
            "there are several public keys beside the ledger: choose one with `--key`".to_owned(),
        )),
    }
}

/// A key that cannot be read is something that was found; that there is none, something to give.
fn no_key(reading: &Reading) -> CliError {
    let is_key = |finding: &&Finding| matches!(finding, Finding::Unreadable { file, .. } if file.starts_with("keys/"));
    match reading.findings.iter().find(is_key) {
        Some(finding) => CliError::Found(finding.to_string()),
        None if reading.ledger.is_none() && reading.findings.is_empty() => CliError::Found(
            "there is no entry, no checkpoint and no key: there is nothing to verify".to_owned(),
        ),
        None => CliError::Argument(
            "there is no public key beside the ledger: give one with `--key`".to_owned(),
        ),
    }
}

fn kept(file: &Path) -> Result<Checkpoint, CliError> {
    Checkpoint::from_json(text(file)?.as_bytes()).map_err(|error| {
        CliError::Found(format!("`{}` is not a checkpoint: {error}", file.display()))
    })
}

fn text(file: &Path) -> Result<String, CliError> {
    fs::read_to_string(file)
        .map_err(|source| CliError::io(format!("reading `{}`", file.display()), source))
}

fn is_within(folder: &Path, file: &Path) -> bool {
    match (folder.canonicalize(), file.canonicalize()) {
        (Ok(folder), Ok(file)) => file.starts_with(folder),
        _ => false,
    }
}

/// The export of the local stack, copied to its state folder.
async fn fetched(place: &Place) -> Result<PathBuf, CliError> {
    let (stack, state) = (place.running()?, place.state()?);
    let bucket = stack.output("LedgerBucketName").ok_or_else(|| {
        CliError::Found("the local stack has no bucket for the ledger".to_owned())
    })?;
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

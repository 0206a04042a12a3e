//! What a verification tells people and programs. It never says more than what was shown.

use countersign_approval::chain::Report;
use serde::Serialize;
use serde_json::{Value, json};

use super::answered::Answered;

/// The key that the checkpoints were verified with.
#[derive(Debug, Serialize)]
pub(super) struct Key {
    pub(super) fingerprint: String,
    /// Whether the user gave it, from outside the export.
    pub(super) pinned: bool,
}

/// Everything there is to tell.
#[derive(Debug)]
pub(super) struct Verification {
    pub(super) key: Key,
    pub(super) report: Report,
    /// What speaks against heads the user has kept.
    pub(super) contradicted: Vec<String>,
    /// What people said became of calls without an answer, as far as the ledger is sealed.
    pub(super) answers: Vec<Answered>,
    /// The highest sequence the user gave a checkpoint or a head of.
    pub(super) newest_given: Option<u64>,
}

impl Verification {
    fn intact_through(&self) -> Option<u64> {
        self.report.intact_through().filter(|_| self.contradicted.is_empty())
    }

    /// Why the command fails.
    pub(super) fn failure(&self) -> Option<String> {
        match self.report.findings.len() + self.contradicted.len() {
            0 if self.intact_through().is_some() => None,
            0 => Some("no checkpoint covers an entry: nothing there is sealed yet".to_owned()),
            1 => Some("the ledger is not intact: 1 finding".to_owned()),
            wrong => Some(format!("the ledger is not intact: {wrong} findings")),
        }
    }

    pub(super) fn json(&self) -> Value {
        let mut said = json!({ "key": self.key, "intact_through": self.intact_through() });
        let report = serde_json::to_value(&self.report).unwrap_or_default();
        for (name, value) in report.as_object().into_iter().flatten() {
            said[name] = value.clone();
        }
        said["contradicted_anchors"] = json!(self.contradicted);
        said["answers"] = json!(self.sealed_answers());
        said["newest_given"] = json!(self.newest_given);
        said
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let report = &self.report;
        let at = report.sealed_at.map(|at| format!(", signed at {at}")).unwrap_or_default();
        let mut lines = vec![
            self.of_the_key(),
            format!("entries         {}", report.entries),
            format!("sealed through  {}{at}", report.sealed_through),
            format!("not yet sealed  {}", report.unsealed),
        ];
        lines.extend(report.findings.iter().map(|finding| format!("✗ {finding}")));
        lines.extend(self.contradicted.iter().map(|anchor| format!("✗ {anchor}")));
        if let (Some(through), Some(at)) = (self.intact_through(), report.sealed_at) {
            lines.push(format!("✓ sealed and intact up to entry {through} (checkpoint of {at})"));
            lines.push(self.of_the_rest());
            lines.push(self.of_a_cut());
            lines.extend(self.sealed_answers().iter().map(|answered| format!("  {answered}")));
        }
        lines
    }

    /// None while anything is wrong with the ledger.
    fn sealed_answers(&self) -> &[Answered] {
        if self.intact_through().is_some() { &self.answers } else { &[] }
    }

    fn of_the_key(&self) -> String {
        let Key { fingerprint, pinned } = &self.key;
        if *pinned {
            return format!("key             {fingerprint}, as given with `--key`");
        }
        format!(
            "key             {fingerprint}, NOT PINNED: it came with the export, and whoever made the one may have made the other; only a key from elsewhere (`--key`) shows who signed"
        )
    }

    fn of_the_rest(&self) -> String {
        match self.report.unsealed {
            0 => "  no entry stands after it".to_owned(),
            1 => "  1 entry after it is not covered by a checkpoint".to_owned(),
            rest => format!("  {rest} entries after it are not covered by a checkpoint"),
        }
    }

    fn of_a_cut(&self) -> String {
        match self.newest_given {
            None => "  that the ledger was cut back to an earlier checkpoint cannot be found without one you have kept: give it with `--checkpoint` or `--anchor`".to_owned(),
            Some(given) => format!("  that entries after {given}, the newest you gave, were cut off cannot be found"),
        }
    }
}

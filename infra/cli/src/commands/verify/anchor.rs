//! Heads that somebody has kept outside.

use countersign_approval::chain::Ledger;

use crate::error::CliError;

/// A head somebody has kept outside.
pub(super) struct Anchor {
    pub(super) sequence: u64,
    hash: String,
}

impl Anchor {
    /// Reads `12:3f0a…`; mails write the hash in groups, so blanks do not count.
    pub(super) fn parse(text: &str) -> Result<Self, CliError> {
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

    /// What the ledger says against it; without a readable ledger, that it has no such entry.
    pub(super) fn contradicts(&self, ledger: Option<&Ledger>) -> Option<String> {
        let mut entries = ledger.into_iter().flat_map(|ledger| &ledger.entries);
        match entries.find(|sealed| sealed.entry.sequence == self.sequence) {
            None => Some(format!("the ledger has no entry {}, which you have seen", self.sequence)),
            Some(sealed) if sealed.entry.hash.to_string() != self.hash => {
                Some(format!("entry {} is not the one you have seen", self.sequence))
            }
            Some(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Anchor;

    #[track_caller]
    fn check(text: &str, expect: Option<(u64, &str)>) {
        let read = Anchor::parse(text).ok();
        assert_eq!(read.as_ref().map(|anchor| (anchor.sequence, anchor.hash.as_str())), expect);
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

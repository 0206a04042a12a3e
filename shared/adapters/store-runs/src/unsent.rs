//! What a run goes on to send once people have said what became of a call: the rest of what was signed with it.

use std::collections::BTreeSet;

use countersign_approval::{Covered, Request};

use crate::{Intent, Result, RunStore};

impl RunStore {
    /// How many of the calls that this request allows have not been begun, and may be made without asking again.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub async fn unsent_of(&self, allowing: &Request) -> Result<u64> {
        let run = &allowing.position.run;
        let steps: Vec<&str> =
            allowing.covers.iter().map(|covered| covered.step.as_str()).collect();
        let ended = self.outcomes(run, &steps, &[], None).await?;
        let mut left = 0;
        for covered in allowing.covers.iter().filter(|covered| !ended.contains_key(&covered.step)) {
            let intent = self.intent(run, &covered.step).await?;
            let begun = match &intent {
                Some(intent) if intent.sending.items > 0 => self.items(run, &covered.step).await?,
                _ => Vec::new(),
            };
            let begun = begun.into_iter().map(|call| call.n).collect();
            left += unsent(covered, intent.as_ref(), &begun);
        }
        Ok(left)
    }
}

/// Of one step. A mark of a step with one call is that call's.
fn unsent(covered: &Covered, intent: Option<&Intent>, begun: &BTreeSet<u32>) -> u64 {
    let is_left = |n: &u32| !begun.contains(n) && !covered.struck.contains(n);
    let count = u32::try_from(covered.count).unwrap_or(u32::MAX);
    let left = match intent {
        None => return covered.left(),
        Some(intent) if intent.sending.items == 0 => 0,
        Some(intent) if intent.signed.is_empty() => (0..count).filter(is_left).count(),
        // The rest of the list was signed again, and is numbered as the list is.
        Some(intent) => intent.signed.iter().filter(|n| !begun.contains(n)).count(),
    };
    left as u64
}

#[cfg(test)]
mod tests {
    use countersign_approval::Digest;
    use countersign_run::Sending;
    use jiff::Timestamp;

    use super::*;

    fn intent(items: u32, signed: &[u32]) -> Intent {
        let sending = Sending {
            call: 1,
            receipt: "rcpt_1".to_owned(),
            approval: None,
            target: String::new(),
            key: String::new(),
            items,
        };
        Intent {
            step: "pay".to_owned(),
            input_hash: String::new(),
            sending,
            leaf: None,
            struck: Vec::new(),
            signed: signed.to_vec(),
            lease_until: Timestamp::UNIX_EPOCH,
            stops: true,
            attempt: 1,
            at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn k_49_the_rest_of_what_was_signed_is_counted() {
        let covered = Covered {
            step: "pay".to_owned(),
            action: "call_connector".to_owned(),
            count: 5,
            root: Digest::from_bytes([0; 32]),
            struck: vec![4],
        };
        let check = |intent: Option<&Intent>, begun: &[u32], expect: u64| {
            let begun = begun.iter().copied().collect();
            assert_eq!(unsent(&covered, intent, &begun), expect, "{begun:?}");
        };
        check(None, &[], 4);
        check(Some(&intent(0, &[])), &[], 0);
        check(Some(&intent(4, &[])), &[0, 1], 2);
        check(Some(&intent(4, &[2, 3])), &[0, 1, 2], 1);
    }
}

//! How much of a run one entry holds: an item of the table has 400 KB for everything. What is left out is in the run.

use countersign_approval::ApprovalRecord;

use crate::entry::Output;

/// The longest part of a note that a summary quotes, in characters; the entry holds the whole note.
pub(crate) const MAX_NOTE: usize = 200;

/// The most bytes of notes an entry holds whole; else each is cut, with a mark. A record may have a note twice, with its decision
/// and as the one that decided: together they fit among the requests.
const MAX_NOTES: usize = 60_000;

/// The most bytes of requests an entry holds; of more, the latest.
const MAX_REQUESTS: usize = 160_000;

/// The most outputs an entry names.
const MAX_OUTPUTS: usize = 200;

/// The most requests, problems and outputs that a summary has one by one.
const MAX_TOLD: usize = 30;

/// The records of the requests, in their order.
pub(crate) fn approvals(records: &[ApprovalRecord]) -> Vec<ApprovalRecord> {
    let notes = records.iter().flat_map(|record| &record.decisions);
    let bytes: usize = notes.filter_map(|decision| decision.note.as_ref()).map(String::len).sum();
    let is_cut = bytes > MAX_NOTES;
    let mut room = MAX_REQUESTS;
    let held = |record: &ApprovalRecord| {
        let record = record.clone();
        let record = if is_cut { record.with_notes_cut(MAX_NOTE) } else { record };
        let bytes = serde_json::to_vec(&record).map_or(usize::MAX, |json| json.len());
        room = room.checked_sub(bytes)?;
        Some(record)
    };
    let mut latest: Vec<ApprovalRecord> = records.iter().rev().map_while(held).collect();
    latest.reverse();
    latest
}

/// What was produced, the first of it.
pub(crate) fn outputs(all: &[Output]) -> Vec<Output> {
    all.iter().take(MAX_OUTPUTS).cloned().collect()
}

/// The first of some texts, and how many more there are.
pub(crate) fn first(mut texts: Vec<String>) -> Vec<String> {
    let more = texts.len().saturating_sub(MAX_TOLD);
    texts.truncate(MAX_TOLD);
    texts.extend((more > 0).then(|| format!("and {more} more")));
    texts
}

/// How many requests there were before the latest, and these as `told`.
pub(crate) fn latest(
    records: &[ApprovalRecord],
    told: impl Fn(&ApprovalRecord) -> String,
) -> Vec<String> {
    let before = records.len().saturating_sub(MAX_TOLD);
    let earlier = (before > 0).then(|| format!("{before} earlier requests"));
    earlier.into_iter().chain(records[before..].iter().map(told)).collect()
}

#[cfg(test)]
mod tests {
    use countersign_approval::ApprovalId;
    use serde_json::json;

    use super::*;

    fn requests(count: usize, characters: usize) -> Vec<ApprovalRecord> {
        let note = "𝕏".repeat(characters);
        let at = "2026-01-01T00:01:00Z";
        let decided = json!({ "by": "maria", "verdict": "deny", "at": at, "note": note });
        let record = |n: usize| {
            let record = json!({
                "step": format!("gate_{n}"), "approval": ApprovalId::from_bytes([1; 16]), "status": "denied", "by": "maria",
                "at": at, "note": note, "given": 0, "needed": 1, "waits_for": [], "decisions": [decided], "on_reject": "stop",
            });
            serde_json::from_value(record).unwrap()
        };
        (0..count).map(record).collect()
    }

    fn check(count: usize, characters: usize, expect: usize) {
        let held = approvals(&requests(count, characters));
        assert_eq!(held.len(), expect, "{count} of {characters}");
        assert!(serde_json::to_vec(&held).unwrap().len() <= MAX_REQUESTS + held.len() + 1);
        assert_eq!(held.last().map(|one| one.step.clone()), Some(format!("gate_{}", count - 1)));
    }

    #[test]
    fn a_164_an_entry_holds_the_latest_requests_that_fit() {
        check(10, 200, 10);
        check(10, 2_000, 10);
        let many = approvals(&requests(2_000, 2_000));
        assert!((50..200).contains(&many.len()), "{}", many.len());
        check(2_000, 2_000, many.len());
        assert!(many[0].note.as_ref().is_some_and(|note| note.chars().count() == MAX_NOTE + 1));
    }

    #[test]
    fn f_221_a_summary_counts_what_it_does_not_tell() {
        let texts = |n: usize| (0..n).map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(first(texts(MAX_TOLD)), texts(MAX_TOLD));
        assert_eq!(first(texts(MAX_TOLD + 2)).last().unwrap(), "and 2 more");
        let told = latest(&requests(MAX_TOLD + 3, 1), |record| record.step.clone());
        assert_eq!((told.len(), told[0].as_str()), (MAX_TOLD + 1, "3 earlier requests"));
        assert_eq!(told[1], "gate_3");
        assert_eq!(latest(&[], |record| record.step.clone()), Vec::<String>::new());
    }

    #[test]
    fn f_404_an_entry_names_the_first_outputs() {
        let one = Output {
            output_type: "document".to_owned(),
            path: Some("a.md".to_owned()),
            table: None,
            rows: None,
        };
        assert_eq!(outputs(&vec![one; 3_000]).len(), MAX_OUTPUTS);
    }
}

//! The export, file by file and byte by byte.

use std::sync::LazyLock;

use p256::ecdsa::SigningKey;
use proptest::prelude::*;
use serde::Serialize;
use serde_json::json;

use super::chain::{checkpoint, ledger, public, secret};
use crate::chain::{Export, File, Finding, Ledger, Report, verify};

fn file(name: String, content: &impl Serialize) -> File {
    File { name, bytes: serde_json::to_vec_pretty(content).unwrap() }
}

fn numbered(sequence: u64) -> String {
    format!("{sequence:012}.json")
}

/// As the sealer exports it.
fn exported(ledger: &Ledger, key: &SigningKey) -> Export {
    let key = public(key);
    let name = format!("{}.pem", key.fingerprint());
    Export {
        entries: ledger.entries.iter().map(|e| file(numbered(e.entry.sequence), e)).collect(),
        checkpoints: ledger.checkpoints.iter().map(|c| file(numbered(c.sequence), c)).collect(),
        keys: vec![File { name, bytes: key.pem().into() }],
    }
}

/// Five entries with checkpoints at 3 and `last`.
fn export(last: usize) -> Export {
    let mut ledger = ledger(5, 3);
    ledger.checkpoints.push(checkpoint(&ledger.entries, last, &secret()));
    exported(&ledger, &secret())
}

/// As `verify` does without a key of the user's; none when no key can be read.
fn report(export: &Export, pinned: bool) -> Option<Report> {
    let reading = export.read(&[]);
    let key = if pinned { public(&secret()) } else { reading.keys.first()?.clone() };
    let mut report = reading.ledger.map(|ledger| verify(&ledger, &[], &key)).unwrap_or_default();
    report.findings.extend(reading.findings);
    Some(report)
}

fn findings(export: &Export) -> Vec<String> {
    report(export, true).unwrap().findings.iter().map(Finding::to_string).collect()
}

#[test]
fn what_the_sealer_writes_is_read() {
    let whole = report(&export(5), false).unwrap();
    assert_eq!(whole.intact_through(), Some(5), "{:?}", whole.findings);
    let open = report(&export(4), false).unwrap();
    assert_eq!((open.intact_through(), open.unsealed), (Some(4), 1));
}

#[test]
fn a_member_that_is_not_hashed_is_refused() {
    let check = |pick: fn(&mut Export) -> &mut File, pointer: &str| {
        let mut export = export(5);
        let file = pick(&mut export);
        let mut content: serde_json::Value = serde_json::from_slice(&file.bytes).unwrap();
        content.pointer_mut(pointer).unwrap()["remark"] = json!("approved by the board");
        file.bytes = serde_json::to_vec_pretty(&content).unwrap();
        let found = findings(&export);
        let told = |line: &String| line.contains("remark");
        assert!(found.iter().any(told), "{pointer}: {found:?}");
    };
    for pointer in ["", "/entry", "/receipt", "/receipt/actor"] {
        check(|export| &mut export.entries[1], pointer);
    }
    check(|export| &mut export.checkpoints[0], "");
}

#[test]
fn a_text_that_says_more_than_is_hashed_is_refused() {
    let check = |from: &str, to: &str| {
        let mut export = export(5);
        let text = String::from_utf8(export.entries[1].bytes.clone()).unwrap();
        assert!(text.contains(from), "{text}");
        export.entries[1].bytes = text.replacen(from, to, 1).into_bytes();
        let found = findings(&export);
        assert!(found.iter().any(|line| line.contains("000000000002.json")), "{to}: {found:?}");
    };
    check("\"verdict\": \"approve\"", "\"verdict\": \"deny\",\n    \"verdict\": \"approve\"");
    check("\"verdict\": \"approve\"", "\"verdict\": \"\\u0061pprove\"");
    check("\"verdict\": \"approve\"", "\"verdict\":  \"approve\"");
    check("\"verdict\": \"approve\"", "\"verdict\": \"approve\",\n    \"note\": null");
    check("\"type\": \"person\"", "\"type\": \"clock\",\n      \"type\": \"person\"");
    check("Z\"", "+00:00\"");
    check("{", " {");
}

#[test]
fn a_file_has_the_name_its_content_says() {
    let mut foreign = export(5);
    foreign.entries[0].name = numbered(7);
    foreign.keys[0].name = "0123456789abcdef.pem".to_owned();
    let found = findings(&foreign);
    assert!(found.iter().any(|line| line.contains("should be called `000000000001.json`")));
    assert!(found.iter().any(|line| line.starts_with("`keys/0123456789abcdef.pem` should")));
    let mut more = export(5);
    more.entries.push(File { name: "readme.txt".to_owned(), bytes: b"all is well".to_vec() });
    assert_eq!(findings(&more).len(), 1);
}

#[test]
fn an_export_cannot_paint_a_verdict() {
    let mut export = export(5);
    let text = "{\"\u{1b}[2K\u{9b}1A\u{2713} sealed\": 1}";
    export.entries[0].bytes = text.as_bytes().to_vec();
    export.entries[1].name = "\u{1b}[8m.json".to_owned();
    let found = findings(&export).join("");
    assert!(!found.contains(['\u{1b}', '\u{9b}', '\u{2713}']), "{found}");
}

#[test]
fn without_a_readable_file_there_is_no_ledger() {
    assert!(Export::default().read(&[]).ledger.is_none());
    let kept = ledger(5, 5).checkpoints;
    let lost = Export::default().read(&kept).ledger.unwrap();
    let report = verify(&lost, &kept, &public(&secret()));
    assert_eq!(report.findings, [Finding::Truncated { length: 0, was: 5 }]);
}

/// So many bytes are flipped; `docs/assurance.md` says so.
const HELD: usize = 1_553;

#[test]
fn every_flipped_byte_of_an_entry_and_a_checkpoint_is_found() {
    let check = |pick: fn(&mut Export) -> &mut File| {
        let mut export = export(5);
        let length = pick(&mut export).bytes.len();
        for place in 0..length {
            pick(&mut export).bytes[place] ^= 1;
            let through = report(&export, true).and_then(|report| report.intact_through());
            assert_eq!(through, None, "byte {place} of {}", pick(&mut export).name);
            pick(&mut export).bytes[place] ^= 1;
        }
        length
    };
    let entry = check(|export| &mut export.entries[1]);
    let flipped = entry + check(|export| &mut export.checkpoints[0]);
    assert_eq!(flipped, HELD);
}

/// With a tail that no checkpoint covers, and without.
static EXPORTS: LazyLock<[Export; 2]> = LazyLock::new(|| [export(4), export(5)]);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn a_flipped_byte_never_stands_under_a_check_mark(
        which in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        mask in 1u8..,
        mut export in (0usize..2).prop_map(|which| EXPORTS[which].clone()),
        pinned in any::<bool>(),
    ) {
        let mut files: Vec<&mut File> = export
            .entries
            .iter_mut()
            .chain(&mut export.checkpoints)
            .chain(&mut export.keys)
            .collect();
        let file = &mut files[which.index(8)];
        let place = place.index(file.bytes.len());
        file.bytes[place] ^= mask;
        let through = report(&export, pinned).and_then(|report| report.intact_through());
        prop_assert_eq!(through, None);
    }
}

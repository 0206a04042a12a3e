//! `countersign verify` and the Python program of `docs/ledger.md` before honest and forged exports: one verdict.
#![expect(clippy::unwrap_used, reason = "constants of the tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use countersign_approval::chain::{Checkpoint, Head, PublicKey, Sealed};
use countersign_approval::{CallChoice, Choice, Receipt, ReceiptId};
use jiff::Timestamp;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::EncodePublicKey as _;
use serde::Serialize;
use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The key of the deployment, and that of somebody else.
const OURS: u8 = 7;
const FOREIGN: u8 = 8;

/// Six receipts, made of the sealer's sample event.
fn receipts() -> Vec<Receipt> {
    let text = fs::read_to_string(Path::new(ROOT).join("events/on-receipt/batch.json")).unwrap();
    let event: Value = serde_json::from_str(&text).unwrap();
    let body = |n: usize| event["Records"][n % 3]["body"].as_str().unwrap().to_owned();
    let receipt = |n: u8| Receipt {
        id: ReceiptId::from_bytes([n; 16]),
        ..serde_json::from_str(&body(usize::from(n))).unwrap()
    };
    (1..=6).map(receipt).collect()
}

fn secret(key: u8) -> SigningKey {
    SigningKey::from_slice(&[key; 32]).unwrap()
}

fn public(key: u8) -> PublicKey {
    let der = secret(key).verifying_key().to_public_key_der().unwrap();
    PublicKey::from_der(der.as_bytes()).unwrap()
}

fn seal(receipts: &[Receipt]) -> Vec<Sealed> {
    let mut head = Head::genesis(&receipts[0].tenant);
    let sealed = |receipt: &Receipt| {
        let entry = head.append(receipt).unwrap();
        head = Head::from(&entry);
        Sealed { entry, receipt: receipt.clone() }
    };
    receipts.iter().map(sealed).collect()
}

fn checkpoint(entries: &[Sealed], length: usize, key: u8) -> Checkpoint {
    let last = &entries[length - 1];
    let (tenant, head) = (last.receipt.tenant.clone(), Head::from(&last.entry));
    let at: Timestamp = format!("2026-11-21T12:0{length}:00Z").parse().unwrap();
    let signature: Signature = secret(key).sign(&Checkpoint::message(&tenant, &head, at));
    Checkpoint::signed(tenant, &head, at, signature.to_der().as_bytes())
}

/// An export on the disk.
struct Folder(tempfile::TempDir);

impl Folder {
    /// As the sealer writes it.
    fn of(entries: &[Sealed], checkpoints: &[usize], key: u8) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for sealed in entries {
            folder.write(&entry_file(sealed.entry.sequence), sealed);
        }
        for &length in checkpoints {
            let checkpoint = checkpoint(entries, length, key);
            folder.write(&checkpoint_file(checkpoint.sequence), &checkpoint);
        }
        let key = public(key);
        folder.put(&format!("keys/{}.pem", key.fingerprint()), key.pem().as_bytes());
        folder
    }

    /// Six entries with checkpoints at 2 and 4.
    fn honest() -> Self {
        Self::of(&seal(&receipts()), &[2, 4], OURS)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join("ledger").join(file)
    }

    fn put(&self, file: &str, bytes: &[u8]) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), bytes).unwrap();
    }

    fn write(&self, file: &str, content: &impl Serialize) {
        self.put(file, &serde_json::to_vec_pretty(content).unwrap());
    }

    fn edit(&self, file: &str, change: impl Fn(&mut Value)) {
        let mut content = serde_json::from_slice(&fs::read(self.path(file)).unwrap()).unwrap();
        change(&mut content);
        self.write(file, &content);
    }

    fn remove(&self, file: &str) {
        fs::remove_file(self.path(file)).unwrap();
    }

    /// A file beside the export, with what somebody has kept: our key, and our checkpoint at 4.
    fn kept(&self, file: &str, bytes: &[u8]) -> String {
        let path = self.0.path().join(file);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    fn our_key(&self) -> [String; 2] {
        ["--key".to_owned(), self.kept("key.pem", public(OURS).pem().as_bytes())]
    }

    fn our_checkpoint(&self) -> [String; 2] {
        let kept = checkpoint(&seal(&receipts()), 4, OURS);
        let compact = serde_json::to_vec(&kept).unwrap();
        ["--checkpoint".to_owned(), self.kept("checkpoint.json", &compact)]
    }

    fn verify(&self, options: &[String]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
        command.arg("verify").arg(self.path("")).args(options).output().unwrap()
    }

    /// The program of the document, as it stands there.
    fn python(&self, options: &[String]) -> Output {
        let document = fs::read_to_string(Path::new(ROOT).join("docs/ledger.md")).unwrap();
        let program = document.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
        let program = self.kept("verify.py", program.as_bytes());
        let mut command = Command::new("python3");
        command.arg(program).arg(self.path("")).args(options).output().unwrap()
    }

    /// Both verdicts: up to which entry, if at all. The lines that `verify` prints.
    #[track_caller]
    fn check(&self, options: &[String], through: Option<u64>) -> String {
        let (ours, theirs) = (self.verify(options), self.python(options));
        for (who, said) in [("verify", &ours), ("python", &theirs)] {
            let text = text(said);
            assert_eq!(said.status.success(), through.is_some(), "{who}: {text}");
            let sealed = through.map(|at| {
                format!(
                    "sealed and intact up to entry {at} (checkpoint of 2026-11-21T12:0{at}:00Z)"
                )
            });
            assert_eq!(sealed.is_some(), text.contains("sealed and intact"), "{who}: {text}");
            assert!(text.contains(&sealed.unwrap_or_default()), "{who}: {text}");
        }
        assert_eq!(through.is_some(), text(&ours).contains('✓'));
        text(&ours)
    }
}

fn entry_file(sequence: u64) -> String {
    format!("entries/{sequence:012}.json")
}

fn checkpoint_file(sequence: u64) -> String {
    format!("checkpoints/{sequence:012}.json")
}

fn text(output: &Output) -> String {
    let mut both = String::from_utf8(output.stdout.clone()).unwrap();
    both.push_str(&String::from_utf8_lossy(&output.stderr));
    both
}

#[track_caller]
fn says(said: &str, part: &str) {
    assert!(said.contains(part), "`{part}` is not in: {said}");
}

#[test]
fn an_honest_ledger_is_intact_up_to_its_checkpoint_and_the_rest_is_counted() {
    let folder = Folder::honest();
    let said = folder.check(&folder.our_key(), Some(4));
    says(said.lines().next().unwrap(), "as given with `--key`");
    says(&said, "2 entries after it are not covered by a checkpoint");
    says(&said, "cut back to an earlier checkpoint cannot be found without one you have kept");
    let said = folder.check(&[folder.our_key(), folder.our_checkpoint()].concat(), Some(4));
    says(&said, "that entries after 4, the newest you gave, were cut off cannot be found");
}

#[test]
fn a_member_added_to_an_entry_a_receipt_or_a_checkpoint_is_found() {
    for (file, pointer) in [
        (entry_file(3), ""),
        (entry_file(3), "/entry"),
        (entry_file(3), "/receipt"),
        (entry_file(3), "/receipt/actor"),
        (checkpoint_file(2), ""),
    ] {
        let folder = Folder::honest();
        folder.edit(&file, |content| {
            content.pointer_mut(pointer).unwrap()["remark"] = json!("the board agreed");
        });
        says(&folder.check(&folder.our_key(), None), "remark");
    }
}

#[test]
fn a_key_that_stands_twice_is_found() {
    let folder = Folder::honest();
    let text = fs::read_to_string(folder.path(&entry_file(3))).unwrap();
    let twice = text.replacen("\"version\": 1", "\"version\": 2,\n    \"version\": 1", 1);
    assert_ne!(text, twice);
    folder.put(&entry_file(3), twice.as_bytes());
    says(&folder.check(&folder.our_key(), None), "`version` is given twice");
}

#[test]
fn a_flipped_byte_is_found() {
    let key = format!("keys/{}.pem", public(OURS).fingerprint());
    for (file, place) in
        [(entry_file(2), 40), (entry_file(6), 500), (checkpoint_file(4), 3), (key, 60)]
    {
        let folder = Folder::honest();
        let mut bytes = fs::read(folder.path(&file)).unwrap();
        bytes[place] ^= 1;
        folder.put(&file, &bytes);
        folder.check(&folder.our_key(), None);
        folder.check(&[], None);
    }
}

#[test]
fn a_tail_computed_anew_without_its_checkpoint_is_not_called_intact() {
    let mut forged = receipts();
    forged[3].version = 9;
    let folder = Folder::of(&seal(&forged), &[2], OURS);
    let said = folder.check(&folder.our_key(), Some(2));
    says(&said, "4 entries after it are not covered by a checkpoint");
    says(&said, "cannot be found without one you have kept");
    let options = [folder.our_key(), folder.our_checkpoint()].concat();
    says(&folder.check(&options, None), "it contradicts the checkpoint at 4");
    let seen = seal(&receipts())[3].entry.hash.to_string();
    let anchor = ["--anchor".to_owned(), format!("4:{seen}")];
    let said = folder.check(&[folder.our_key(), anchor].concat(), None);
    says(&said, "entry 4 is not the one you have seen");
}

#[test]
fn a_cut_tail_with_its_checkpoint_is_found_with_a_checkpoint_kept_outside() {
    let folder = Folder::of(&seal(&receipts()[..3]), &[2], OURS);
    let said = folder.check(&folder.our_key(), Some(2));
    says(&said, "1 entry after it is not covered by a checkpoint");
    says(&said, "cut back to an earlier checkpoint cannot be found without one you have kept");
    let options = [folder.our_key(), folder.our_checkpoint()].concat();
    says(&folder.check(&options, None), "the ledger was cut to 3 of 4 entries");
}

#[test]
fn a_ledger_without_a_checkpoint_is_not_called_intact() {
    let folder = Folder::of(&seal(&receipts()), &[], OURS);
    says(&folder.check(&folder.our_key(), None), "no checkpoint covers an entry");
}

#[test]
fn a_foreign_key_is_said_first_and_found_with_ours() {
    let mut forged = receipts();
    forged[0].version = 9;
    let folder = Folder::of(&seal(&forged), &[2, 4], FOREIGN);
    let said = folder.check(&[], Some(4));
    says(said.lines().next().unwrap(), "NOT PINNED: it came with the export");
    says(&folder.check(&folder.our_key(), None), "the checkpoint at 4 is not genuine");
    says(&folder.check(&folder.our_checkpoint(), None), "the checkpoint at 4 is not genuine");
}

#[test]
fn a_key_out_of_the_export_stays_unpinned_when_it_is_named() {
    let folder = Folder::honest();
    let file = folder.path(&format!("keys/{}.pem", public(OURS).fingerprint()));
    let own = folder.path(&checkpoint_file(4));
    let named = ["--key", &file.display().to_string(), "--checkpoint", &own.display().to_string()];
    let said = text(&folder.verify(&named.map(str::to_owned)));
    says(said.lines().next().unwrap(), "NOT PINNED");
    says(&said, "cannot be found without one you have kept");
}

#[test]
fn a_key_under_the_name_of_another_is_found() {
    let folder = Folder::honest();
    let (ours, foreign) = (public(OURS), public(FOREIGN));
    folder.put(&format!("keys/{}.pem", ours.fingerprint()), foreign.pem().as_bytes());
    let said = folder.check(&folder.our_key(), None);
    says(&said, &format!("should be called `{}.pem`", foreign.fingerprint()));
}

#[test]
fn entries_and_checkpoints_are_looked_for_under_their_names() {
    let folder = Folder::honest();
    let moved = fs::read(folder.path(&checkpoint_file(4))).unwrap();
    folder.remove(&checkpoint_file(4));
    folder.put(&checkpoint_file(5), &moved);
    says(&folder.check(&folder.our_key(), None), "should be called `000000000004.json`");
    let folder = Folder::honest();
    folder.remove(&entry_file(3));
    says(&folder.check(&folder.our_key(), None), "entry 3 is missing");
}

#[test]
fn json_and_exit_codes_say_the_same() {
    let folder = Folder::honest();
    let json = |options: &[String]| {
        let output = folder.verify(&[options, &["--json".to_owned()]].concat());
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), said)
    };
    let (code, said) = json(&folder.our_key());
    assert_eq!(code, Some(0));
    let expect = json!({
        "key": { "fingerprint": public(OURS).fingerprint(), "pinned": true },
        "intact_through": 4,
        "entries": 6,
        "sealed_through": 4,
        "sealed_at": "2026-11-21T12:04:00Z",
        "unsealed": 2,
        "findings": [],
        "contradicted_anchors": [],
        "answers": [],
        "newest_given": null,
    });
    assert_eq!(said, expect);
    folder.edit(&entry_file(1), |content| content["receipt"]["version"] = json!(2));
    let (code, said) = json(&folder.our_checkpoint());
    assert_eq!(
        (code, &said["intact_through"], &said["newest_given"]),
        (Some(1), &Value::Null, &json!(4))
    );
    assert_eq!(said["findings"], json!([{ "finding": "altered", "sequence": 1 }]));
    assert_eq!(said["key"]["pinned"], json!(false));
    fs::remove_dir_all(folder.path("keys")).unwrap();
    assert_eq!(folder.verify(&[]).status.code(), Some(2));
}

#[test]
fn k_49_answers_about_unknown_outcomes_are_sealed_and_shown() {
    let mut receipts = receipts();
    receipts[1].choices = Some(vec![CallChoice { n: 0, choice: Choice::Done }]);
    receipts[1].answers = Some(receipts[1].subject);
    let folder = Folder::of(&seal(&receipts), &[2, 4], OURS);
    let shown = String::from_utf8(folder.verify(&folder.our_key()).stdout).unwrap();
    let line = format!("answered {}: done", receipts[1].approval);
    assert!(shown.contains("entry 2: at ") && shown.contains(&line), "{shown}");
    assert!(folder.python(&folder.our_key()).status.success());
    folder.edit(&entry_file(2), |entry| entry["receipt"]["choices"][0]["choice"] = "again".into());
    let shown = String::from_utf8(folder.verify(&folder.our_key()).stdout).unwrap();
    assert!(!shown.contains("answered") && shown.contains('✗'), "{shown}");
}

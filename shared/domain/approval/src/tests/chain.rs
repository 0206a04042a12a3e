//! The ledger's chain against every way to tamper with it.

use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::EncodePublicKey as _;
use proptest::prelude::*;

use super::make::{after, opening, start, tenant, user};
use crate::chain::{Checkpoint, Finding, Head, Ledger, PublicKey, Sealed, verify};
use crate::{Position, Receipt, Request, RunId, Tenant, Verdict, decide};

pub(super) fn secret() -> SigningKey {
    SigningKey::from_slice(&[7; 32]).unwrap()
}

pub(super) fn public(secret: &SigningKey) -> PublicKey {
    let der = secret.verifying_key().to_public_key_der().unwrap();
    PublicKey::from_der(der.as_bytes()).unwrap()
}

pub(super) fn receipt(n: u64) -> Receipt {
    let mut opening = opening(2);
    opening.position = Position::of_step(&RunId::from_bytes([7; 16]), &format!("gate-{n}"));
    let request = Request::open(opening, start()).unwrap();
    let attempt = super::make::attempt(&request, Verdict::Approve);
    let seconds = 1 + i64::try_from(n).unwrap();
    match decide(&request, &[], &attempt, &super::make::caller(&user(1)), after(seconds)).unwrap() {
        crate::Decided::Recorded(recorded) => recorded.receipt,
        crate::Decided::Repeated(_) => panic!("repeated"),
    }
}

pub(super) fn seal(receipts: &[Receipt]) -> Vec<Sealed> {
    let mut head = Head::genesis(&tenant());
    let mut entries = Vec::new();
    for receipt in receipts {
        let entry = head.append(receipt).unwrap();
        head = Head::from(&entry);
        entries.push(Sealed { entry, receipt: receipt.clone() });
    }
    entries
}

pub(super) fn checkpoint(entries: &[Sealed], length: usize, secret: &SigningKey) -> Checkpoint {
    let head = match length {
        0 => Head::genesis(&tenant()),
        _ => Head::from(&entries[length - 1].entry),
    };
    let at = after(1000 + i64::try_from(length).unwrap());
    let signature: Signature = secret.sign(&Checkpoint::message(&tenant(), &head, at));
    Checkpoint::signed(tenant(), &head, at, signature.to_der().as_bytes())
}

/// A ledger of `length` entries with a checkpoint at `sealed`.
pub(super) fn ledger(length: u64, sealed: usize) -> Ledger {
    let receipts: Vec<Receipt> = (0..length).map(receipt).collect();
    let entries = seal(&receipts);
    let checkpoints = vec![checkpoint(&entries, sealed, &secret())];
    Ledger { tenant: tenant(), entries, waiting: vec![], checkpoints }
}

fn findings(ledger: &Ledger, anchors: &[Checkpoint]) -> Vec<Finding> {
    verify(ledger, anchors, &public(&secret())).findings
}

#[test]
fn an_intact_ledger_says_what_is_sealed_and_what_is_not() {
    let mut ledger = ledger(5, 3);
    ledger.waiting = vec![receipt(9)];
    let report = verify(&ledger, &[], &public(&secret()));
    assert_eq!(report.intact_through(), Some(3), "{:?}", report.findings);
    assert_eq!((report.entries, report.sealed_through, report.unsealed), (5, 3, 3));
    assert_eq!(report.sealed_at, Some(after(1003)));
}

#[test]
fn an_empty_ledger_proves_nothing() {
    let empty = Ledger { tenant: tenant(), entries: vec![], waiting: vec![], checkpoints: vec![] };
    let report = verify(&empty, &[], &public(&secret()));
    assert!(report.findings.is_empty());
    assert_eq!((report.intact_through(), report.sealed_at), (None, None));
}

#[test]
fn a_chain_without_a_checkpoint_is_not_called_intact() {
    let bare = Ledger { checkpoints: vec![], ..ledger(3, 3) };
    let report = verify(&bare, &[], &public(&secret()));
    assert_eq!((report.findings.len(), report.intact_through(), report.unsealed), (0, None, 3));
}

#[test]
fn a_tail_computed_anew_is_not_called_intact() {
    let honest = ledger(5, 5);
    let mut receipts: Vec<Receipt> = honest.entries.iter().map(|s| s.receipt.clone()).collect();
    receipts[4].verdict = Some(Verdict::Deny);
    let checkpoints = vec![checkpoint(&honest.entries, 3, &secret())];
    let forged = Ledger { entries: seal(&receipts), checkpoints, ..honest.clone() };
    let report = verify(&forged, &[], &public(&secret()));
    assert_eq!((report.intact_through(), report.unsealed), (Some(3), 2));
    assert_eq!(findings(&forged, &honest.checkpoints), [Finding::Recomputed { checkpoint: 5 }]);
}

#[test]
fn a_signature_written_otherwise_is_not_genuine() {
    let mut ledger = ledger(3, 3);
    ledger.checkpoints[0].signature = ledger.checkpoints[0].signature.to_uppercase();
    assert_eq!(findings(&ledger, &[]), [Finding::NotGenuine { checkpoint: 3 }]);
}

#[test]
fn what_was_changed_is_named() {
    let check = |change: fn(&mut Ledger), expect: Finding| {
        let mut ledger = ledger(5, 5);
        change(&mut ledger);
        let found = findings(&ledger, &[]);
        assert!(found.contains(&expect), "{expect:?} not in {found:?}");
    };
    check(|l| l.entries[2].receipt.verdict = Some(Verdict::Deny), Finding::Altered { sequence: 3 });
    check(|l| l.entries[2].receipt = receipt(9), Finding::Altered { sequence: 3 });
    check(|l| drop(l.entries.remove(1)), Finding::Removed { from: 2, to: 2 });
    check(|l| drop(l.entries.drain(1..3)), Finding::Removed { from: 2, to: 3 });
    check(|l| l.entries.insert(1, l.entries[0].clone()), Finding::Inserted { sequence: 1 });
    check(|l| l.entries.swap(1, 2), Finding::Reordered { sequence: 2 });
    check(|l| l.entries.truncate(3), Finding::Truncated { length: 3, was: 5 });
    check(|l| l.checkpoints[0].sequence = 4, Finding::NotGenuine { checkpoint: 4 });
    check(|l| l.tenant = Tenant::parse("other").unwrap(), Finding::Foreign { sequence: 1 });
}

#[test]
fn recomputing_everything_contradicts_the_checkpoint() {
    let honest = ledger(5, 5);
    let mut receipts: Vec<Receipt> = honest.entries.iter().map(|s| s.receipt.clone()).collect();
    receipts[0].verdict = Some(Verdict::Deny);
    let forged = Ledger { entries: seal(&receipts), ..honest };
    assert_eq!(findings(&forged, &[]), [Finding::Recomputed { checkpoint: 5 }]);
}

#[test]
fn a_checkpoint_kept_outside_finds_what_the_ledgers_own_no_longer_show() {
    let honest = ledger(5, 3);
    let kept = checkpoint(&honest.entries, 5, &secret());
    // The tail is cut and so are the checkpoints that spoke of it: consistent in itself.
    let mut cut = honest.clone();
    cut.entries.truncate(3);
    assert!(findings(&cut, &[]).is_empty());
    assert_eq!(
        findings(&cut, std::slice::from_ref(&kept)),
        [Finding::Truncated { length: 3, was: 5 }]
    );
    assert!(findings(&honest, &[kept]).is_empty());
}

#[test]
fn a_checkpoint_of_another_key_counts_for_nothing() {
    let mut ledger = ledger(3, 3);
    let other = SigningKey::from_slice(&[8; 32]).unwrap();
    ledger.checkpoints = vec![checkpoint(&ledger.entries, 3, &other)];
    let report = verify(&ledger, &[], &public(&secret()));
    assert_eq!(report.findings, [Finding::NotGenuine { checkpoint: 3 }]);
    assert_eq!(report.sealed_through, 0);
}

#[test]
fn a_ledger_survives_its_json() {
    let ledger = ledger(3, 2);
    let back: Ledger = serde_json::from_str(&serde_json::to_string(&ledger).unwrap()).unwrap();
    assert_eq!(back, ledger);
}

/// One way to tamper with sealed entries, by someone without the key.
#[derive(Debug, Clone)]
enum Tamper {
    Alter(prop::sample::Index),
    AlterAndRehash(prop::sample::Index),
    Remove(prop::sample::Index),
    RemoveAndRechain(prop::sample::Index),
    InsertAndRechain(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    SwapAndRechain(prop::sample::Index, prop::sample::Index),
    Truncate(prop::sample::Index),
}

fn tampers() -> impl Strategy<Value = Tamper> {
    use prop::sample::Index;
    prop_oneof![
        any::<Index>().prop_map(Tamper::Alter),
        any::<Index>().prop_map(Tamper::AlterAndRehash),
        any::<Index>().prop_map(Tamper::Remove),
        any::<Index>().prop_map(Tamper::RemoveAndRechain),
        any::<Index>().prop_map(Tamper::InsertAndRechain),
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Tamper::Swap(a, b)),
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Tamper::SwapAndRechain(a, b)),
        any::<Index>().prop_map(Tamper::Truncate),
    ]
}

fn altered(receipt: &Receipt) -> Receipt {
    Receipt {
        at: receipt.at.checked_add(jiff::SignedDuration::from_secs(1)).unwrap(),
        ..receipt.clone()
    }
}

fn tamper(entries: &[Sealed], how: &Tamper) -> Vec<Sealed> {
    let length = entries.len();
    let mut receipts: Vec<Receipt> = entries.iter().map(|sealed| sealed.receipt.clone()).collect();
    let mut plain = entries.to_vec();
    match how {
        Tamper::Alter(at) => {
            let at = at.index(length);
            plain[at].receipt = altered(&plain[at].receipt);
            return plain;
        }
        Tamper::Remove(at) => {
            plain.remove(at.index(length));
            return plain;
        }
        Tamper::Swap(a, b) => {
            plain.swap(a.index(length), b.index(length));
            return plain;
        }
        Tamper::Truncate(at) => {
            plain.truncate(at.index(length));
            return plain;
        }
        Tamper::AlterAndRehash(at) => {
            receipts[at.index(length)] = altered(&receipts[at.index(length)]);
        }
        Tamper::RemoveAndRechain(at) => drop(receipts.remove(at.index(length))),
        Tamper::InsertAndRechain(at) => receipts.insert(at.index(length), receipt(99)),
        Tamper::SwapAndRechain(a, b) => receipts.swap(a.index(length), b.index(length)),
    }
    seal(&receipts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn no_tampering_up_to_a_checkpoint_goes_unnoticed(length in 1u64..8, how in tampers()) {
        let honest = ledger(length, usize::try_from(length).unwrap());
        let forged = tamper(&honest.entries, &how);
        prop_assume!(forged != honest.entries);
        // Also when the ledger's own checkpoints are gone: one that was kept outside is enough.
        let kept = honest.checkpoints.clone();
        let bare = Ledger { entries: forged.clone(), checkpoints: vec![], ..honest.clone() };
        prop_assert!(!findings(&bare, &kept).is_empty());
        let with_own = Ledger { entries: forged, ..honest };
        prop_assert!(!findings(&with_own, &[]).is_empty());
    }

    #[test]
    fn appending_never_disturbs_what_is_sealed(length in 0u64..8, more in 0u64..5) {
        let sealed = usize::try_from(length).unwrap();
        let ledger = ledger(length + more, sealed);
        let report = verify(&ledger, &[], &public(&secret()));
        prop_assert_eq!(&report.findings, &[]);
        prop_assert_eq!((report.sealed_through, report.unsealed), (length, more));
        prop_assert_eq!(report.intact_through(), Some(length).filter(|&length| length > 0));
    }
}

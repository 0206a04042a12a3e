use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::hook::{HookError, Message, Secret, WINDOW};

fn now() -> Timestamp {
    "2026-11-24T06:00:00Z".parse().unwrap()
}

fn secret(byte: u8) -> Secret {
    Secret::new([byte; 32])
}

#[test]
fn a_signature_is_that_of_another_implementation() {
    // What Python's `hmac` makes of this key and message.
    let key = Secret::parse("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").unwrap();
    let signed =
        key.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
    assert_eq!(signed, EXPECTED);
    assert_eq!(key.reveal(), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    assert_eq!(format!("{key:?}"), "Secret(redacted)");
    assert_eq!(Secret::parse("whsec_AAEC"), None);
    assert_eq!(Secret::parse("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="), None);
}

const EXPECTED: &str = "v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI=";

fn read(id: &[&str], at: &[&str], signature: &[&str]) -> Result<Message, HookError> {
    Message::read(id, at, signature, now())
}

#[track_caller]
fn refused(id: &[&str], at: &[&str], signature: &[&str], header: &str) {
    match read(id, at, signature) {
        Err(HookError::Header { header: found, .. }) => assert_eq!(found, header),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_header_is_there_once_and_has_its_form() {
    let at = now().as_second().to_string();
    let (at, v1) = ([at.as_str()], ["v1,AAAA"]);
    assert!(read(&["msg_1"], &at, &v1).is_ok());
    for id in [&[][..], &["a", "a"], &["a,a"], &["a.1"], &[""], &[&"x".repeat(129)]] {
        refused(id, &at, &v1, "webhook-id");
    }
    for wrong in [&[][..], &["1"; 2], &["-1"], &["+1"], &["1e9"], &["0000000000001"], &["x"]] {
        refused(&["msg_1"], wrong, &v1, "webhook-timestamp");
    }
    let many = ["v1,AAAA"; 11].join(" ");
    for wrong in [
        &[][..],
        &["v1,A", "v1,A"],
        &["v1"],
        &["v1,!"],
        &["v2,AAAA"],
        &["v1,AAAA, v1,AAAA"],
        &[&many],
    ] {
        refused(&["msg_1"], &at, wrong, "webhook-signature");
    }
}

#[test]
fn a_message_is_taken_for_five_minutes_before_and_after() {
    let at = |shift: SignedDuration| (now() + shift).as_second().to_string();
    let second = SignedDuration::from_secs(1);
    for (shift, fits) in
        [(-WINDOW, true), (WINDOW, true), (-WINDOW - second, false), (WINDOW + second, false)]
    {
        let found = read(&["a"], &[&at(shift)], &["v1,AAAA"]);
        assert_eq!(found.is_ok(), fits, "{shift}");
        assert!(fits || found == Err(HookError::Window));
    }
}

#[test]
fn any_key_and_any_signature_may_fit() {
    let (seconds, body) = (now().as_second(), b"{}".as_slice());
    let at = seconds.to_string();
    let both =
        format!("{} {}", secret(9).sign("a", seconds, body), secret(1).sign("a", seconds, body));
    let message = read(&["a"], &[&at], &[&both]).unwrap();
    assert!(message.is_signed_by(&[secret(2), secret(1)], body));
    assert_eq!(message.signer(&[secret(2), secret(1), secret(1)], body), Some(1));
    assert_eq!(message.signer(&[secret(2)], body), None);
    assert!(!message.is_signed_by(&[secret(2)], body));
    assert!(!message.is_signed_by(&[], body));
    assert!(!message.is_signed_by(&[secret(1)], b"{ }"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn what_was_signed_is_taken_and_nothing_else(id in "[A-Za-z0-9_:-]{1,40}", other in "[A-Za-z0-9_:-]{1,40}", body in prop::collection::vec(any::<u8>(), 0..200), shift in -300_i64..300) {
        let seconds = now().as_second() + shift;
        let (at, signed) = (seconds.to_string(), secret(1).sign(&id, seconds, &body));
        let message = read(&[&id], &[&at], &[&signed]).unwrap();
        prop_assert!(message.is_signed_by(&[secret(1)], &body));
        prop_assert!(!message.is_signed_by(&[secret(2)], &body));
        let renamed = read(&[&other], &[&at], &[&signed]).unwrap();
        prop_assert_eq!(renamed.is_signed_by(&[secret(1)], &body), id == other);
        let later = (seconds + 1).to_string();
        if let Ok(moved) = read(&[&id], &[&later], &[&signed]) {
            prop_assert!(!moved.is_signed_by(&[secret(1)], &body));
        }
    }

    #[test]
    fn no_header_makes_it_panic(id in any::<String>(), at in any::<String>(), signature in any::<String>()) {
        let _ = read(&[&id], &[&at], &[&signature]);
    }
}

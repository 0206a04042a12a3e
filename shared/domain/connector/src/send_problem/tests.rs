use countersign_effect::Effect;
use countersign_effect::view::samples::payment;
use countersign_identity::UserId;
use jiff::Timestamp;

use super::*;
use crate::{
    Binding, BindingId, ConfigOverrides, ConnectorId, CredentialId, Permissions, StoredConnector,
    parse,
};

const YAML: &str = "id: bank\nname: Bank\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://api.bank.example/v1', auth: { type: bearer_token } }\nendpoints:\n  pay: { description: pays, method: POST, path: /payments }\n";

/// A request of `bank.pay` with the credential `cred_…1`.
fn signed() -> HttpEffect {
    match payment() {
        Effect::Http(http) => http,
        Effect::File(_) => panic!("the sample is a request"),
    }
}

fn found(change: impl FnOnce(&mut Binding)) -> Found {
    let definition = parse(YAML).definition.unwrap();
    let credential = signed().credential.map(|used| CredentialId::parse(&used.id).unwrap());
    let mut binding = Binding {
        id: BindingId::from_bytes([1; 16]),
        profile_id: "prof_1".to_owned(),
        connector_id: ConnectorId::parse("bank").unwrap(),
        credential,
        config_overrides: ConfigOverrides::default(),
        permissions: Permissions::default(),
        is_enabled: true,
        created_at: None,
        health: Health::Ok,
    };
    change(&mut binding);
    let connector = StoredConnector {
        owner: Some(UserId::from_bytes([1; 16])),
        definition,
        yaml: YAML.to_owned(),
        updated_at: Timestamp::UNIX_EPOCH,
        accepted: Vec::new(),
    };
    Found { connector: Some(connector), binding: Some(binding) }
}

#[track_caller]
fn check(found: Found, expect: Option<(IfApproved, &str, &str)>) {
    let effect = signed();
    let call = AskedCall { step: "pay", is_repeat: false, effect: &effect };
    let problem = send_problem(call, found);
    let said = problem.as_ref().map(|of| (of.if_approved, of.code, of.message.as_str()));
    assert_eq!(
        said.map(|(then, code, _)| (then, code)),
        expect.map(|(then, code, _)| (then, code))
    );
    let (message, why) = (said.map_or("", |said| said.2), expect.map_or("", |said| said.2));
    assert!(message.contains(why), "{message}");
}

#[test]
fn f_200_what_keeps_a_signed_request_from_being_sent_is_found_before() {
    use IfApproved::{AsksAgain, Fails, MayBeRejected};
    check(found(|_| {}), None);
    let gone = Found { connector: None, ..found(|_| {}) };
    check(gone, Some((Fails, "CONNECTOR_UNKNOWN", "there is no connector `bank`")));
    let unbound = Found { binding: None, ..found(|_| {}) };
    check(unbound, Some((Fails, "CONNECTOR_NOT_BOUND", "is not bound to this profile")));
    let disabled = found(|binding| binding.is_enabled = false);
    check(disabled, Some((Fails, "CONNECTOR_DISABLED", "is disabled")));
    let narrow = found(|binding| binding.permissions.allowed_endpoints = Some(Vec::new()));
    check(narrow, Some((Fails, "CONNECTOR_ENDPOINT_NOT_ALLOWED", "may not call `pay`")));
    let without = found(|binding| binding.credential = None);
    check(without, Some((Fails, "CONNECTOR_CREDENTIAL", "its binding has none")));
    let other = found(|binding| binding.credential = Some(CredentialId::from_bytes([9; 16])));
    check(other, Some((AsksAgain, "STEP_NEEDS_SIGNATURE", "with another credential now")));
    let denied = found(|binding| binding.health = Health::AuthFailed);
    check(denied, Some((MayBeRejected, "CONNECTOR_AUTH_FAILED", "may be rejected")));
}

#[test]
fn k_49_a_call_that_is_asked_about_is_only_sent_by_the_answer_to_send_it_again() {
    let effect = signed();
    let call = AskedCall { step: "pay", is_repeat: true, effect: &effect };
    let changed = found(|binding| binding.credential = Some(CredentialId::from_bytes([9; 16])));
    for found in [Found { binding: None, ..found(|_| {}) }, changed] {
        let problem = send_problem(call, found).unwrap();
        assert_eq!(problem.if_approved, IfApproved::Fails);
        assert!(problem.message.starts_with("`pay` cannot be sent again as things stand: "));
        assert!(problem.message.ends_with("The answer to send it again sends nothing."));
    }
    let unread = send_unknown(call, "STORE_UNAVAILABLE");
    assert_eq!(unread.if_approved, IfApproved::Unknown);
    assert!(unread.message.contains("could be sent again now is not known"));
}

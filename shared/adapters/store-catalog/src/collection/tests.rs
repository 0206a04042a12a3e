//! What is written, and under which keys: what is stored today must be found tomorrow.

use countersign_connector::{StoredConnector, parse};
use countersign_identity::UserId;
use countersign_profile::{Profile, ProfileId, ProfileSpec};
use countersign_store_kit::Write;
use jiff::Timestamp;
use serde_json::json;

use super::{StoredDocument, put};
use crate::StoredPlaybook;
use crate::keys::{self, Owner};

const CONNECTOR: &str = "id: shelf\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\nendpoints:\n  list: { description: lists, path: / }\n";

fn owner() -> UserId {
    UserId::from_bytes([1; 16])
}

fn connector(owner: Option<UserId>) -> StoredConnector {
    StoredConnector {
        owner,
        definition: parse(CONNECTOR).definition.unwrap(),
        yaml: CONNECTOR.to_owned(),
        updated_at: Timestamp::UNIX_EPOCH,
        accepted: Vec::new(),
    }
}

fn profile(handle: &str) -> Profile {
    let spec = ProfileSpec::from_json(&json!({"name": "A", "handle": handle})).unwrap();
    Profile::new(ProfileId::from_bytes([2; 16]), owner(), spec, Timestamp::UNIX_EPOCH)
}

/// Whether each write, as it is told to the table, names what it should.
fn check(writes: &[Write], expect: &[&[&str]]) {
    assert_eq!(writes.len(), expect.len(), "{writes:#?}");
    for (write, names) in writes.iter().zip(expect) {
        let write = format!("{write:?}");
        for name in *names {
            assert!(write.contains(name), "{name} is not in {write}");
        }
    }
}

#[test]
fn the_keys_of_documents_do_not_change() {
    let user = owner();
    let key = keys::document::<StoredPlaybook>(Owner::User(&user), &"review".to_owned());
    assert_eq!((key.pk, key.sk), (format!("OWNER#{user}"), "PLAYBOOK#review".to_owned()));
    let listed = keys::listed::<StoredPlaybook>(Owner::System, "analysis");
    assert_eq!(listed, "OWNER#system#PLAYBOOKS#analysis");
    check(
        &[put(Owner::User(&user), &connector(Some(owner()))).unwrap()],
        &[&["\"CONNECTOR#shelf\"", "#CONNECTORS#rest_api\"", "\"version\": N(\"1\")"]],
    );
    let agent = profile("a");
    let (own, id) = (format!("OWNER#{user}#PROFILES#active"), format!("PROFILE#{}", agent.id));
    check(&[put(Owner::User(&user), &agent).unwrap()], &[&[&own, &id]]);
}

#[test]
fn every_text_of_a_persons_connector_is_kept() {
    let own = connector(Some(owner()));
    let key = format!("VERSIONS#{}#shelf", owner());
    check(&StoredConnector::written_with(None, Some(&own)).unwrap(), &[&[&key, "1970-01-01"]]);
    check(&StoredConnector::written_with(Some(&own), Some(&own)).unwrap(), &[&[&key]]);
    check(&StoredConnector::written_with(Some(&own), None).unwrap(), &[]);
    check(&StoredConnector::written_with(None, Some(&connector(None))).unwrap(), &[]);
}

#[test]
fn f_169_a_handle_is_claimed_and_given_up_with_its_profile() {
    let (a, b) = (profile("a"), profile("b"));
    let claim: &[&str] = &["Put", "HANDLE#b", "attribute_not_exists"];
    let release: &[&str] = &["Delete", "HANDLE#a"];
    check(&Profile::written_with(None, Some(&b)).unwrap(), &[claim]);
    check(&Profile::written_with(Some(&a), Some(&a)).unwrap(), &[]);
    check(&Profile::written_with(Some(&a), Some(&b)).unwrap(), &[claim, release]);
    check(&Profile::written_with(Some(&a), None).unwrap(), &[release]);
    let shipped = Profile { user_id: None, ..b };
    let again = Profile::written_with(None, Some(&shipped)).unwrap();
    assert!(
        !format!("{again:?}").contains("attribute_not_exists"),
        "it is stored again: {again:?}"
    );
}

use countersign_identity::{Requirement, Role, TokenUse, permits};
use proptest::prelude::*;

use super::*;

fn item(sort_key: &str, body: &serde_json::Value) -> Item {
    let mut item: Item = serde_dynamo::to_item(body).unwrap();
    item.insert("SK".to_owned(), serde_dynamo::to_attribute_value(sort_key).unwrap());
    item
}

fn person() -> Item {
    let body = serde_json::json!({
        "id": UserId::from_bytes([1; 16]), "username": "ada", "email": "ada@example.org", "email_verified": true,
        "display_name": "Ada", "active": true, "not_before": 7,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
    });
    item("PROFILE", &body)
}

fn check(items: Vec<Item>, expect: Option<(&[&str], &[Capability], &[&str])>) {
    let entry = add_up("Directory", items).unwrap();
    let found = entry.map(|entry| (entry.scopes, entry.capabilities, entry.revoked));
    let expect = expect.map(|(scopes, capabilities, revoked)| {
        (
            Scopes::parse(scopes.iter().copied()),
            capabilities.iter().copied().collect(),
            revoked.iter().map(|id| (*id).to_owned()).collect(),
        )
    });
    assert_eq!(found, expect);
}

#[test]
fn the_partition_adds_up() {
    let grant = serde_json::json!({"granted_by": "x"});
    let items = vec![
        person(),
        item("SCOPE#macro:analyst", &grant),
        item("SCOPE#global:reader", &grant),
        item("CAPABILITY#decide", &grant),
        item("REVOKED#t-9", &grant),
    ];
    check(items, Some((&["macro:analyst", "global:reader"], &[Capability::Decide], &["t-9"])));
}

#[test]
fn what_is_not_known_grants_nothing() {
    let grant = serde_json::json!({});
    check(
        vec![
            person(),
            item("SCOPE#macro:emperor", &grant),
            item("CAPABILITY#fly", &grant),
            item("OTHER", &grant),
        ],
        Some((&[], &[], &[])),
    );
}

#[test]
fn grants_without_a_person_are_nobody() {
    check(vec![item("SCOPE#global:admin", &serde_json::json!({}))], None);
    check(vec![], None);
}

fn any_scopes() -> impl Strategy<Value = Vec<&'static str>> {
    let scope = prop::sample::select(vec![
        "macro:reader",
        "macro:analyst",
        "equity:analyst",
        "global:reader",
        "global:analyst",
        "global:admin",
    ]);
    prop::collection::vec(scope, 0..4)
}

/// A token of Ada's; those from before 7 are void.
fn token(id: &str, session: Option<&str>, issued_at: i64) -> Presented {
    Presented {
        user: UserId::from_bytes([1; 16]),
        token_id: id.to_owned(),
        session: session.map(str::to_owned),
        account: None,
        issued_at,
        expires_at: None,
        token_use: TokenUse::Login,
        scopes: Scopes::default(),
        capabilities: BTreeSet::new(),
        second_factor: false,
    }
}

#[test]
fn no_key_is_looked_up_twice() {
    let (token, scopes) = (token("t-1", Some("t-1"), 7), Scopes::parse(["macro:reader"]));
    let keys: Vec<String> = wanted(&token.user, &scopes, Some(&token)).map(|key| key.sk).collect();
    assert_eq!(keys, ["PROFILE", "SCOPE#macro:reader", "REVOKED#t-1"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_is_looked_up_allows_no_more_than_everything_that_is_known(
        granted in any_scopes(),
        started in any_scopes(),
        void in prop::collection::vec(prop::sample::select(vec!["t-1", "s-1", "t-2"]), 0..2),
        session in prop::option::of(Just("s-1")),
        issued_at in 6_i64..9,
    ) {
        let empty = serde_json::json!({});
        let grants = granted.iter().map(|scope| item(&format!("SCOPE#{scope}"), &empty));
        let revoked = void.iter().map(|id| item(&format!("REVOKED#{id}"), &empty));
        let all: Vec<Item> = [person()].into_iter().chain(grants).chain(revoked).collect();

        let token = token("t-1", session, issued_at);
        let started = Scopes::parse(started);
        let wanted: BTreeSet<String> =
            wanted(&token.user, &started, Some(&token)).map(|key| key.sk).collect();
        let is_wanted = |item: &&Item| wanted.contains(item["SK"].as_s().unwrap());
        let some = all.iter().filter(is_wanted).cloned().collect();

        let allows = |items: Vec<Item>, role: Role| {
            let entry = add_up("Directory", items).unwrap().unwrap();
            let held = started.intersect(&entry.scopes);
            entry.effective(&token).is_ok() && permits(&held, &Requirement::role(role), None).is_ok()
        };
        for role in [Role::Reader, Role::Editor, Role::Analyst, Role::Admin] {
            let looked_up = allows(Clone::clone(&some), role);
            prop_assert!(!looked_up || allows(all.clone(), role));
            if started.iter().all(|scope| granted.contains(&scope.to_string().as_str())) {
                prop_assert_eq!(looked_up, allows(all.clone(), role));
            }
        }
    }
}

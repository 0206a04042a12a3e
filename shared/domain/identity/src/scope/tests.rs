use proptest::prelude::*;

use super::*;
use crate::{Requirement, permits};

fn scopes(texts: &[&str]) -> Scopes {
    Scopes::parse(texts.iter().copied())
}

fn check(texts: &[&str], expect: &[&str]) {
    let read: Vec<String> = scopes(texts).into();
    assert_eq!(read, expect, "{texts:?}");
}

fn check_both(a: &[&str], b: &[&str], expect: &[&str]) {
    let both: Vec<String> = scopes(a).intersect(&scopes(b)).into();
    assert_eq!(both, expect, "{a:?} ∩ {b:?}");
}

#[test]
fn a_012_a_scope_has_exactly_two_known_parts() {
    check(&["macro:analyst", "global:reader"], &["global:reader", "macro:analyst"]);
    check(
        &[
            "macro",
            "macro:analyst:extra",
            "macro:",
            ":analyst",
            "",
            "macro:emperor",
            "macro:Analyst",
        ],
        &[],
    );
    check(&["Macro:analyst", "macro topic:reader", "ma-cro:reader", " macro:reader"], &[]);
    check(&["esg:reader", "esg:reader"], &["esg:reader"]);
}

#[test]
fn a_012_several_scopes_with_different_roles_are_all_held() {
    check(&["macro:analyst", "equity:reader"], &["equity:reader", "macro:analyst"]);
}

#[test]
fn a_013_topics_are_slugs_of_the_data() {
    for slug in ["macro", "equity", "fixed_income", "esg", "topic_2", &"x".repeat(64)] {
        assert_eq!(Topic::parse(slug).unwrap().as_str(), slug);
    }
    for wrong in ["", "global", "Macro", "fixed income", "fixed-income", "ésg", &"x".repeat(65)] {
        assert!(Topic::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_014_a_higher_level_includes_the_lower() {
    let levels: Vec<u8> = Role::ALL.iter().map(|role| role.level()).collect();
    assert_eq!(levels, [1, 2, 3, 4]);
    let names: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    assert_eq!(names, ["reader", "editor", "analyst", "admin"]);
}

#[test]
fn the_intersection_takes_the_lower_role() {
    check_both(&["macro:admin"], &["macro:reader"], &["macro:reader"]);
    check_both(&["global:admin"], &["global:analyst"], &["global:analyst"]);
    check_both(&["macro:admin"], &["equity:admin"], &[]);
    check_both(&["macro:admin"], &[], &[]);
}

#[test]
fn k_26_a_topic_covered_by_global_on_one_side_stays_marked() {
    check_both(&["global:admin"], &["macro:admin"], &["~macro:admin"]);
    check_both(
        &["global:admin", "macro:reader"],
        &["macro:admin"],
        &["macro:reader", "~macro:admin"],
    );
    check_both(&["global:admin", "macro:admin"], &["macro:admin"], &["macro:admin"]);
    check_both(&["global:reader"], &["global:reader", "macro:reader"], &["global:reader"]);
}

fn any_scopes() -> impl Strategy<Value = Scopes> {
    let group = prop::sample::select(vec!["global", "macro", "equity", "esg", "~macro"]);
    let role = prop::sample::select(vec!["reader", "editor", "analyst", "admin"]);
    let scope = (group, role).prop_map(|(group, role)| format!("{group}:{role}"));
    prop::collection::vec(scope, 0..5).prop_map(Scopes::from)
}

fn any_question() -> impl Strategy<Value = (Requirement, Option<Topic>)> {
    let topic = prop::option::of(prop::sample::select(vec!["macro", "equity", "fixed_income"]));
    (prop::sample::select(Role::ALL.to_vec()), any::<bool>(), any::<bool>(), topic).prop_map(
        |(role, scoped, over, topic)| {
            let requirement = Requirement {
                topic_scoped: scoped,
                global_admin_override: over,
                ..Requirement::role(role)
            };
            (requirement, topic.map(|slug| Topic::parse(slug).unwrap()))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_intersection_never_permits_what_one_side_refuses(a in any_scopes(), b in any_scopes(), (requirement, topic) in any_question()) {
        let both = a.intersect(&b);
        if permits(&both, &requirement, topic.as_ref()).is_ok() {
            prop_assert!(permits(&a, &requirement, topic.as_ref()).is_ok(), "{a:?} alone refuses {requirement:?}");
            prop_assert!(permits(&b, &requirement, topic.as_ref()).is_ok(), "{b:?} alone refuses {requirement:?}");
        }
    }

    #[test]
    fn with_a_topic_the_intersection_permits_what_both_sides_permit(a in any_scopes(), b in any_scopes(), (requirement, topic) in any_question()) {
        prop_assume!(topic.is_some());
        if permits(&a, &requirement, topic.as_ref()).is_ok() && permits(&b, &requirement, topic.as_ref()).is_ok() {
            prop_assert!(permits(&a.intersect(&b), &requirement, topic.as_ref()).is_ok());
        }
    }

    #[test]
    fn the_intersection_does_not_depend_on_the_order(a in any_scopes(), b in any_scopes()) {
        prop_assert_eq!(a.intersect(&b), b.intersect(&a));
    }

    #[test]
    fn intersecting_again_changes_nothing(a in any_scopes(), b in any_scopes()) {
        let both = a.intersect(&b);
        for topic in ["macro", "equity", "esg"] {
            let topic = Topic::parse(topic).unwrap();
            for count in [false, true] {
                prop_assert_eq!(both.intersect(&a).role_for(&topic, count), both.role_for(&topic, count));
            }
        }
    }

    #[test]
    fn scopes_survive_the_wire(a in any_scopes(), b in any_scopes()) {
        let both = a.intersect(&b);
        let text = serde_json::to_string(&both).unwrap();
        prop_assert_eq!(serde_json::from_str::<Scopes>(&text).unwrap(), both);
    }

    #[test]
    fn a_012_no_text_panics_and_what_reads_prints_the_same(text in "\\PC{0,24}") {
        if let Ok(scope) = text.parse::<Scope>() {
            prop_assert_eq!(scope.to_string(), text);
        }
    }
}

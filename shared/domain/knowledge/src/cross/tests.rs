use proptest::prelude::*;
use serde_json::{Value, json};

use super::{MatchStrategy, Question, Side, cross};
use crate::error::KnowledgeError;

fn question(strategy: MatchStrategy, threshold: f64) -> Question {
    Question {
        strategy,
        threshold,
        a: Side::default(),
        b: Side::default(),
        entity_type: None,
        distinct_field: None,
        entity_field: None,
        doubts: Vec::new(),
    }
}

fn people(names: &[&str]) -> Vec<Value> {
    names.iter().enumerate().map(|(i, name)| json!({"name": name, "organization_name": format!("Org {i}"), "ein": i + 1})).collect()
}

fn check(a: &[Value], b: &[Value], question: &Question, expect: &[(usize, usize)]) {
    let crossing = cross(a, b, question).unwrap();
    let pairs: Vec<(usize, usize)> = crossing.matches.iter().map(|m| (m.a, m.b)).collect();
    assert_eq!(pairs, expect, "{crossing:?}");
}

#[test]
fn f_049_one_person_in_several_organisations_matches_all_of_them() {
    let a = people(&["SMITH, ROBERT A", "JANE DOE"]);
    let b = people(&["Bob Smith", "ROBERT SMITH", "John Jones"]);
    check(&a, &b, &question(MatchStrategy::FuzzyName, 0.8), &[(0, 1), (0, 0)]);
    let crossing = cross(&a, &b, &question(MatchStrategy::FuzzyName, 0.8)).unwrap();
    assert_eq!((crossing.unmatched_a, crossing.unmatched_b), (vec![1], vec![2]));
}

#[test]
fn f_049_exact_means_the_same_name_in_any_order() {
    let (a, b) = (people(&["SMITH, ROBERT"]), people(&["Robert Smith", "Bob Smith"]));
    check(&a, &b, &question(MatchStrategy::Exact, 0.8), &[(0, 0)]);
}

#[test]
fn f_049_external_ids_match_whatever_the_names() {
    let a = [json!({"name": "Acme Inc", "ein": "12-3456789"})];
    let b = [
        json!({"name": "Acme Holdings", "ein": "123456789"}),
        json!({"name": "Acme Inc", "ein": "98-7654321"}),
    ];
    check(&a, &b, &question(MatchStrategy::ExternalId, 0.8), &[(0, 0)]);
}

#[test]
fn f_049_a_name_that_is_too_long_is_not_compared_and_told() {
    let long = "Robert Smith ".repeat(40);
    let with_id = |name: &str| json!({ "name": name, "ein": "12-3456789" });
    let (a, b) = ([json!("Jane Doe"), with_id(&long)], [with_id(&long), json!("Jane Doe")]);
    let crossing = cross(&a, &b, &question(MatchStrategy::FuzzyName, 0.8)).unwrap();
    assert_eq!((crossing.matches.len(), crossing.matches[0].a, crossing.matches[0].b), (1, 0, 1));
    let told = |of: &str| {
        format!("{of}: a name is not compared: `name` has 520 characters; at most 300 are read")
    };
    assert_eq!(crossing.left_out, [told("dataset_a[1]"), told("dataset_b[0]")]);
    let itself = cross(&a, &a, &question(MatchStrategy::FuzzyName, 0.8)).unwrap();
    assert_eq!(itself.left_out, [told("dataset_a[1]")], "once");
    // Its identifier is compared all the same.
    let by_id = cross(&a, &b, &question(MatchStrategy::ExternalId, 0.8)).unwrap();
    assert_eq!((by_id.matches.len(), by_id.matches[0].a, by_id.matches[0].b), (1, 1, 0));
}

#[test]
fn f_049_an_organisation_with_a_name_that_is_too_long_is_found_by_its_identifier() {
    let with_id = |name: &str| json!({ "name": name, "ein": "12-3456789" });
    let (long, short) = ([with_id(&"Owl Foundation ".repeat(40))], [with_id("Owl Foundation")]);
    check(&long, &short, &question(MatchStrategy::ExternalId, 0.8), &[(0, 0)]);
    check(&short, &long, &question(MatchStrategy::ExternalId, 0.8), &[(0, 0)]);
}

#[test]
fn f_049_of_a_set_against_itself_a_name_that_is_too_long_is_told_once() {
    let a = [json!("Jane Doe"), json!("Robert Smith ".repeat(40))];
    let asked = question(MatchStrategy::FuzzyName, 0.8);
    assert_eq!(cross(&a, &a, &asked).unwrap().left_out.len(), 1);
}

#[test]
fn f_049_a_set_against_itself_skips_the_diagonal_and_the_mirror() {
    let a = people(&["SMITH, ROBERT", "Robert Smith", "Jane Doe"]);
    check(&a, &a, &question(MatchStrategy::FuzzyName, 0.8), &[(0, 1)]);
    assert_eq!(cross(&a, &a, &question(MatchStrategy::FuzzyName, 0.8)).unwrap().unmatched_b, [2]);
}

#[test]
fn f_049_the_same_organisation_can_be_left_out() {
    let a = [
        json!({"name": "Ann Lee", "organization_name": "Owl Fund"}),
        json!({"name": "LEE, ANN", "organization_name": "OWL FUND"}),
        json!({"name": "Ann Lee", "organization_name": "Fox Fund"}),
    ];
    let mut asked = question(MatchStrategy::FuzzyName, 0.8);
    asked.distinct_field = Some("organization_name".to_owned());
    check(&a, &a, &asked, &[(0, 2), (1, 2)]);
}

#[test]
fn f_049_bad_questions_are_named() {
    let refused = cross(&[json!(7)], &[], &question(MatchStrategy::Exact, 0.8));
    assert!(matches!(refused, Err(KnowledgeError::BadItem { index: 0, .. })), "{refused:?}");
    assert!(matches!(
        cross(&[], &[], &question(MatchStrategy::Exact, 1.5)),
        Err(KnowledgeError::OutOfRange { .. })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn f_049_blocking_finds_what_comparing_all_pairs_of_equal_names_finds(
        names in prop::collection::vec(("[A-D][a-c]{2,4}", "[S-T][a-c]{3,5}"), 1..25),
        split in 0_usize..25,
    ) {
        let all: Vec<Value> = names.iter().enumerate().map(|(i, (g, s))| json!({"name": format!("{g} {s}"), "n": i})).collect();
        let (a, b) = all.split_at(split.min(all.len()));
        let crossing = cross(a, b, &question(MatchStrategy::Exact, 0.8)).unwrap();
        let key = |v: &Value| crate::person::PersonName::parse(v["name"].as_str().unwrap()).key();
        let expect: usize = a.iter().map(|x| b.iter().filter(|y| key(x) == key(y)).count()).sum();
        prop_assert_eq!(crossing.matches.len(), expect);
        prop_assert!(crossing.unmatched_a.iter().all(|i| crossing.matches.iter().all(|m| m.a != *i)));
    }
}

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Request, Rule, extract};
use crate::model::{EntityType, Relationship};

fn check(record: &Value, request: &Request, expect: &[&str]) {
    let found = extract(std::slice::from_ref(record), request).unwrap().entities;
    let lines: Vec<String> = found
        .iter()
        .map(|e| {
            format!("{} {} {}", e.entity_type, e.name, serde_json::to_value(e.method).unwrap())
        })
        .collect();
    assert_eq!(lines, expect, "{found:#?}");
}

fn officers() -> Request {
    let rule = Rule {
        field: "name".to_owned(),
        entity_type: "PERSON".to_owned(),
        relationship_type: Some(Relationship::OfficerOf),
    };
    Request { rules: vec![rule], ..Request::default() }
}

#[test]
fn f_047_rules_come_first_and_say_so() {
    let record = json!({"name": "QXZW VRTL", "title": "PRESIDENT", "organization_name": "OWL FOUNDATION", "ein": "12-3456789"});
    check(
        &record,
        &officers(),
        &["PERSON QXZW VRTL \"rules\"", "ORG OWL FOUNDATION \"gazetteer\""],
    );
}

#[test]
fn f_259_an_officer_is_tied_to_the_records_organisation_with_its_title() {
    let record = json!({"name": "ANN LEE", "title": "CHAIR", "compensation": 12, "organization_name": "OWL FUND", "ein": "12-3456789"});
    let found = extract(&[record], &officers()).unwrap().entities;
    let person = &found[0];
    assert_eq!(person.relationship_type, Some(Relationship::OfficerOf));
    assert_eq!(person.related_to.as_ref().unwrap().name, "OWL FUND");
    assert_eq!(person.attributes["title"], "CHAIR");
    assert!(person.external_ids.is_empty(), "the organisation's number is not the person's");
    assert_eq!(found[1].external_ids["ein"], "123456789");
}

#[test]
fn f_047_a_corporate_trustee_is_an_organisation() {
    let record = json!({"name": "NORTHERN RIVER TRUST COMPANY"});
    check(&record, &officers(), &["ORG NORTHERN RIVER TRUST COMPANY \"gazetteer\""]);
}

#[test]
fn f_047_f_313_without_rules_words_and_shape_decide() {
    let record = json!({"contributor": "DOE, JANE", "employer": "Initech", "city": "Boston", "amount": 5, "title": "Vice President"});
    check(
        &record,
        &Request::default(),
        &[
            "PERSON DOE, JANE \"gazetteer\"",
            "ORG Initech \"heuristic\"",
            "LOCATION Boston \"gazetteer\"",
        ],
    );
}

#[test]
fn f_047_only_the_wanted_types_come_back() {
    let types = Some([EntityType::Org].into());
    let record = json!({"contributor": "DOE, JANE", "employer": "Initech LLC"});
    check(&record, &Request { types, ..Request::default() }, &["ORG Initech LLC \"gazetteer\""]);
}

#[test]
fn f_129_a_grants_recipient_has_its_own_number() {
    let rules: Vec<Rule> =
        serde_json::from_value(json!([{"field": "recipient_name", "entity_type": "ORG", "relationship_type": "FUNDED_BY"}])).unwrap();
    let record = json!({"recipient_name": "FOX SHELTER", "recipient_ein": "98-7654321", "organization_name": "OWL FUND", "ein": "12-3456789", "grant_amount": 500});
    let found = extract(&[record], &Request { rules, ..Request::default() }).unwrap().entities;
    assert_eq!(found[0].external_ids["ein"], "987654321");
    assert_eq!(found[0].related_to.as_ref().unwrap().name, "OWL FUND");
    assert_eq!(found[0].attributes["grant_amount"], 500);
}

#[test]
fn a_record_that_is_no_object_is_named_by_its_place() {
    let error = extract(&[json!({}), json!("x")], &Request::default()).unwrap_err();
    assert_eq!(error.to_string(), "data[1]: a record must be an object");
}

#[test]
fn f_047_a_name_that_is_too_long_is_left_out_and_counted() {
    let record = json!({"name": "A".repeat(1_000_000), "organization_name": "OWL FUND"});
    let found = extract(&[json!({}), record], &officers()).unwrap();
    let names: Vec<&str> = found.entities.iter().map(|entity| entity.name.as_str()).collect();
    assert_eq!(names, ["OWL FUND"]);
    let why =
        "data[1], `name`: a name is left out: `name` has 1000000 characters; at most 300 are read";
    assert_eq!(found.left_out, [why]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn extracting_never_panics(key in "[a-z_.]{1,12}", text in ".{0,120}") {
        let found = extract(&[json!({ key: text, "organization_name": "Owl Fund" })], &officers()).unwrap().entities;
        prop_assert!(found.iter().all(|e| (0.0..=1.0).contains(&e.confidence) && !e.name.is_empty()));
    }
}

#[test]
fn f_095_auto_reads_the_whole_text_of_a_field() {
    let filler = "The board met and talked of many things that matter little here. ".repeat(900);
    let letters = |n: u8, m: u8| format!("{}{}", char::from(b'a' + n), char::from(b'a' + m));
    let all: Vec<String> = (0..20).flat_map(|n| (0..20).map(move |m| letters(n, m))).collect();
    let names: String =
        all.iter().map(|end| format!("They paid Margaret Thornquist{end} for it. ")).collect();
    let text = format!("{filler}Then came Willow Creek Foundation. {names}{filler}{}", {
        "At last Harborlight Trust Company gave its word."
    });
    assert!(text.len() > 100_000);
    let auto =
        Rule { field: "notes".to_owned(), entity_type: "auto".to_owned(), relationship_type: None };
    let request = Request { rules: vec![auto], ..Request::default() };
    let found = extract(&[json!({ "notes": text })], &request).unwrap().entities;
    let has = |name: &str| found.iter().any(|entity| entity.name.contains(name));
    assert!(has("Willow Creek Foundation") && has("Harborlight Trust Company"), "{found:#?}");
    assert!(has("Thornquistaa") && has("Thornquisttt"), "{}", found.len());
    let owners = ["Willow", "Copperleaf", "Tidewater", "Harborlight"];
    let list: Vec<String> = owners
        .iter()
        .flat_map(|owner| all.iter().map(move |end| format!("{owner}{end} Foundation")))
        .collect();
    let found = extract(&[json!({ "organizations": list })], &Request::default());
    assert_eq!(found.unwrap().entities.len(), 1_600, "nor is a list cut");
}

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn input(name: &str, input_type: &str) -> InputDecl {
    let decl =
        json!({"name": name, "type": input_type, "required": false, "extract_from": "query"});
    serde_json::from_value(decl).unwrap()
}

fn today() -> Date {
    "2026-11-23".parse().unwrap()
}

/// What a question says of inputs of these names and types; a doubt is `?`.
#[track_caller]
fn check(question: &str, inputs: &[(&str, &str)], expect: &Value) {
    let inputs: Vec<InputDecl> = inputs.iter().map(|(name, kind)| input(name, kind)).collect();
    let reading = read(question, &inputs, &Map::new(), today());
    let understood = reading.understood.iter().map(|one| (one.input.clone(), one.value.clone()));
    let doubts = reading.doubts.iter().map(|one| (one.input.clone(), json!("?")));
    let found: Map<String, Value> = understood.chain(doubts).collect();
    assert_eq!(&Value::Object(found), expect, "{question}: {reading:?}");
}

#[test]
fn f_135_numbers_in_the_words_people_use() {
    let number = [("least", "number")];
    check("grants above $1,250.50", &number, &json!({"least": 1250.5}));
    check("grants above 2.5 million dollars", &number, &json!({"least": 2_500_000}));
    check("more than three boards", &number, &json!({"least": 3}));
    check("more than twenty-five people", &number, &json!({"least": 25}));
    check("over a thousand", &number, &json!({"least": 1000}));
    check("the first 5k rows", &number, &json!({"least": 5000}));
    check("which one is it?", &number, &json!({}));
    check("at least two hundred thousand dollars", &number, &json!({"least": 200_000}));
    // A part of what is written would be another number.
    check("over half a million", &number, &json!({}));
    check("over a quarter of a million", &number, &json!({}));
    check("over two and a half million", &number, &json!({}));
    let both = [("amount_min", "number"), ("amount_max", "number")];
    check("between 2 and 5 million", &both, &json!({"amount_max": 5_000_000}));
    check("between 2 and 5m", &both, &json!({"amount_max": 5_000_000}));
    let range = json!({"amount_min": 2_000_000, "amount_max": 5_000_000});
    check("between 2 million and 5 million", &both, &range);
    check("between 3 and 5", &number, &json!({"least": "?"}));
    check("at least 3 of the 5 boards", &number, &json!({"least": 3}));
    check("grants of 4,200.10", &[("pay", "decimal")], &json!({"pay": "4200.10"}));
    check(
        "between 3 and 5",
        &[("low", "number"), ("high", "number")],
        &json!({"low": 3, "high": 5}),
    );
}

#[test]
fn f_135_several_inputs_of_a_type_take_what_the_question_names_and_nothing_by_its_place() {
    let people = [("donor", "entity_name"), ("recipient", "entity_name")];
    let named = json!({"donor": "Ann Smith", "recipient": "River Valley Trust"});
    check("Grants of recipient “River Valley Trust” from donor “Ann Smith”", &people, &named);
    check(
        "Compare Ann Smith with Robert Jones.",
        &people,
        &json!({"donor": "?", "recipient": "?"}),
    );
    check("Compare donor “A” with “B”", &people, &json!({"donor": "A", "recipient": "?"}));
    let amounts = [("amount_min", "number"), ("amount_max", "number")];
    check("an amount of 3 or 5", &amounts, &json!({"amount_min": "?", "amount_max": "?"}));
    check("from 3 to 5", &amounts, &json!({"amount_min": 3, "amount_max": 5}));
    check("3 and 5", &amounts, &json!({"amount_min": "?", "amount_max": "?"}));
    check(
        "at least 3 of 5",
        &[("least", "number"), ("most", "number")],
        &json!({"least": 3, "most": "?"}),
    );
    let both = json!({"last": "2024-04-01", "day": "2024-03-01"});
    for order in [[("last", "date"), ("day", "date")], [("day", "date"), ("last", "date")]] {
        check("day 2024-03-01 last 2024-04-01", &order, &both);
        check("last 2024-04-01 day 2024-03-01", &order, &both);
    }
    let days = [("first_day", "date"), ("other_day", "date")];
    let both = "on 2024-03-01 or on 2024-04-01";
    check(both, &days, &json!({"first_day": "?", "other_day": "?"}));
}

#[test]
fn f_135_dates_in_the_words_people_use() {
    let day = [("day", "date")];
    check("what happened on 2024-03-01?", &day, &json!({"day": "2024-03-01"}));
    check("on March 1st, 2024", &day, &json!({"day": "2024-03-01"}));
    check("on the 1st of March 2024", &day, &json!({"day": "2024-03-01"}));
    check("on 3 Sept", &day, &json!({"day": "2026-09-03"}));
    check("on 24 December", &day, &json!({"day": "2025-12-24"}));
    check("since yesterday", &day, &json!({"day": "2026-11-22"}));
    check("three weeks ago", &day, &json!({"day": "2026-11-02"}));
    check("may I see 10 of them?", &day, &json!({}));
    let span = [("date_from", "date"), ("date_to", "date")];
    check(
        "from March 2024 to May 2024",
        &span,
        &json!({"date_from": "2024-03-01", "date_to": "2024-05-31"}),
    );
    check("since 2023", &span, &json!({"date_from": "2023-01-01"}));
    check("until last month", &span, &json!({"date_to": "2026-10-31"}));
    check("31/12/2024", &day, &json!({}));
    check(
        "filings of 2023 with 5 people",
        &[("since", "date"), ("least", "number")],
        &json!({"since": "2023-01-01", "least": 5}),
    );
}

#[test]
fn f_135_names_come_from_the_recogniser() {
    let name = [("who", "entity_name")];
    check("Find Ann Smith", &name, &json!({"who": "Ann Smith"}));
    check(
        "Which grants did the River Valley Trust give?",
        &name,
        &json!({"who": "River Valley Trust"}),
    );
    check("Compare Ann Smith with Robert Jones.", &name, &json!({"who": "?"}));
    check("what about “the water people”?", &name, &json!({"who": "the water people"}));
    check("what is new?", &name, &json!({}));
}

#[test]
fn f_135_texts_and_lists_are_quoted_or_called_by_name() {
    check("look for \"clean water\"", &[("topic", "string")], &json!({"topic": "clean water"}));
    check("topic: clean water, please", &[("topic", "string")], &json!({"topic": "clean water"}));
    check("what about water?", &[("topic", "string")], &json!({}));
    let lists = [("file_names", "list")];
    check(
        "file names: a.xml, b.xml and c.xml",
        &lists,
        &json!({"file_names": ["a.xml", "b.xml", "c.xml"]}),
    );
    check("read “a.xml” and “b.xml”", &lists, &json!({"file_names": ["a.xml", "b.xml"]}));
}

#[test]
fn f_135_what_is_given_is_not_read_and_what_is_understood_has_its_words() {
    let inputs =
        [input("least", "number"), InputDecl { extract_from: None, ..input("most", "number") }];
    let given = json!({"least": 7}).as_object().cloned().unwrap();
    assert_eq!(read("more than 3", &inputs, &given, today()), Reading::default());
    let reading = read("more than $2,000?", &inputs, &Map::new(), today());
    let expect =
        Understood { input: "least".to_owned(), value: json!(2000), words: "2,000".to_owned() };
    assert_eq!(reading.understood, [expect]);
    let reading = read("3 or 4", &inputs, &Map::new(), today());
    assert_eq!(reading.doubts[0].message, "the question may mean “3” or “4”; give it");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn any_question_can_be_read(question in "\\PC{0,200}|([0-9]{1,30}|March|last|ago|“|\"|,|hundred| ){0,40}") {
        let kinds = ["string", "number", "decimal", "date", "entity_name", "list"];
        let inputs: Vec<InputDecl> = kinds.iter().map(|kind| input(&format!("of_{kind}"), kind)).collect();
        let reading = read(&question, &inputs, &Map::new(), today());
        for one in reading.understood {
            prop_assert!(question.contains(&one.words));
        }
    }
}

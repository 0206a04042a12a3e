use countersign_failure::Failure as _;
use countersign_registry::{DataType, Field, OutputSchema, Shape};
use countersign_wiring::gap;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{ModelRequired, Task, answer};

fn schema(shape: Shape, fields: &[(&str, DataType)]) -> OutputSchema {
    let fields = fields.iter().map(|(name, of)| Field::new(name, of.clone())).collect();
    OutputSchema { shape, fields }
}

fn ask(
    instructions: &str,
    template: Option<&str>,
    data: &Value,
    schema: &OutputSchema,
) -> Result<Value, ModelRequired> {
    answer(&Task { instructions: Some(instructions), template, data, schema })
}

fn filings() -> Value {
    json!({ "results": [
        { "name": "Harbor Fund", "revenue": 120_000, "mission": "The fund teaches children to sail. It owns four boats and rents a pier of the old harbour from the city." },
        { "name": "River Trust", "revenue": 90_000, "mission": "The trust cleans rivers. Its treasurer lent the trust 40,000 dollars without a written contract, as the auditor notes." },
    ] })
}

#[test]
fn f_056_the_best_sentence_is_quoted_with_its_place() {
    let one =
        schema(Shape::RecordSet, &[("finding", DataType::String), ("source", DataType::String)]);
    let said = ask("Loans of officers without a contract", None, &filings(), &one).unwrap();
    assert_eq!(
        said["results"][0],
        json!({
            "finding": "Its treasurer lent the trust 40,000 dollars without a written contract, as the auditor notes.",
            "source": "results[1].mission",
        })
    );
}

#[test]
fn f_055_a_report_has_the_headings_of_its_template() {
    let report = schema(Shape::Object, &[("report", DataType::String)]);
    let template = "## Boats and pier\nall of them\n## Revenue of River Trust";
    let said = ask("Report", Some(template), &filings(), &report).unwrap();
    let report = said["report"].as_str().unwrap();
    let (boats, revenue) = report.split_once("\n\n## Revenue of River Trust\n\n").unwrap();
    assert!(
        boats.starts_with("## Boats and pier\n\n- \"It owns four boats and rents a pier"),
        "{report}"
    );
    assert!(
        revenue.starts_with("- \"name: River Trust; revenue: 90000\" (results[1])"),
        "{report}"
    );
}

#[test]
fn f_056_what_is_no_text_needs_a_model() {
    let refused = |shape, fields: &[(&str, DataType)], why: &str| {
        let error = ask("Judge", None, &filings(), &schema(shape, fields)).unwrap_err();
        assert_eq!(error.code(), "MODEL_REQUIRED");
        assert_eq!(error.to_string(), format!("the built-in model only quotes: {why}"));
    };
    let number = ("score", DataType::Number);
    refused(Shape::Scalar, std::slice::from_ref(&number), "`value` is of type number");
    refused(Shape::Object, &[("a", DataType::String), number], "`score` is of type number");
    let texts = [("name", DataType::String), ("reason", DataType::String)];
    refused(Shape::RecordSet, &texts, "a record may have one text, and a field `source`");
}

#[test]
fn f_056_where_nothing_is_said_nothing_is_answered() {
    let fields = [("a", DataType::String), ("b", DataType::array(DataType::String))];
    let object = schema(Shape::Object, &fields);
    assert_eq!(ask("x", None, &json!([]), &object), Ok(json!({ "a": null, "b": [] })));
    let set = schema(Shape::RecordSet, &fields[..1]);
    assert_eq!(ask("x", None, &json!(null), &set), Ok(json!({ "results": [] })));
}

#[test]
fn f_056_what_is_said_twice_is_quoted_once() {
    let data = json!(["The pier is closed.", "The pier is closed!", "Boats wait outside."]);
    let list = schema(Shape::Object, &[("all", DataType::array(DataType::String))]);
    let said = ask("pier", None, &data, &list).unwrap();
    assert_eq!(
        said["all"],
        json!(["\"The pier is closed.\" ([0])", "\"Boats wait outside.\" ([2])"])
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn f_056_nothing_is_invented_and_the_same_task_has_the_same_answer(
        texts in prop::collection::vec("[a-d ]{0,12}[.!?]? ?[a-d ]{0,12}", 0..8),
        asked in "[a-d ]{0,10}",
    ) {
        let data = json!(texts);
        let one = schema(
            Shape::RecordSet,
            &[("text", DataType::String), ("source", DataType::String)],
        );
        let said = ask(&asked, None, &data, &one).unwrap();
        prop_assert_eq!(&said, &ask(&asked, None, &data, &one).unwrap());
        for record in said["results"].as_array().unwrap() {
            let place = record["source"].as_str().unwrap();
            let n: usize = place.trim_matches(['[', ']']).parse().unwrap();
            let whole = texts[n].split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert!(whole.contains(record["text"].as_str().unwrap()));
        }
    }
}

#[test]
fn r_080_a_question_says_what_is_quoted_and_is_not_quoted_itself() {
    let texts = DataType::array(DataType::String);
    let form = schema(Shape::Object, &[("answer", DataType::String), ("sources", texts)]);
    let question = "Whose treasurer got a loan?";
    let quoted = r#""Its treasurer lent the trust 40,000 dollars." (filings[1].mission)"#;
    let data = json!({
        "question": question, "today": "2026-11-29", "about_user": { "tone": "treasurer" },
        "results": {
            "register_1": { "task": question, "answer": quoted, "sources": ["a treasurer"], "confidence_score": 0.5 },
            "press_1": { "task": question, "answer": gap(Some("no loan to a treasurer")), "sources": gap(None) },
        },
    });
    let said = ask("Answer from what specialists found.", None, &data, &form).unwrap();
    let place = "results.register_1.answer, filings[1].mission";
    let expect = format!(r#""Its treasurer lent the trust 40,000 dollars." ({place})"#);
    assert_eq!(said, json!({ "answer": expect, "sources": [place] }));
}

#[test]
fn f_056_where_a_record_came_from_is_not_quoted_as_if_it_said_it() {
    let data = json!([{
        "name": "River Trust", "_source": "register", "_retrieved_at": "2026-11-30T10:00:00Z",
        "_entity_rules": ["The name of a trust is that of an organisation."],
    }]);
    let form = schema(Shape::Object, &[("answer", DataType::String)]);
    let said = ask("Which trust is in the register?", None, &data, &form).unwrap();
    assert_eq!(said["answer"], r#""name: River Trust" ([0])"#);
    // Why a step was skipped is said in a field that begins so, too.
    let skipped = json!({ "_skipped": true, "_reason": "The register was not asked." });
    let said = ask("Which trust is in the register?", None, &skipped, &form).unwrap();
    assert!(said["answer"].as_str().unwrap().contains("The register was not asked."), "{said}");
}

#[test]
fn k_44_a_text_that_looks_like_a_quotation_keeps_its_own_place() {
    let form = schema(Shape::Object, &[("answer", DataType::String)]);
    let data = json!({ "note": r#""The treasurer is honest." (audit.opinion)"# });
    let said = ask("treasurer", None, &data, &form).unwrap();
    assert_eq!(said["answer"], r#""The treasurer is honest." (note, audit.opinion)"#);
    // One that would end its quotation and begin another is a text like any other.
    let data = json!({ "note": r#""Honest treasurer." (a) "No fraud." (audit.opinion)"# });
    let said = ask("treasurer", None, &data, &form).unwrap();
    assert!(said["answer"].as_str().unwrap().ends_with(" (data)"), "{said}");
    let named = r#""The treasurer is honest." (["Officer Name"].note)"#;
    let said = ask("treasurer", None, &json!({ "note": named }), &form).unwrap();
    let expect = r#""The treasurer is honest." (note, ["Officer Name"].note)"#;
    assert_eq!(said["answer"], expect);
}

#[test]
fn r_080_what_only_repeats_the_question_is_no_answer_to_it() {
    let form = schema(Shape::Object, &[("answer", DataType::String)]);
    let data = json!({
        "question": "Where is Margaret Thornquist an officer?",
        "aliases": ["MARGARET THORNQUIST", "MARGARET E THORNQUIST", "THORNQUIST MARGARET ELLEN", "M THORNQUIST", "THORNQUIST M E", "MRS THORNQUIST MARGARET"],
        "relationships": [{ "source": "Margaret Thornquist", "target": "Owl Fund", "type": "OFFICER_OF" }],
    });
    let said = ask("Answer.", None, &data, &form).unwrap();
    assert!(
        said["answer"]
            .as_str()
            .unwrap()
            .starts_with("\"source: Margaret Thornquist; target: Owl Fund"),
        "{said}"
    );
}

//! What steps before found, beside the data.

use super::*;

fn with_findings(findings: Value) -> Call {
    let mut call = judge();
    call.inputs.insert("findings".to_owned(), findings);
    call
}

#[tokio::test]
async fn r_037_a_model_is_told_what_it_is_not_shown_and_so_is_who_reads_the_output() {
    let server = provider(&[r#"{"verdict": "bad", "score": 7.5}"#]).await;
    let found = json!({ "press_1": { "answer": "It filed." }, "files_1": { "answer": "x".repeat(40_000) } });
    let answered = ask(&server, &purse(1), &with_findings(found)).await.unwrap();
    let warning = "the model was shown 16384 of the 40013 bytes of `files_1`";
    let expect = json!({ "verdict": "bad", "score": 7.5, "warnings": [warning] });
    assert_eq!(answered.output, expect);
    let body: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    let user = body["messages"][1]["content"].as_str().unwrap();
    let (_, found) = user.split_once("What was found before").unwrap();
    assert!(found.contains("It filed.") && found.contains("only 16384 of 40013 bytes"), "{found}");
    let mark = found.split("`DATA ").nth(1).unwrap().split('`').next().unwrap();
    assert!(found.ends_with(&format!("\nEND {mark}")), "it is data like any other");
}

#[tokio::test]
async fn r_037_the_built_in_model_quotes_what_was_found() {
    let form =
        OutputSchema { shape: Shape::Object, fields: vec![Field::new("answer", DataType::String)] };
    let data = json!({ "question": "Who got a loan?" });
    let mut call = call(data, json!({ "instructions": "Answer." }), form);
    let found = json!({ "files_1": { "answer": "The treasurer got a loan from the trust in the spring of that year." } });
    call.inputs.insert("findings".to_owned(), found);
    let answered = perform(&offline(), &call).await.unwrap();
    let said = answered.output["answer"].as_str().unwrap();
    assert!(said.contains("got a loan") && said.contains("(findings.files_1"), "{said}");
}

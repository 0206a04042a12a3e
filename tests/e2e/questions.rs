//! Questions: which playbook they mean, and what they say of its inputs.

use countersign_cli::CliError;
use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person};

/// Keeps rows of an amount; `least` may come from the question.
fn playbook(id: &str, description: &str, triggers: &str) -> String {
    format!(
        r#"
id: {id}
name: {id}
description: {description}
triggers: {triggers}
inputs:
  - {{name: rows, type: list, required: true}}
  - {{name: least, type: number, required: true, extract_from: query}}
  - {{name: since, type: date, extract_from: query}}
steps:
  - name: kept
    step_type: tool
    action: transform_data
    inputs: {{data: "{{rows}}"}}
    operations: [{{type: filter, field: amount, operator: gte, value: "{{least}}"}}]
"#
    )
}

/// An agent of ana's with these playbooks as its skills.
async fn agent(ana: &Person, playbooks: &[&str]) -> String {
    let skill = |id: &&str| json!({ "skill_type": "playbook", "reference": id });
    let profile = json!({
        "name": "Payments", "handle": format!("{}-asked", ana.username),
        "skills": playbooks.iter().map(skill).collect::<Vec<Value>>(),
    });
    ana.post("/profiles", &profile).await["id"].as_str().unwrap().to_owned()
}

fn rows() -> Value {
    json!([{ "name": "a", "amount": 5 }, { "name": "b", "amount": 1500 }])
}

/// The problem with which a question is refused.
async fn problem(ana: &Person, agent: &str, query: &str) -> String {
    let body = json!({ "profile": agent, "query": query, "inputs": { "rows": rows() } });
    match ana.door.post(&format!("{FACTORY}/executions"), &body).await {
        Err(error @ CliError::Refused { .. }) => format!("{error:?}"),
        other => panic!("“{query}” was not refused: {other:?}"),
    }
}

#[tokio::test]
async fn f_134_f_135_a_question_chooses_its_playbook_and_says_its_inputs() {
    let ana = person("ana", &["global:analyst"]).await;
    let keyword = "[{pattern: late payers, priority: 5}]";
    ana.playbook(&playbook("late-payers", "Finds who pays late.", keyword)).await;
    let others = r#"[{pattern: "grants? (of|above)", type: regex}, {pattern: large donations of foundations, type: semantic}]"#;
    ana.playbook(&playbook("large-grants", "Finds large grants.", others)).await;
    let agent = agent(&ana, &["late-payers", "large-grants"]).await;
    let ask = |query: &'static str| {
        let body = json!({ "profile": agent, "query": query, "inputs": { "rows": rows() } });
        let ana = &ana;
        async move { ana.post("/executions", &body).await }
    };
    let line = ask("Which GRANTS above $1,000 were given since March 2024?").await;
    assert_eq!(line["playbook_id"], "large-grants", "{line:#}");
    let because = line["chosen_because"].as_str().unwrap();
    assert!(because.contains("“grants? (of|above)”"), "{because}");
    let expect = json!([
        { "input": "least", "value": 1000, "words": "1,000" },
        { "input": "since", "value": "2024-03-01", "words": "March 2024" },
    ]);
    assert_eq!(line["understood"], expect);
    let run = ana.reaches(line["id"].as_str().unwrap(), "complete").await;
    assert_eq!((&run["inputs"]["least"], &run["understood"]), (&json!(1000), &expect));
    let content = run["response"]["content"].as_str().unwrap();
    assert!(content.contains("1500") || content.contains("1,500"), "{content}");

    let line = ask("The donation of a large foundation, at least ten").await;
    assert_eq!(
        (&line["playbook_id"], &line["understood"][0]["value"]),
        (&json!("large-grants"), &json!(10))
    );
    let line = ask("late payers and grants of more than five").await;
    assert_eq!(line["playbook_id"], "late-payers");

    let said = problem(&ana, &agent, "What is the weather?").await;
    for part in
        ["PLAYBOOK_NOT_CHOSEN", "Finds who pays late. It needs rows, least.", "“late payers”"]
    {
        assert!(said.contains(part), "{said}");
    }
    let said = problem(&ana, &agent, "late payers between 3 and 7").await;
    assert!(said.contains("inputs.least") && said.contains("“3” or “7”"), "{said}");
    let said = problem(&ana, &agent, "late payers").await;
    assert!(said.contains("the question does not say it"), "{said}");
}

#[tokio::test]
async fn f_134_a_tie_is_told_and_a_changed_playbook_listens_to_its_new_words() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(&playbook("one", "One.", "[{pattern: payments}]")).await;
    ana.playbook(&playbook("two", "Two.", "[{pattern: payments of}]")).await;
    let agent = agent(&ana, &["one", "two"]).await;
    let said = problem(&ana, &agent, "payments of 5").await;
    assert!(said.contains("PLAYBOOK_AMBIGUOUS") && said.contains("`one` or `two`"), "{said}");
    let yaml = playbook("two", "Two.", "[{pattern: invoices}]");
    ana.door.put(&format!("{FACTORY}/playbooks/two"), &json!({ "yaml": yaml })).await.unwrap();
    let body = json!({ "profile": agent, "query": "payments of 5", "inputs": { "rows": rows() } });
    assert_eq!(ana.post("/executions", &body).await["playbook_id"], "one");
}

use countersign_report::{Provenance, render};
use countersign_run::{CONDITION_FALSE, RunStatus};
use countersign_store_runs::StepOutcome;
use jiff::Timestamp;
use serde_json::json;

use super::*;

fn head() -> Head {
    serde_json::from_value(json!({
        "run": format!("run_{}", "1".repeat(32)), "owner": format!("user_{}", "2".repeat(32)),
        "invoked_by": format!("user_{}", "2".repeat(32)), "scopes": [], "profile_id": "prof_1", "profile_name": "Ana",
        "query": "", "context": "interactive", "started_at": "2026-01-01T00:00:00Z", "attempt": 1, "idle_attempts": 0,
        "events_at_attempt": 0, "version": 1,
    }))
    .unwrap()
}

/// Null was skipped, false has failed.
fn ended(output: &Value) -> StepState {
    let (status, message) = match output {
        Value::Null => (StepStatus::Skipped, Some("the condition is false".to_owned())),
        Value::Bool(false) => (StepStatus::Failed, Some("a record has no `pay`".to_owned())),
        _ => (StepStatus::Done, None),
    };
    let code = (status == StepStatus::Skipped).then(|| CONDITION_FALSE.to_owned());
    StepState {
        status,
        code,
        message,
        count: None,
        took_ms: 1,
        model: None,
        tool_calls: Vec::new(),
        approval: None,
        sent: None,
    }
}

fn outcome(step: &str, state: &StepState, output: &Value) -> StepOutcome {
    StepOutcome {
        step: step.to_owned(),
        status: state.status,
        input_hash: String::new(),
        output: if output.is_boolean() { Value::Null } else { output.clone() },
        count: None,
        code: None,
        message: state.message.clone(),
        verdict: None,
        model: None,
        approval: None,
        attempt: 1,
        at: Timestamp::UNIX_EPOCH,
    }
}

/// What a run of these steps (name, action, output; null was skipped) answers by this `output`: the text, and the data.
fn answered(steps: &[(&str, &str, Value)], output: &Value) -> (String, Answer) {
    let planned = |(name, action, _): &(&str, &str, Value)| json!({"name": name, "kind": "tool", "action": action, "on_error": "skip", "after": [], "allows_gaps": *name == "summary"});
    let mut plan = json!({
        "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
        "owner": format!("user_{}", "2".repeat(32)), "profile": "prof_1", "context": "interactive",
        "playbook": {"id": "p", "version": "1.0.0", "digest": ""}, "inputs": {"who": "Ann *B*"},
        "steps": steps.iter().map(planned).collect::<Vec<_>>(),
    });
    if !output.is_null() {
        plan["output"] = output.clone();
        plan["composed"] =
            json!({"both": {"found": "{find}", "rest": "{more}"}, "none": {"rest": "{more}"}});
    }
    let plan: Plan = serde_json::from_value(plan).unwrap();
    let state = |(name, _, output): &(&str, &str, Value)| ((*name).to_owned(), ended(output));
    let state = RunState { status: RunStatus::Complete, steps: steps.iter().map(state).collect() };
    let outcomes = steps.iter().map(|(name, _, output)| outcome(name, &ended(output), output));
    let outcomes = Outcomes::small(outcomes.collect());
    let head = head();
    let answer =
        Answer::of(Results { head: &head, plan: &plan, state: &state, outcomes: &outcomes });
    let from = Provenance {
        run: head.run.to_string(),
        profile: "Ana".to_owned(),
        playbook: None,
        query: String::new(),
        entity_name: String::new(),
        at: Timestamp::UNIX_EPOCH,
        warnings: Vec::new(),
    };
    let text = render(answer.format, &answer.layout, &answer.shown, &from).unwrap().body;
    (text.split("\n---").next().unwrap_or_default().to_owned(), answer)
}

fn declared(format: &str, rest: &Value) -> Value {
    let mut output = json!({"format": format, "auto_enrich_graph": false, "save_to": "none"});
    output.as_object_mut().unwrap().extend(rest.as_object().cloned().unwrap());
    output
}

fn steps() -> [(&'static str, &'static str, Value); 3] {
    [
        ("find", "transform_data", json!({"data": [{"name": "Ann", "pay": "1.50"}], "count": 1})),
        ("more", "transform_data", Value::Null),
        ("tell", "send_notification", json!({"notification_id": "ntf_1"})),
    ]
}

#[test]
fn f_136_sections_show_the_results_they_name() {
    let sections = json!({"sections": [
        {"title": "People found", "source": "find.data"},
        {"title": "More", "source": "more.data"},
        {"title": "Count", "source": "find.count", "format": "text"},
    ]});
    let (text, answer) = answered(&steps(), &declared("markdown", &sections));
    let expect = "## People found

| Name | Pay |
| --- | --- |
| Ann | 1.50 |

## More

Not known: the step “more” has no result (the condition is false).

## Count

1
";
    assert_eq!(text, expect);
    assert_eq!(
        answer.data,
        json!({"people_found": [{"name": "Ann", "pay": "1.50"}], "more": null, "count": 1})
    );
    assert_eq!(
        answer.problems,
        ["the section “More” is not known: the step “more” has no result (the condition is false)"]
    );
}

#[test]
fn f_136_an_optional_section_is_left_out_with_its_step() {
    let [find, more, tell] = steps();
    let sections = json!({"sections": [
        {"title": "Count", "source": "find.count", "format": "text", "optional": true},
        {"title": "More", "source": "more.data", "optional": true},
    ]});
    let (text, answer) =
        answered(&[find.clone(), more, tell.clone()], &declared("markdown", &sections));
    assert_eq!(text, "## Count\n\n1\n");
    assert_eq!((&answer.data, answer.problems.len()), (&json!({"count": 1}), 0));
    // What failed is not left out.
    let failed = ("more", "transform_data", json!(false));
    let (text, answer) = answered(&[find, failed, tell], &declared("markdown", &sections));
    assert!(text.contains("## More\n\nNot known: the step “more” has no result"), "{text}");
    assert_eq!(answer.problems.len(), 1);
    // Of a parallel step, when all of its steps are left out.
    let parallel = json!({"sections": [
        {"title": "Count", "source": "find.count", "format": "text"},
        {"title": "Both", "source": "both", "optional": true, "format": "json"},
        {"title": "None", "source": "none", "optional": true},
    ]});
    let (text, answer) = answered(&steps(), &declared("markdown", &parallel));
    assert!(text.contains("## Both") && !text.contains("## None"), "{text}");
    assert_eq!(answer.problems.len(), 0);
}

#[test]
fn f_136_a_section_may_show_a_whole_parallel_step() {
    let sections = json!({"sections": [
        {"title": "Both", "source": "both", "format": "json"}, {"title": "None", "source": "none"},
    ]});
    let (_, answer) = answered(&steps(), &declared("json", &sections));
    let found = json!({"data": [{"name": "Ann", "pay": "1.50"}], "count": 1});
    assert_eq!(answer.data, json!({"both": {"found": found, "rest": null}, "none": null}));
    let problem =
        "the section “None” is not known: the step “more” has no result (the condition is false)";
    assert_eq!(answer.problems, [problem]);
}

#[test]
fn f_136_a_template_holds_values_as_text_and_the_sections_where_it_says() {
    let rest = json!({
        "template": "{who} is {{here}}: {find.count}, {more.count}.\n\n{sections}\n\nEnd.",
        "sections": [{"title": "P", "source": "find.data[0].name"}],
    });
    let (text, answer) = answered(&steps(), &declared("markdown", &rest));
    let problem = "“more.count” in the template is not known: the step “more” has no result (the condition is false)";
    assert_eq!(answer.problems, [problem]);
    let expect = "Ann \\*B\\* is {here}: 1, (not known: the step “more” has no result (the condition is false)).

## P

Ann

End.
";
    assert_eq!(text.replace("\\(", "(").replace("\\)", ")"), expect);
}

#[test]
fn f_136_json_is_an_object_of_the_sections() {
    let sections = json!({"sections": [{"title": "A b", "source": "find.count"}, {"title": "a B", "source": "find.data"}]});
    let (text, _) = answered(&steps(), &declared("json", &sections));
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value, json!({"a_b": 1, "a_b_2": [{"name": "Ann", "pay": "1.50"}]}));
}

#[test]
fn f_136_csv_is_the_one_section() {
    let sections = json!({"sections": [{"title": "P", "source": "find.data"}]});
    let (text, _) = answered(&steps(), &declared("csv", &sections));
    assert_eq!(text, "name,pay\r\nAnn,1.50\r\n");
}

#[test]
fn f_035_without_an_output_the_last_result_that_is_not_a_write_is_the_answer() {
    let (text, answer) = answered(&steps(), &Value::Null);
    assert_eq!(answer.data, json!({"data": [{"name": "Ann", "pay": "1.50"}], "count": 1}));
    let expect =
        "## Result\n\n- **Count:** 1\n\n## data\n\n| Name | Pay |\n| --- | --- |\n| Ann | 1.50 |\n";
    assert_eq!(text, expect);
    assert_eq!(answered(&[], &Value::Null).1.data, Value::Null);
    let added = ("sum", "transform_data", json!({"_note": "x", "rows": [{"a": 1}]}));
    let (text, _) = answered(&[added], &Value::Null);
    assert_eq!(text.matches("| 1 |").count(), 1, "{text}");
    let nested = ("sum", "transform_data", json!({"totals": {"paid": "12.50"}, "none": {}}));
    let (text, _) = answered(&[nested], &Value::Null);
    assert!(text.contains("12.50"), "{text}");
}

#[test]
fn f_020_an_earlier_result_is_not_passed_off_as_the_answer() {
    let [find, more, tell] = steps();
    let failed = (more.0, more.1, json!(false));
    let (_, answer) = answered(&[find.clone(), failed.clone(), tell.clone()], &Value::Null);
    let problem =
        "the step “more” has no result (a record has no `pay`); this is the result of “find”";
    assert_eq!((&answer.problems[..], answer.is_incomplete), (&[problem.to_owned()][..], true));
    // What the author's condition leaves out is not missed.
    let (_, answer) = answered(&[find, more, tell.clone()], &Value::Null);
    assert_eq!((&answer.problems[..], answer.is_incomplete), (&[][..], false));
    let (_, answer) = answered(&[failed, tell], &Value::Null);
    assert_eq!(answer.problems, ["the step “more” has no result (a record has no `pay`)"]);
}

#[test]
fn f_136_what_a_summary_would_sum_up_is_whole_without_it() {
    let [find, _, tell] = steps();
    let sections = json!({
        "summary_prompt": "Sum up.",
        "sections": [{"title": "Summary", "source": "summary.summary"}, {"title": "Found", "source": "find.data"}],
    });
    let declared = declared("markdown", &sections);
    let failed = ("summary", "synthesize_report", json!(false));
    let (text, answer) = answered(&[find, tell, failed], &declared);
    assert!(!answer.is_incomplete && text.contains("Ann"), "{text}");
    assert_eq!(
        answer.problems,
        [
            "the section “Summary” is not known: the step “summary” has no result (a record has no `pay`)"
        ]
    );
}

#[test]
fn f_136_an_answer_that_names_a_failed_step_is_incomplete() {
    let [find, more, tell] = steps();
    let sections = json!({"sections": [{"title": "More", "source": "more.data"}]});
    let declared = declared("markdown", &sections);
    let (_, answer) = answered(&[find.clone(), more.clone(), tell.clone()], &declared);
    assert!(!answer.is_incomplete);
    let failed = (more.0, more.1, json!(false));
    let (_, answer) = answered(&[find, failed, tell], &declared);
    assert!(answer.is_incomplete);
}

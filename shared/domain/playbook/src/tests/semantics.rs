//! What a valid playbook holds.

use serde_json::json;

use super::{around, bindings, problems, registry, step, valid};
use crate::{CompileContext, OnError, OnReject, StepKind, ValidPlaybook, graph, render};

pub(super) const FLOW: &str = r#"  - name: filings
    step_type: tool
    action: call_connector
    connector: irs-990-xml
    endpoint: officers
    output_key: rows
    inputs: {year: 2024}
  - name: both
    step_type: tool
    action: parallel
    output_key: sides
    parallel_steps:
      - {name: left, step_type: tool, action: extract_entities, output_key: people, inputs: {data: "{rows.results}"}}
      - {name: right, step_type: tool, action: query_journal, inputs: {query: "{who}"}}
  - name: match
    step_type: tool
    action: cross_reference
    inputs: {dataset_a: "{sides.people.entities}", dataset_b: "{people.entities}"}
  - name: sign
    step_type: approval
    prompt: "Save {match.count} matches for {who}?"
    preview_from: "{match.matches}"
    on_reject: skip
    approvers: [ada, ben@example.org]
    quorum: 2
    assurance: signed_in
  - name: save
    step_type: tool
    action: save_to_workspace
    condition: "{sides.right.count} >= 0 AND {match.count} > 0"
    inputs: {data: "{match.matches}"}
    params: {table_name: matches}
  - name: tell
    step_type: tool
    action: route_output
    inputs: {data: "{sides}"}
"#;

fn on_error(text: &str, name: &str) -> (OnError, u32) {
    let playbook = valid(text);
    let step = step(&playbook, name);
    (step.on_error, step.retry_count)
}

#[test]
fn f_131_a_valid_playbook_survives_json() {
    let playbook = valid(&around(FLOW));
    let text = serde_json::to_string(&playbook).unwrap();
    assert_eq!(serde_json::from_str::<ValidPlaybook>(&text).unwrap(), playbook);
    insta::assert_json_snapshot!(playbook);
}

#[test]
fn the_digest_covers_meaning_and_nothing_else() {
    let digest = |text: &str| valid(&around(text)).digest;
    let same = digest(FLOW);
    assert_eq!(same.len(), 64);
    assert_eq!(digest(&format!("{FLOW}# a remark\n")), same);
    assert_ne!(digest(&FLOW.replace("table_name: matches", "table_name: hits")), same);
    assert_ne!(digest(&FLOW.replace("quorum: 2", "quorum: 1")), same);
}

#[test]
fn k_55_references_become_canonical() {
    let playbook = valid(&around(FLOW));
    let StepKind::Action { inputs, .. } = &step(&playbook, "match").kind else { panic!() };
    assert_eq!(
        json!(inputs),
        json!({"dataset_a": "{left.entities}", "dataset_b": "{left.entities}"})
    );
    let StepKind::Approval { preview_from, prompt, .. } = &step(&playbook, "sign").kind else {
        panic!()
    };
    assert_eq!(preview_from.as_deref(), Some("match.matches"));
    assert_eq!(prompt, "Save {match.count} matches for {who}?");
    assert_eq!(
        step(&playbook, "save").condition.as_deref(),
        Some("{right.count} >= 0 AND {match.count} > 0")
    );
}

#[test]
fn f_054_all_results_of_a_parallel_step_are_spelled_out() {
    let playbook = valid(&around(FLOW));
    let StepKind::Action { inputs, .. } = &step(&playbook, "tell").kind else { panic!() };
    assert_eq!(json!(inputs), json!({"data": {"people": "{left}", "right": "{right}"}}));
    let text = around(&FLOW.replace("Save {match.count}", "Save {sides}"));
    let hint = "name one of them: `{sides.people}`";
    assert_eq!(
        problems(&text),
        [format!("P020 {{sides}}: `{{sides}}` holds the results of several steps | {hint}")]
    );
    let text = around(&FLOW.replace("{sides.people.entities}", "{sides.persons.entities}"));
    assert_eq!(
        problems(&text)[0],
        "P016 {sides.persons.entities}: `both` has no sub-step `persons` | its results are `people`, `right`"
    );
}

#[test]
fn f_054_sub_steps_do_not_use_each_other() {
    let text = around(&FLOW.replace("query: \"{who}\"", "query: \"{people.entities[0].name}\""));
    assert_eq!(
        problems(&text),
        [
            "P017 {people.entities[0].name}: `right` runs beside `left`, so it cannot use its result | put the step that needs the other one after the parallel step"
        ]
    );
}

#[test]
fn f_054_nesting_is_bounded_and_gates_stand_outside() {
    let wrap = |inner: &str, name: &str| {
        format!("{{name: {name}, step_type: tool, action: parallel, parallel_steps: [{inner}]}}")
    };
    let leaf = "{name: leaf, step_type: tool, action: query_journal}";
    let nested = |inner: &str| around(&format!("  - {inner}\n"));
    assert_eq!(problems(&nested(&wrap(&wrap(leaf, "b"), "a"))), Vec::<String>::new());
    let three = wrap(&wrap(&wrap(leaf, "c"), "b"), "a");
    assert_eq!(problems(&nested(&three)), ["P026 c: parallel steps nest deeper than 2 levels"]);
    let gate = "{name: g, step_type: approval, prompt: ok?}";
    assert_eq!(
        problems(&nested(&wrap(gate, "a"))),
        [
            "P026 g: an approval cannot stand among parallel steps | put it before or after the parallel step"
        ]
    );
}

#[test]
fn f_148_k_50_steps_before_an_effect_stop_by_default() {
    let text = around(FLOW);
    for name in ["filings", "both", "left", "right", "match", "sign"] {
        assert_eq!(on_error(&text, name).0, OnError::Stop, "{name}");
    }
    for name in ["save", "tell"] {
        assert_eq!(on_error(&text, name).0, OnError::Skip, "{name}");
    }
    let lonely = around("  - {name: look, step_type: tool, action: query_journal}\n");
    assert_eq!(on_error(&lonely, "look"), (OnError::Skip, 0));
}

#[test]
fn f_054_what_stands_at_a_parallel_step_holds_for_its_sub_steps() {
    let leaf = "{name: leaf, step_type: tool, action: query_journal, condition: \"true\"}";
    let bare = "{name: bare, step_type: tool, action: query_journal, on_error: retry}";
    let inner = format!(
        "{{name: inner, step_type: tool, action: parallel, condition: \"{{year}} > 1\", parallel_steps: [{leaf}, {bare}]}}"
    );
    let text = format!(
        "  - {{name: outer, step_type: tool, action: parallel, on_error: stop, condition: \"{{who}} is defined\", parallel_steps: [{inner}]}}\n"
    );
    let playbook = valid(&around(&text));
    let condition = |name: &str| step(&playbook, name).condition.clone();
    assert_eq!(condition("outer").as_deref(), Some("{who} is defined"));
    assert_eq!(condition("inner"), None);
    assert_eq!(condition("leaf").as_deref(), Some("({year} > 1) AND (true)"));
    assert_eq!(condition("bare").as_deref(), Some("{year} > 1"));
    assert_eq!(step(&playbook, "leaf").on_error, OnError::Stop);
    assert_eq!(
        (step(&playbook, "bare").on_error, step(&playbook, "bare").retry_count),
        (OnError::Retry, 1)
    );
}

#[test]
fn k_50_skipping_before_an_effect_is_warned_of() {
    let text = around(&FLOW.replace(
        "    action: cross_reference\n",
        "    action: cross_reference\n    on_error: skip\n",
    ));
    let hint = "leave `on_error` out: it is `stop` here";
    assert_eq!(
        problems(&text),
        [format!(
            "P104 skip: if `match` fails, a later step with an effect runs without its result | {hint}"
        )]
    );
    assert_eq!(on_error(&text, "match").0, OnError::Skip);
}

#[test]
fn f_149_k_51_counts_hold_and_retry_alone_means_once() {
    let with = |rest: &str| {
        on_error(
            &around(&format!("  - {{name: s, step_type: tool, action: query_journal{rest}}}\n")),
            "s",
        )
    };
    assert_eq!(with(", on_error: retry"), (OnError::Retry, 1));
    assert_eq!(with(", on_error: retry, retry_count: 4"), (OnError::Retry, 4));
    assert_eq!(with(", on_error: retry, retry_count: 0"), (OnError::Retry, 1));
    assert_eq!(with(", on_error: stop, retry_count: 3"), (OnError::Stop, 3));
    assert_eq!(with(", retry_count: 2"), (OnError::Skip, 2));
}

#[test]
fn r_024_how_pauses_between_attempts_grow_is_a_setting_of_a_step() {
    let of = |rest: &str| {
        around(&format!(
            "  - {{name: s, step_type: tool, action: query_journal, inputs: {{query: x}}{rest}}}\n"
        ))
    };
    let stored = |rest: &str| {
        let playbook = valid(&of(rest));
        let kept = serde_json::to_value(step(&playbook, "s")).unwrap();
        (kept["backoff_multiplier"].clone(), playbook.digest)
    };
    let (plain, digest) = stored(", retry_count: 2");
    assert!(plain.is_null(), "what is left out is not stored");
    assert_eq!(stored(", retry_count: 2, backoff_multiplier: 2"), (plain, digest.clone()));
    let (kept, other) = stored(", retry_count: 2, backoff_multiplier: 3");
    assert_eq!((kept, other == digest), (json!(3), false));

    let told = |rest: &str| problems(&of(rest));
    for wrong in ["0", "11", "1.5"] {
        let [problem] = &told(&format!(", retry_count: 2, backoff_multiplier: {wrong}"))[..] else {
            panic!("{wrong}")
        };
        let expect = format!(" {wrong}: `backoff_multiplier` must be a whole number from 1 to 10");
        assert!(problem.contains(&expect), "{problem}");
    }
    let expect = "P114 s: `backoff_multiplier` has no effect: there is no second retry | write `retry_count: 2` or more, or leave it out";
    for few in ["", ", retry_count: 1", ", on_error: retry"] {
        assert_eq!(told(&format!("{few}, backoff_multiplier: 3")), [expect], "{few}");
    }
    // `query_journal` has 56 seconds; the third pause would be fifty.
    assert_eq!(told(", retry_count: 2, backoff_multiplier: 10"), [""; 0]);
    let expect = "P114 s: `retry_count: 5` cannot be made: with such pauses, the 56 seconds of `query_journal` leave time for 2 | write `retry_count: 2`, or a smaller `backoff_multiplier`";
    assert_eq!(told(", retry_count: 5, backoff_multiplier: 10"), [expect]);
    assert_eq!(told(", retry_count: 5, backoff_multiplier: 2"), [""; 0]);
}

#[test]
fn f_194_a_playbook_of_any_mode_has_gates() {
    for mode in ["deterministic", "llm_augmented", "hybrid"] {
        let steps = around("  - {name: ask, step_type: approval, prompt: ok?}\n");
        let playbook = valid(&format!("execution_mode: {mode}\n{steps}"));
        assert!(matches!(step(&playbook, "ask").kind, StepKind::Approval { .. }), "{mode}");
    }
}

#[test]
fn k_12_k_13_gates_have_their_defaults() {
    let playbook = valid(&around("  - {name: ask, step_type: approval, prompt: ok?}\n"));
    let StepKind::Approval { on_reject, quorum, preview_limit, approvers, timeout_minutes, .. } =
        &step(&playbook, "ask").kind
    else {
        panic!()
    };
    assert_eq!(
        (*on_reject, *quorum, *preview_limit, approvers.len(), *timeout_minutes),
        (OnReject::Stop, 1, 10, 0, None)
    );
    let skip = around(
        "  - {name: ask, step_type: approval, prompt: ok?, on_error: skip, quorum: 3, approvers: [ada]}\n",
    );
    assert_eq!(
        problems(&skip),
        [
            "P005 skip: `on_error` must be `stop`, found `skip` | a gate that cannot be opened always stops the run; `on_reject` says what a denial means",
            "P006 3: 3 must approve, but only 1 may",
        ]
    );
}

#[test]
fn k_13_nobody_is_named_twice() {
    let gate = |more: &str| {
        around(&format!("  - {{name: ask, step_type: approval, prompt: ok?, {more}}}\n"))
    };
    let twice = "P008 bea: `bea` is named already, and signs once | name each person once";
    assert_eq!(problems(&gate("quorum: 2, approvers: [bea, ada]")), Vec::<String>::new());
    assert_eq!(problems(&gate("approvers: [bea, ada, bea]")), [twice]);
    assert_eq!(problems(&gate("escalation: {to: [bea, bea]}")), [twice]);
    let few = problems(&gate("quorum: 2, approvers: [bea, bea]"));
    assert!(few.contains(&"P006 2: 2 must approve, but only 1 may".to_owned()), "{few:?}");
    assert!(few.contains(&twice.to_owned()), "{few:?}");
}

#[test]
fn k_12_a_gate_names_who_is_asked_in_addition_while_there_is_time() {
    let gate = |escalation: &str| {
        around(&format!(
            "  - name: ask\n    step_type: approval\n    prompt: ok?\n    timeout_minutes: 2880\n    escalation: {escalation}\n"
        ))
    };
    let playbook = valid(&gate("{to: [ada, bo], after_minutes: 60}"));
    let StepKind::Approval { escalation: Some(escalation), .. } = &step(&playbook, "ask").kind
    else {
        panic!()
    };
    assert_eq!((escalation.to.len(), escalation.after_minutes), (2, Some(60)));
    assert_eq!(problems(&gate("{to: [ada]}")), Vec::<String>::new());
    assert_eq!(
        problems(&gate("{to: [ada], after_minutes: 2880}")),
        ["P006 2880: after 2880 minutes the gate is over: it ends after 2880"]
    );
    assert_eq!(problems(&gate("{to: []}")).len(), 1);
    assert_eq!(problems(&gate("{after_minutes: 60}")).len(), 1);
}

#[test]
fn k_53_connector_endpoint_and_operations_become_params() {
    let beside = "  - {name: s, step_type: tool, action: transform_data, inputs: {data: []}, operations: [{type: limit, value: 3}]}\n";
    let inside = "  - {name: s, step_type: tool, action: transform_data, inputs: {data: []}, params: {operations: [{type: limit, value: 3}]}}\n";
    assert_eq!(valid(&around(beside)).digest, valid(&around(inside)).digest);
    let both = beside.replace("operations:", "params: {operations: []}, operations:");
    assert_eq!(
        problems(&around(&both)),
        [
            "P008 operations: `operations` is written beside the action and in `params` | keep one of them"
        ]
    );
}

#[test]
fn k_53_the_endpoint_decides_where_a_call_runs() {
    let call = |connector: &str, endpoint: &str, inputs: &str| {
        let text = around(&format!(
            "  - {{name: s, step_type: tool, action: call_connector, connector: {connector}, endpoint: {endpoint}, inputs: {inputs}}}\n"
        ));
        match &step(&valid(&text), "s").kind {
            StepKind::Action { irreversible, function, .. } => (*irreversible, function.clone()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(call("irs-990-xml", "officers", "{year: 1}"), (false, "tool-connect".to_owned()));
    assert_eq!(call("letters", "send", "{to: a}"), (true, "tool-connect-write".to_owned()));
}

#[test]
fn f_167_the_graph_is_typed() {
    let (registry, bindings) = (registry(), bindings());
    let graph = graph(&valid(&around(FLOW)), &CompileContext::of(&registry).with(&bindings));
    insta::assert_json_snapshot!(graph);
}

#[test]
fn stages_are_drawn_as_a_tree() {
    insta::assert_snapshot!(render::stages(&valid(&around(FLOW))));
}

#[test]
fn versions_are_taken_as_written() {
    let version = |text: &str| valid(&format!("version: {text}\n{}", around(FLOW))).version;
    assert_eq!(version("1.10"), "1.10");
    assert_eq!(version("\"2.0.0\""), "2.0.0");
}

//! Plans of playbooks: what is signed where, samples, inputs, seals.

mod chains;
mod confirm;
mod for_each;
mod random;
mod revise;

use countersign_identity::UserId;
use countersign_playbook as playbook;
use countersign_registry::{BackoffMultiplier, DataType, Field, OutputSchema, Registry, Shape};
use countersign_run::{DryRun, RunContext, RunId};
use serde_json::{Map, Value, json};

use crate::{
    DryRunContext, OnError, OnWarning, Plan, PlanError, Request, StandInSource, StepKind, check,
    check_seal, descriptors, inputs, plan, seal, stages,
};

fn request() -> Request {
    Request {
        tenant: "acme".to_owned(),
        run: RunId::from_bytes([1; 16]),
        owner: UserId::from_bytes([2; 16]),
        profile: "prof_1".to_owned(),
        context: RunContext::Interactive,
        inputs: Map::new(),
    }
}

fn step(name: &str, kind: playbook::StepKind) -> playbook::Step {
    playbook::Step {
        name: name.to_owned(),
        description: String::new(),
        kind,
        condition: None,
        on_error: playbook::OnError::Stop,
        on_warning: None,
        retry_count: 0,
        backoff_multiplier: BackoffMultiplier::default(),
        timeout_seconds: None,
        for_each: None,
    }
}

fn action(irreversible: bool, reads: Option<&str>) -> playbook::StepKind {
    let inputs = reads
        .map(|read| ("data".to_owned(), json!(format!("{{{read}.data}}"))))
        .into_iter()
        .collect();
    playbook::StepKind::Action {
        action: "transform_data".to_owned(),
        inputs,
        params: Map::new(),
        output_key: None,
        output_schema: None,
        llm: false,
        allow_missing: false,
        model: None,
        irreversible,
        function: if irreversible { "tool-connect-write" } else { "tool-data" }.to_owned(),
    }
}

fn approval() -> playbook::StepKind {
    playbook::StepKind::Approval {
        preview_from: None,
        preview_limit: 10,
        preview_columns: Vec::new(),
        prompt: "go on?".to_owned(),
        timeout_minutes: None,
        escalation: None,
        on_reject: playbook::OnReject::Stop,
        approvers: Vec::new(),
        quorum: 1,
        assurance: None,
        revise: Vec::new(),
    }
}

fn of(steps: Vec<playbook::Step>) -> playbook::ValidPlaybook {
    playbook::ValidPlaybook {
        id: "p".to_owned(),
        name: "P".to_owned(),
        description: String::new(),
        version: "1.0.0".to_owned(),
        category: playbook::Category::Analysis,
        tags: Vec::new(),
        required_connectors: Vec::new(),
        execution_mode: Some(playbook::ExecutionMode::Deterministic),
        run_context: RunContext::Interactive,
        approval_policy: None,
        monitor_config: None,
        triggers: Vec::new(),
        inputs: Vec::new(),
        steps,
        output: None,
        digest: "0".repeat(64),
    }
}

fn planned(steps: Vec<playbook::Step>) -> Plan {
    plan(&of(steps), request())
}

#[test]
fn f_151_a_playbook_is_a_chain_and_only_parallel_widens_it() {
    let both = playbook::StepKind::Parallel {
        steps: vec![step("b", action(false, None)), step("c", action(false, None))],
        output_key: None,
    };
    let plan = planned(vec![
        step("a", action(false, None)),
        step("both", both),
        step("d", action(false, None)),
    ]);
    let names: Vec<Vec<&str>> = stages(&plan)
        .unwrap()
        .iter()
        .map(|stage| stage.iter().map(|step| step.name.as_str()).collect())
        .collect();
    assert_eq!(names, [vec!["a"], vec!["b", "c"], vec!["d"]]);
    assert_eq!(plan.step("d").unwrap().after, ["b", "c"]);
}

fn looks() -> playbook::Step {
    let mut looks = action(false, None);
    let playbook::StepKind::Action { action, .. } = &mut looks else { panic!("an action") };
    *action = "extract_facts".to_owned();
    step("learn", looks)
}

/// An answer with facts that are looked for beside it, and a step that may read something.
fn learning(reads: Option<&str>) -> Vec<playbook::Step> {
    let steps = vec![step("answer", action(false, None)), looks()];
    let both = playbook::StepKind::Parallel { steps, output_key: None };
    vec![step("both", both), step("c", action(false, reads))]
}

#[test]
fn r_086_facts_that_nothing_shows_are_beside_the_answer() {
    let with = |reads: Option<&str>, source: Option<&str>| {
        let output = source.map(|source| {
            serde_json::from_value(json!({
                "format": "markdown", "auto_enrich_graph": false, "save_to": "none",
                "sections": [{ "title": "Answer", "source": source }],
            }))
            .unwrap()
        });
        let playbook = playbook::ValidPlaybook { output, ..of(learning(reads)) };
        let plan = plan(&playbook, request());
        plan.is_beside_the_answer(plan.step("learn").unwrap())
    };
    assert!(with(None, Some("answer.answer")));
    assert!(!with(Some("learn"), Some("answer.answer")), "a step reads them");
    assert!(!with(None, Some("learn.found")), "the output shows them");
    assert!(!with(None, Some("both")), "with the rest");
    assert!(!with(None, None), "perhaps as the last result");
}

#[test]
fn r_086_no_step_needs_facts_that_it_does_not_read() {
    let both = |reads: Option<&str>| planned(learning(reads));
    assert_eq!(both(None).step("c").unwrap().after, ["answer"]);
    assert_eq!(both(Some("learn")).step("c").unwrap().after, ["answer", "learn"]);
    let alone = planned(vec![looks(), step("c", action(false, None))]);
    assert_eq!(alone.step("c").unwrap().after, ["learn"], "as it is written");
}

#[test]
fn f_199_auto_approve_skips_no_gate() {
    let with = |policy: &str| {
        let text = format!(
            "id: nightly\nname: Nightly\nrun_context: scheduled\napproval_policy: {policy}\ninputs:\n  - {{name: rows, type: list}}\nsteps:\n  - {{name: ask, step_type: approval, prompt: ok?}}\n  - {{name: keep, step_type: tool, action: transform_data, inputs: {{data: '{{rows}}'}}, operations: [{{type: limit, value: 1}}]}}\n"
        );
        let (registry, source) = (Registry::builtin(), playbook::PlaybookSource::new("p", &text));
        let compiled = playbook::compile(&source, &playbook::CompileContext::of(&registry));
        let problems: Vec<_> = compiled.errors().collect();
        assert!(problems.is_empty(), "{problems:?}");
        plan(&compiled.playbook.unwrap(), request())
    };
    let (asking, auto) = (with("require"), with("auto_approve"));
    assert_eq!(asking.steps, auto.steps);
    assert_eq!(auto.step("ask").unwrap().kind, StepKind::Gate);
    assert_eq!(auto.step("keep").unwrap().guard.as_deref(), Some("ask"));
}

#[test]
fn k_10_a_gate_signs_what_is_known_and_the_rest_signs_for_itself() {
    let plan = planned(vec![
        step("read", action(false, None)),
        step("ask", approval()),
        step("known", action(true, Some("read"))),
        step("unknown", action(true, Some("known"))),
    ]);
    assert_eq!(plan.step("ask").unwrap().gate.as_ref().unwrap().covers, ["known"]);
    assert_eq!(plan.step("known").unwrap().kind, StepKind::Tool);
    assert_eq!(plan.step("unknown").unwrap().kind, StepKind::GatedTool);
    assert!(check(&plan).is_ok());
}

#[test]
fn a_plan_that_goes_around_its_signature_is_refused() {
    let mut plan = planned(vec![step("ask", approval()), step("pay", action(true, None))]);
    plan.steps[1].after.clear();
    assert_eq!(check(&plan), Err(vec![PlanError::Unsigned { step: "pay".to_owned() }]));
}

#[test]
fn f_163_steps_that_wait_for_each_other_are_named() {
    let mut plan = planned(vec![step("a", action(false, None)), step("b", action(false, None))]);
    plan.steps[0].after = vec!["b".to_owned()];
    assert_eq!(
        stages(&plan),
        Err(PlanError::Cycle { steps: vec!["a".to_owned(), "b".to_owned()] })
    );
}

#[test]
fn r_040_a_diamond_has_three_stages() {
    let mut plan =
        planned(["a", "b", "c", "d"].map(|name| step(name, action(false, None))).to_vec());
    plan.steps[2].after = vec!["a".to_owned()];
    plan.steps[3].after = vec!["b".to_owned(), "c".to_owned()];
    assert_eq!(stages(&plan).unwrap().iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 1]);
}

#[test]
fn the_seal_changes_with_anything_in_the_plan() {
    let plan = planned(vec![step("ask", approval()), step("pay", action(true, None))]);
    let sealed = seal(&plan).unwrap();
    assert!(check_seal(&plan, &sealed).is_ok());
    let mut other = plan.clone();
    other.steps[1].params.insert("amount".to_owned(), json!("1.00"));
    assert_eq!(check_seal(&other, &sealed), Err(PlanError::SealBroken));
    let round_trip: Plan = serde_json::from_value(serde_json::to_value(&plan).unwrap()).unwrap();
    assert!(check_seal(&round_trip, &sealed).is_ok(), "storing and reading changes the seal");
}

#[test]
fn f_312_k_51_what_a_failure_means_after_how_many_retries() {
    let steps = ["skip", "stop", "retry", "skip, retry_count: 2", "retry, retry_count: 3"];
    let lines = steps.iter().enumerate().map(|(n, on_error)| {
        format!("  - {{name: s{n}, step_type: tool, action: transform_data, inputs: {{data: []}}, operations: [{{type: limit, value: 1}}], on_error: {on_error}}}\n")
    });
    let yaml = format!(
        "id: p\nname: P\ndescription: P.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n{}",
        lines.collect::<String>()
    );
    let registry = Registry::builtin();
    let source = playbook::PlaybookSource::new("p.yaml", &yaml);
    let compiled = playbook::compile(&source, &playbook::CompileContext::of(&registry));
    let plan = plan(&compiled.playbook.unwrap(), request());
    let meant: Vec<(OnError, u32)> = plan.steps.iter().map(|s| (s.on_error, s.retries)).collect();
    let (skip, stop) = (OnError::Skip, OnError::Stop);
    assert_eq!(meant, [(skip, 0), (stop, 0), (stop, 1), (skip, 2), (stop, 3)]);
}

/// A test of a plan, with these samples.
fn rehearsed(plan: &Plan, mode: DryRun, samples: &Value) -> Result<Plan, Vec<String>> {
    let (registry, endpoints) = (Registry::builtin(), playbook::Bindings::none());
    let samples = samples.as_object().unwrap();
    let rehearsal = DryRunContext { mode, registry: &registry, endpoints: &endpoints, samples };
    let mut plan = plan.clone();
    match rehearsal.apply(&mut plan) {
        Ok(()) => Ok(plan),
        Err(problems) => Err(problems.into_iter().map(|problem| problem.path).collect()),
    }
}

#[test]
fn f_341_a_sample_stands_in_and_what_it_leaves_out_is_empty() {
    let plan = planned(vec![step("ask", approval()), step("sort", action(false, None))]);
    let tested = rehearsed(&plan, DryRun::Samples, &json!({"sort": {"data": [{"a": 1}]}})).unwrap();
    let stand_in = tested.step("sort").unwrap().stand_in.as_ref().unwrap();
    assert_eq!(stand_in.source, StandInSource::Sample);
    assert_eq!(stand_in.output["data"], json!([{"a": 1}]));
    assert_eq!(stand_in.output["count"], json!(1), "the count of the records");
    let decided = |plan: &Plan| {
        plan.step("ask").unwrap().stand_in.clone().unwrap().output["decision"].clone()
    };
    assert_eq!(decided(&tested), json!("approved"));
    let denied = rehearsed(&plan, DryRun::Samples, &json!({"ask": {"decision": "denied"}}));
    assert_eq!(decided(&denied.unwrap()), json!("denied"));
}

#[test]
fn k_46_a_test_asks_no_model_and_its_answer_is_empty_or_the_sample() {
    let mut judge = step("judge", action(false, None));
    if let playbook::StepKind::Action { action, llm, function, output_schema, .. } = &mut judge.kind
    {
        "llm_analyze".clone_into(action);
        "tool-model".clone_into(function);
        *llm = true;
        let fields =
            vec![Field::new("risk", DataType::Number), Field::new("why", DataType::String)];
        *output_schema = Some(OutputSchema { shape: Shape::Object, fields });
    }
    let plan = planned(vec![judge]);
    for mode in [DryRun::Reads, DryRun::Samples] {
        let output = |samples: &Value| {
            let tested = rehearsed(&plan, mode, samples).unwrap();
            assert_eq!(tested.steps[0].function, "tool-model", "it says what would be asked");
            Value::Object(tested.steps[0].stand_in.clone().unwrap().output)
        };
        assert_eq!(output(&json!({})), json!({ "risk": 0, "why": "" }));
        let sample = json!({ "judge": { "risk": 8 } });
        assert_eq!(output(&sample), json!({ "risk": 8, "why": "" }));
        let wrong = json!({ "judge": { "risk": "high", "grade": 1 } });
        assert_eq!(rehearsed(&plan, mode, &wrong).unwrap_err().len(), 2);
    }
}

#[test]
fn f_341_samples_that_fit_nothing_are_all_named() {
    let plan = planned(vec![step("ask", approval()), step("sort", action(false, None))]);
    let samples = json!({"ask": {}, "srot": {}, "sort": {"count": "many", "rows": 1}});
    let mut found = rehearsed(&plan, DryRun::Reads, &samples).unwrap_err();
    found.sort();
    assert_eq!(found, ["ask", "sort.count", "sort.rows", "srot"]);
    let many: Map<String, Value> = (0..501).map(|n| (format!("s{n}"), json!({}))).collect();
    assert_eq!(rehearsed(&plan, DryRun::Reads, &Value::Object(many)).unwrap_err(), [""]);
    for wrong in
        [json!("approved"), json!({"decision": "maybe"}), json!({"decision": "denied", "by": 1})]
    {
        assert_eq!(rehearsed(&plan, DryRun::Reads, &json!({"ask": wrong})).unwrap_err(), ["ask"]);
    }
    assert_eq!(rehearsed(&plan, DryRun::Reads, &json!({"sort": 1})).unwrap_err(), ["sort"]);
}

#[test]
fn k_46_a_test_with_an_effect_is_refused() {
    let mut plan = planned(vec![step("ask", approval()), step("pay", action(true, None))]);
    plan.dry_run = Some(DryRun::Reads);
    assert_eq!(check(&plan), Err(vec![PlanError::ActsInDryRun { step: "pay".to_owned() }]));
}

#[test]
fn a_gate_has_no_function_and_a_tool_has_its_full_name() {
    let plan = planned(vec![step("ask", approval()), step("pay", action(true, None))]);
    let found = descriptors(&plan, "s", "stack-").unwrap();
    assert_eq!(
        (found[0][0].function.as_str(), found[1][0].function.as_str()),
        ("", "stack-tool-connect-write")
    );
}

#[test]
fn f_135_inputs_are_checked_completed_and_typed() {
    let mut playbook = of(Vec::new());
    let decl = |name: &str, input_type, required, default| playbook::InputDecl {
        name: name.to_owned(),
        input_type,
        description: String::new(),
        required,
        default,
        extract_from: None,
    };
    playbook.inputs = vec![
        decl("files", playbook::InputType::List, true, None),
        decl("limit", playbook::InputType::Number, false, Some(json!(5))),
    ];
    let given = |value: Value| value.as_object().unwrap().clone();
    let filled = inputs(&playbook, &given(json!({"files": ["a"]}))).unwrap();
    assert_eq!(Value::Object(filled), json!({"files": ["a"], "limit": 5}));
    let problems = inputs(&playbook, &given(json!({"file": 1}))).unwrap_err();
    assert_eq!(
        problems.iter().map(|problem| problem.name.as_str()).collect::<Vec<_>>(),
        ["file", "files"]
    );
}

#[test]
fn f_311_warnings_before_an_irreversible_step_are_signed_unless_its_author_says_otherwise() {
    let mut told = step("told", action(false, None));
    told.on_warning = Some(OnWarning::Continue);
    let plan = planned(vec![
        step("read", action(false, None)),
        told,
        step("ask", approval()),
        step("pay", action(true, Some("read"))),
        step("after", action(false, None)),
    ]);
    let of = |name: &str| plan.step(name).unwrap().on_warning;
    assert_eq!((of("read"), of("told")), (OnWarning::Gate, OnWarning::Continue));
    for name in ["ask", "pay", "after"] {
        assert_eq!(of(name), OnWarning::Continue, "{name}");
    }
    let before = plan.before("pay");
    assert_eq!(before.into_iter().collect::<Vec<_>>(), ["ask", "read", "told"]);
}

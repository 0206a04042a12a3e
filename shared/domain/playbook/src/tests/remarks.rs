//! What is noted and warned of in a playbook that can run.

use super::semantics::FLOW;
use super::{around, compiled, problems, registry, shown, step};
use crate::{CompileContext, PlaybookSource, StepKind, compile};

#[test]
fn k_16_a_gate_of_less_than_a_day_is_warned_of_and_holds() {
    let gate = |minutes: u32| {
        around(&format!(
            "  - name: ask\n    step_type: approval\n    prompt: ok?\n    timeout_minutes: {minutes}\n"
        ))
    };
    assert_eq!(problems(&gate(1440)), Vec::<String>::new());
    let told = problems(&gate(1439));
    let [told] = told.as_slice() else { panic!("{told:?}") };
    assert!(told.starts_with("P107 1439: after 1439 minutes this gate counts as denied"), "{told}");
    assert!(told.contains("`1440`"), "{told}");
    let text = gate(2);
    let registry = registry();
    let compiled =
        compile(&PlaybookSource::new("a.yaml", text.as_str()), &CompileContext::of(&registry));
    let warned = compiled.diagnostics.iter().find(|d| d.code.as_str() == "P107").unwrap();
    let line = text.lines().position(|line| line.contains("timeout_minutes")).unwrap() + 1;
    assert_eq!((warned.place.line as usize, warned.place.column), (line, 22));
    let StepKind::Approval { timeout_minutes, .. } = step(&compiled.playbook.unwrap(), "ask").kind
    else {
        panic!()
    };
    assert_eq!(timeout_minutes, Some(2), "what was set by hand holds");
}

#[test]
fn irreversible_steps_without_a_gate_are_noted() {
    let send = "  - {name: post, step_type: tool, action: call_connector, connector: letters, endpoint: send, inputs: {to: a}}\n";
    let noted = problems(&around(send));
    assert_eq!(noted.len(), 1);
    assert!(
        noted[0].starts_with("P106 post: `post` cannot be taken back and has no gate before it"),
        "{noted:?}"
    );
    let gate = "  - {name: ask, step_type: approval, prompt: ok?}\n";
    assert_eq!(problems(&around(&format!("{gate}{send}"))), Vec::<String>::new());
}

#[test]
fn without_a_profile_connectors_are_checked_later() {
    let registry = registry();
    let text = around(FLOW);
    let compiled = compile(&PlaybookSource::new("a.yaml", text), &CompileContext::of(&registry));
    let codes: Vec<&str> = compiled.diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["P112", "P105"]);
    let playbook = compiled.playbook.unwrap();
    let StepKind::Action { irreversible, .. } = step(&playbook, "filings").kind else { panic!() };
    assert!(irreversible, "what is not known might have an effect");
}

#[test]
fn unused_results_and_long_chains_are_warned_of() {
    let mut steps = String::from(
        "  - {name: s0, step_type: tool, action: transform_data, inputs: {data: []}}\n",
    );
    for at in 1..12 {
        let before = at - 1;
        steps.push_str(&format!("  - {{name: s{at}, step_type: tool, action: transform_data, inputs: {{data: \"{{s{before}.data}}\"}}}}\n"));
    }
    let compiled = compiled(&around(&steps));
    let warnings: Vec<_> = compiled
        .steps
        .iter()
        .flat_map(|s| s.warnings.iter().map(|w| (s.step_name.as_str(), w.warning_type)))
        .collect();
    assert_eq!(warnings, [("s10", "long_chain")]);
    let unused =
        around(&format!("  - {{name: look, step_type: tool, action: query_journal}}\n{steps}"));
    assert_eq!(problems(&unused)[0], "P102 look: nothing uses the result of `look`");
}

#[test]
fn f_135_an_input_that_nothing_uses_is_warned_of() {
    let unused = |steps: &str, output: &str| -> Vec<String> {
        let compiled = compiled(&format!("{}{output}", around(steps)));
        assert!(compiled.is_valid(), "{:?}", compiled.diagnostics);
        let found = compiled.diagnostics.iter().filter(|one| one.code.as_str() == "P112");
        found.map(shown).collect()
    };
    let who =
        "P112 5:12 3 no step and no output uses the input `who` | use it as `{who}`, or remove it";
    let look = "  - {name: look, step_type: tool, action: query_journal, inputs: {query: x}, params: {limit: \"{year}\"}}\n";
    assert_eq!(unused(look, ""), [who]);
    for used in [
        "  - {name: ask, step_type: approval, prompt: \"Is this {who}?\"}\n",
        "  - {name: again, step_type: tool, action: query_journal, condition: \"{who} is defined\", inputs: {query: x}}\n",
    ] {
        assert_eq!(unused(&format!("{look}{used}"), ""), [""; 0], "{used}");
    }
    assert_eq!(unused(look, "output: {template: \"About {who}\"}\n"), [""; 0]);
}

#[test]
fn f_149_more_time_than_a_function_has_is_warned_of() {
    let step = |action: &str, seconds: u32| {
        let text = format!(
            "  - {{name: s, step_type: tool, action: {action}, timeout_seconds: {seconds}}}\n"
        );
        let all = problems(&around(&text));
        all.into_iter().filter(|one| one.starts_with("P114")).collect::<Vec<_>>()
    };
    assert_eq!(step("query_journal, inputs: {query: x}", 56), [""; 0]);
    let told = step("query_journal, inputs: {query: x}", 57);
    let expect = "P114 s: 57 seconds are more than `query_journal` can have | a step has 56 at most, all attempts together";
    assert_eq!(told, [expect]);
    assert_eq!(step("transform_data, inputs: {data: []}", 296), [""; 0]);
    assert_eq!(step("transform_data, inputs: {data: []}", 840).len(), 1);
}

#[test]
fn f_158_a_comparison_that_types_decide_is_warned_of() {
    let told = |condition: &str| {
        let step = format!(
            "  - {{name: s, step_type: tool, action: query_journal, condition: \"{condition}\", inputs: {{query: x}}}}\n"
        );
        let all = problems(&around(&step));
        all.into_iter().filter(|one| one.starts_with("P115")).collect::<Vec<_>>()
    };
    let never = told("{year} == 'abc'");
    let expect =
        ": `{year} == 'abc'` never holds: `{year}` is of type number and `'abc'` of type string";
    assert!(never.len() == 1 && never[0].ends_with(expect), "{never:?}");
    let always = told("{who} is defined AND {year} != '5'");
    assert!(always[0].contains("`{year} != '5'` always holds"), "{always:?}");
    assert!(always[0].ends_with(" | write `5` without quotation marks"), "{always:?}");
    assert_eq!(told("{year} > 5 AND {who} == 'x'"), [""; 0]);
}

#[test]
fn what_another_setting_makes_useless_is_warned_of() {
    let ask = "  - {name: ask, step_type: approval, prompt: ok?, preview_limit: 5}\n";
    let told = problems(&around(ask));
    let expect = "P114 5: `preview_limit` has no effect: the gate shows no result | name one in `preview_from`, or leave it out";
    assert_eq!(told, [expect]);
    let both = around(ask)
        .replace(", preview_limit: 5", "")
        .replace("{name: who,", "{name: who, required: true, default: x,");
    let told = problems(&both);
    assert!(
        told.iter().any(|one| one
            .contains("`required` has no effect: where nothing is given, the default holds")),
        "{told:?}\n{both}"
    );
    let matched = |records: &str| {
        problems(&around(&format!(
            "  - {{name: m, step_type: tool, action: match_entities, inputs: {{entities: []{records}}}, params: {{record_field: payee}}}}\n"
        )))
    };
    assert!(
        matched("")
            .iter()
            .any(|one| one.contains("`record_field` has no effect: no `records` are wired")),
        "{:?}",
        matched("")
    );
    assert!(!matched(", records: []").iter().any(|one| one.contains("has no effect")));
}

#[test]
fn k_51_a_retry_that_a_parallel_step_asks_for_is_not_made_of_what_is_sent_once() {
    let inner = "parallel_steps: [{name: post, step_type: tool, action: call_connector, connector: letters, endpoint: send, inputs: {to: a}}]";
    let ask = "  - {name: ask, step_type: approval, prompt: ok?}\n";
    let all = |on_error: &str| {
        problems(&around(&format!(
            "{ask}  - {{name: both, step_type: tool, action: parallel, on_error: {on_error}, {inner}}}\n"
        )))
    };
    assert!(!all("stop").iter().any(|one| one.starts_with("P114")), "{:?}", all("stop"));
    let told = all("retry");
    let expect = "P114 post: `on_error: retry` is the same as `stop` here: what cannot be taken back is sent once | write `on_error: stop` at this step";
    assert!(told.iter().any(|one| one == expect), "{told:?}");
}

#[test]
fn f_134_a_pattern_of_common_words_is_warned_of() {
    let with = |pattern: &str| {
        let triggers = format!("triggers: [{{type: semantic, pattern: {pattern}}}]\n");
        problems(&format!(
            "{}{triggers}",
            around("  - {name: ask, step_type: approval, prompt: ok?}\n")
        ))
    };
    assert_eq!(with("what are the grants of"), [""; 0]);
    let told = with("what is this about");
    let expect = "P114 what is this about: no question fits this pattern: its words are too common to be compared | add a more specific word";
    assert_eq!(told, [expect]);
}

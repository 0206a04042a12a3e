//! Texts that a person reads.

use super::{compiled, registry};
use crate::{CompileContext, PlaybookSource, compile, render};

const FIVE: &str = r#"id: officer-check
name: Officer check
execution_mode: determinstic
inputs:
  - {name: year, type: number, required: true}
steps:
  - name: filings
    step_type: tool
    action: call_connector
    connector: irs-990-xml
    endpoint: officers
    inputs:
      year: "{year}"
  - name: people
    step_type: tool
    action: extract_entites
    inputs:
      data: "{filings.results}"
  - name: matches
    step_type: tool
    action: cross_reference
    inputs:
      dataset_a: "{filings.result}"
      dataset_b: "{later.data}"
  - name: later
    step_type: tool
    action: transform_data
    inputs:
      data: "{filings.results}"
    retry_count: 50
"#;

fn rendered(text: &str) -> String {
    render::text(&PlaybookSource::new("officers.yaml", text), &compiled(text).diagnostics, false)
}

#[test]
fn f_159_five_mistakes_are_five_located_errors_at_once() {
    insta::assert_snapshot!(rendered(FIVE));
    let compiled = compiled(FIVE);
    assert!(compiled.playbook.is_none());
    let codes: Vec<&str> = compiled.errors().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["P005", "P010", "P016", "P017", "P006"]);
}

#[test]
fn f_166_the_report_has_exactly_the_shape_asked_for() {
    let registry = registry();
    let text = "id: a\nname: A\nsteps:\n  - {name: one, step_type: tool, action: query_journal, params: {limit: \"5\"}}\n  \
                - name: two\n    step_type: tool\n    action: transform_data\n    inputs: {data: \"{none.data}\"}\n";
    let compiled = compile(&PlaybookSource::new("a.yaml", text), &CompileContext::of(&registry));
    insta::assert_json_snapshot!(compiled.steps);
    insta::assert_json_snapshot!(compiled.diagnostics);
}

#[test]
fn yaml_that_cannot_be_read_is_located() {
    insta::assert_snapshot!(rendered("id: a\nname: \"A\nsteps: []\n"));
    insta::assert_snapshot!(rendered("id: a\n\tname: A\n"));
    insta::assert_snapshot!(rendered("- a\n- b\n"));
    insta::assert_snapshot!(rendered(""));
}

#[test]
fn a_file_holds_one_playbook() {
    let problems: Vec<String> =
        compiled("id: a\n---\nid: b\n").diagnostics.iter().map(super::shown).collect();
    let hint = "put it into a file of its own";
    assert_eq!(
        problems,
        [format!(
            "P001 3:1 1 a second document begins here, and a file holds one playbook | {hint}"
        )]
    );
}

#[test]
fn texts_in_blocks_and_with_windows_line_ends_are_located() {
    let text = "id: a\r\nname: A\r\nsteps:\r\n  - name: x\r\n    step_type: approval\r\n    prompt: >-\r\n      Hello {nobody} and\r\n      {other.thing}\r\n";
    let places: Vec<_> = compiled(text)
        .diagnostics
        .iter()
        .map(|d| (d.place.line, d.place.column, d.place.length))
        .collect();
    assert_eq!(places, [(7, 13, 8), (8, 7, 13)]);
}

#[test]
fn aliases_and_merges_are_expanded_where_they_stand() {
    let text = "id: a\nname: A\nsteps:\n  - &b {name: x, step_type: tool, action: query_journal, inputs: {qery: 1}}\n  - {<<: *b, name: y, inputs: {}}\n";
    let lines: Vec<_> = compiled(text).errors().map(|d| (d.code.as_str(), d.place.line)).collect();
    assert_eq!(lines, [("P002", 4)]);
}

#[test]
fn related_places_are_shown() {
    let text = "id: a\nname: A\nname: B\nsteps:\n  - {name: x, step_type: tool, action: query_journal}\n  \
                - {name: x, step_type: tool, action: query_journal}\n";
    insta::assert_snapshot!(rendered(text));
}

#[test]
fn colour_is_an_option() {
    let source = PlaybookSource::new("a.yaml", "id: 1\n");
    let diagnostics = compiled("id: 1\n").diagnostics;
    assert!(render::text(&source, &diagnostics, true).contains("\u{1b}["));
    assert!(!render::text(&source, &diagnostics, false).contains('\u{1b}'));
}

#[test]
fn places_count_characters_not_bytes() {
    let text = "id: a\nname: \"é🦀\"\ncategory: \"ünknown\"\nsteps: [{name: x, step_type: tool, action: \"é\"}]\n";
    let compiled = compiled(text);
    let places: Vec<_> = compiled
        .diagnostics
        .iter()
        .map(|d| (d.place.line, d.place.column, d.place.length))
        .collect();
    assert_eq!(places, [(3, 11, 9), (4, 44, 3)]);
}

#[test]
fn too_large_a_source_is_refused_before_it_is_read() {
    let text = format!("id: a\nname: {}\n", "x".repeat(256 * 1024));
    let problems: Vec<String> = compiled(&text).diagnostics.iter().map(super::shown).collect();
    assert_eq!(problems, ["P001 1:1 1 the playbook has 262157 bytes, more than 262144"]);
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let before = level - 1;
        text.push_str(&format!("a{level}: &a{level} [*a{before}, *a{before}, *a{before}, *a{before}, *a{before}, *a{before}, *a{before}]\n"));
    }
    let codes: Vec<&str> = compiled(&text).diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["P001"]);
    let deep = format!("id: {}", "[".repeat(5_000));
    assert_eq!(compiled(&deep).diagnostics.len(), 1);
}

#[test]
fn reports_are_bounded() {
    let wide: String = (0..20_000).map(|at| format!("kex{at}: 1\n")).collect();
    assert_eq!(compiled(&wide).diagnostics.len(), 100);
    let one_line: String = (0..10_000).map(|at| format!("{{nobody{at}}} ")).collect();
    let texts: Vec<String> = one_line
        .as_bytes()
        .chunks(9_000)
        .map(|part| String::from_utf8_lossy(part).replace(['{', '}'], ""))
        .collect();
    let steps: String = texts
        .iter()
        .enumerate()
        .map(|(at, text)| format!("  - {{name: s{at}, step_type: tool, action: send_notification, inputs: {{message: \"{}\"}}}}\n", text.split(' ').map(|word| format!("{{x{word}}}")).collect::<String>()))
        .collect();
    assert_eq!(compiled(&super::around(&steps)).diagnostics.len(), 100);
}

#[test]
fn codes_are_unique_and_mapped_to_f_166() {
    let mut seen = std::collections::BTreeSet::new();
    for code in crate::Code::ALL {
        assert!(seen.insert(code.as_str()), "{}", code.as_str());
        let known =
            ["unresolved_reference", "type_mismatch", "missing_required", "nonexistent_step"];
        let warnings = ["loose_type_coercion", "unused_output", "long_chain", ""];
        let fits = if code.severity() == crate::Severity::Error {
            known.contains(&code.kind())
        } else {
            warnings.contains(&code.kind())
        };
        assert!(fits, "{}", code.as_str());
    }
}

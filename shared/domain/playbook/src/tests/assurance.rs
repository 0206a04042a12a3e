//! Gates that ask for the link alone.

use super::{around, bindings, registry, shown};
use crate::{Bindings, CompileContext, PlaybookSource, compile};

const SEND: &str = "  - {name: post, step_type: tool, action: call_connector, connector: letters, endpoint: send, inputs: {to: a}}\n";
const READ: &str = "  - {name: rows, step_type: tool, action: call_connector, connector: irs-990-xml, endpoint: officers, inputs: {year: 2024}}\n";

fn gate(name: &str, assurance: &str) -> String {
    format!("  - {{name: {name}, step_type: approval, prompt: Go on?, assurance: {assurance}}}\n")
}

/// What is said of gates with `link` when the playbook is saved (`known`) or run (`bound`).
fn check(steps: &str, known: Option<&Bindings>, bound: Option<&Bindings>, expect: &[&str]) {
    let (registry, text) = (registry(), around(steps));
    let mut world = CompileContext::of(&registry);
    world = bound.map_or(world, |bound| world.with(bound));
    world = known.map_or(world, |known| world.knowing(known));
    let compiled = compile(&PlaybookSource::new("test.yaml", &text), &world);
    let codes = ["P030", "P110"];
    let said = compiled.diagnostics.iter().filter(|one| codes.contains(&one.code.as_str()));
    assert_eq!(said.map(shown).collect::<Vec<_>>(), expect, "{text}");
    assert_eq!(compiled.is_valid(), !expect.iter().any(|one| one.starts_with("P030")), "{text}");
}

#[test]
fn k_06_a_link_before_an_effect_is_refused_where_it_is_known() {
    let known = bindings();
    let steps = format!("{}{SEND}", gate("ask", "link"));
    check(
        &steps,
        Some(&known),
        None,
        &[
            "P030 7:65 4 `post` cannot be taken back, so the link alone is not enough | write `link_code` or `signed_in`, or leave `assurance` out",
        ],
    );
    check(
        &steps,
        None,
        Some(&known),
        &[
            "P110 7:65 4 `post` cannot be taken back, so the link alone is not enough: this gate asks for `link_code` | write `link_code` or `signed_in`, or leave `assurance` out",
        ],
    );
    check(&steps, None, None, &[]);
}

#[test]
fn a_link_is_enough_where_everything_can_be_taken_back() {
    let known = bindings();
    check(&format!("{}{READ}", gate("ask", "link")), Some(&known), None, &[]);
    check(&format!("{SEND}{}{READ}", gate("ask", "link")), Some(&known), None, &[]);
    // The second gate stands between.
    let two = format!("{}{READ}{}{SEND}", gate("look", "link"), gate("pay", "link_code"));
    check(&two, Some(&known), None, &[]);
    for assurance in ["link_code", "signed_in"] {
        check(&format!("{}{SEND}", gate("ask", assurance)), Some(&known), None, &[]);
    }
}

#[test]
fn a_member_of_a_parallel_step_counts() {
    let member = SEND.replace("  - ", "      - ");
    let parallel = format!(
        "{}  - name: both\n    step_type: tool\n    action: parallel\n    parallel_steps:\n{member}",
        gate("ask", "link")
    );
    let known = bindings();
    check(
        &parallel,
        Some(&known),
        None,
        &[
            "P030 7:65 4 `post` cannot be taken back, so the link alone is not enough | write `link_code` or `signed_in`, or leave `assurance` out",
        ],
    );
}

use countersign_playbook::{CompileContext, PlaybookSource, ValidPlaybook, compile};
use countersign_registry::Registry;

use crate::detections;

const LOOK: &str = "  - {name: look, step_type: tool, action: detect_new_files, inputs: {folder_id: '{folder}'}}\n";
const SAVE: &str = "  - {name: save, step_type: tool, action: save_to_workspace, inputs: {data: [{a: 1}]}, params: {table_name: t}}\n";
const GATE: &str = "  - {name: ask, step_type: approval, prompt: Go on?}\n";
const READ: &str = "  - {name: read, step_type: tool, action: query_journal, inputs: {query: x}}\n";

fn playbook(steps: &str) -> ValidPlaybook {
    let text = format!(
        "id: p\nname: P\ndescription: Looks.\nversion: 1.0.0\nexecution_mode: deterministic\ninputs:\n  - {{name: folder, type: string, required: true}}\nsteps:\n{steps}"
    );
    let registry = Registry::builtin();
    let compiled = compile(&PlaybookSource::new("p.yaml", &text), &CompileContext::of(&registry));
    compiled.playbook.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
}

fn check(steps: &str, expect: Result<&[&str], &str>) {
    let valid = playbook(steps);
    let registry = Registry::builtin();
    let found = detections(&valid, &registry);
    match (found, expect) {
        (Ok(found), Ok(names)) => {
            assert_eq!(found.iter().map(|one| one.step).collect::<Vec<_>>(), names);
        }
        (Err(why), Err(words)) => assert!(why.to_string().contains(words), "{why}"),
        (found, expect) => panic!("{found:?}, not {expect:?}"),
    }
}

#[test]
fn f_220_the_detection_steps_are_what_a_look_carries_out() {
    check(&format!("{LOOK}{GATE}{SAVE}"), Ok(&["look"]));
    let both = "  - name: both\n    step_type: tool\n    action: parallel\n    parallel_steps:\n      - {name: one, step_type: tool, action: detect_new_files, inputs: {folder_id: a}}\n      - {name: two, step_type: tool, action: detect_folder_changes, inputs: {folder_id: b}}\n";
    check(&format!("{both}{SAVE}"), Ok(&["one", "two"]));
    check(&format!("{READ}{LOOK}"), Ok(&["look"]));
}

#[test]
fn f_209_a_playbook_that_cannot_be_a_monitors_says_why() {
    check(READ, Err("no detection step"));
    check(&format!("{LOOK}{SAVE}{GATE}"), Err("its step `save` writes before the gate `ask`"));
    check(
        &format!("{GATE}{LOOK}"),
        Err("its step `ask` asks or writes before the detection step `look`"),
    );
    check(&format!("{SAVE}{LOOK}"), Err("its step `save` asks or writes before"));
    let many = |steps: u32| -> String {
        let one = |n| LOOK.replace("name: look", &format!("name: look_{n}"));
        (0..steps).map(one).collect()
    };
    check(&many(51), Err("it has 51 detection steps; a monitor looks with at most 50"));
    let conditional = LOOK.replace("}}\n", "}, condition: \"{folder} == 'a'\"}\n");
    check(&conditional, Err("`look` has a condition"));
    let reads = LOOK.replace("'{folder}'", "'{read.count}'");
    check(&format!("{READ}{reads}"), Err("`look` uses the result of another step"));
}

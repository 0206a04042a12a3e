//! Whatever is written, compiling ends, and points into the source.

use proptest::prelude::*;

use super::{around, compiled};
use crate::{PlaybookSource, render};

fn survives(text: &str) -> Result<(), TestCaseError> {
    let compiled = compiled(text);
    for diagnostic in &compiled.diagnostics {
        let place = diagnostic.place;
        prop_assert!(place.line >= 1 && place.column >= 1 && place.length >= 1);
        prop_assert!(text.get(place.start..place.end).is_some(), "{place:?} in {text:?}");
        let line = text.split('\n').nth(place.line as usize - 1);
        prop_assert!(
            line.is_some_and(|line| place.column as usize <= line.chars().count() + 1),
            "{place:?} in {text:?}"
        );
    }
    prop_assert_eq!(compiled.playbook.is_some(), compiled.errors().count() == 0);
    let _ = render::text(&PlaybookSource::new("any.yaml", text), &compiled.diagnostics, false);
    Ok(())
}

/// One of the examples of the guide.
fn seed(which: prop::sample::Index) -> String {
    let playbooks = super::guide::playbooks();
    playbooks[which.index(playbooks.len())].to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn compiling_any_text_ends(text in any::<String>()) {
        survives(&text)?;
    }

    #[test]
    fn compiling_any_yaml_like_text_ends(text in "[a-z:\\-\\[\\]{}\"'&*#|>, \n0-9é!?%@]{0,120}") {
        survives(&text)?;
        survives(&around(&text))?;
    }

    #[test]
    fn compiling_a_changed_playbook_ends(which in any::<prop::sample::Index>(), edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, "[a-z{}:\\[\\]\"\n é.*-]{0,4}"), 1..6)) {
        let mut lines: Vec<String> = seed(which).lines().map(str::to_owned).collect();
        for (at, how, text) in edits {
            if lines.is_empty() {
                break;
            }
            let at = at.index(lines.len());
            match how {
                0 => { lines.remove(at); }
                1 => { let line = lines[at].clone(); lines.insert(at, line); }
                2 => lines[at] = lines[at].replacen(": ", &text, 1),
                3 => lines[at].push_str(&text),
                4 => lines[at].insert_str(0, "  "),
                _ => lines[at] = lines[at].trim_start().to_owned(),
            }
        }
        survives(&lines.join("\n"))?;
    }

    #[test]
    fn compiling_a_cut_playbook_ends(which in any::<prop::sample::Index>(), at in any::<prop::sample::Index>()) {
        let seed = seed(which);
        let mut end = at.index(seed.len());
        while !seed.is_char_boundary(end) {
            end -= 1;
        }
        survives(&seed[..end])?;
    }

    #[test]
    fn the_digest_does_not_depend_on_the_order_of_keys(swap in any::<bool>()) {
        let (a, b) = ("    action: query_journal\n", "    step_type: tool\n");
        let keys = if swap { format!("{b}{a}") } else { format!("{a}{b}") };
        let text = around(&format!("  - name: s\n{keys}"));
        let expect = around("  - {name: s, step_type: tool, action: query_journal}\n");
        prop_assert_eq!(super::valid(&text).digest, super::valid(&expect).digest);
    }
}

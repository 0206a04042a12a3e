//! The user's guide tells the truth.

use super::problems;
use crate::{Code, CompileContext, PlaybookSource, compile, render};

pub(super) const GUIDE: &str = include_str!("../../../../../docs/playbooks.md");

/// The blocks of the guide that are whole playbooks.
pub(super) fn playbooks() -> Vec<&'static str> {
    let blocks = GUIDE.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| block.starts_with("id: ")).collect()
}

#[test]
fn f_153_the_example_compiles_without_a_remark() {
    let playbooks = playbooks();
    assert!(!playbooks.is_empty());
    for text in playbooks {
        assert_eq!(remarks(text), Vec::<String>::new(), "{text}");
    }
}

/// The remarks about an example. Those of shipped connectors, which are not known here, are looked at by `tests/documents`.
fn remarks(text: &str) -> Vec<String> {
    if !text.contains("required_connectors: [irs-990-xml]") {
        return problems(text);
    }
    let registry = countersign_registry::Registry::builtin();
    let source = PlaybookSource::new("example.yaml", text);
    let compiled = compile(&source, &CompileContext::of(&registry));
    let all = compiled.diagnostics.iter().map(|remark| remark.code.as_str().to_owned());
    all.filter(|code| code != "P105").collect()
}

#[test]
fn every_code_is_explained() {
    for code in Code::ALL {
        assert!(GUIDE.contains(&format!("| {} |", code.as_str())), "{} is missing", code.as_str());
    }
}

#[test]
fn every_action_is_listed() {
    for contract in countersign_registry::Registry::builtin().iter() {
        assert!(
            GUIDE.contains(&format!("| `{}` |", contract.name)),
            "{} is missing",
            contract.name
        );
    }
}

#[test]
fn f_153_shipped_playbooks_compile_without_errors() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../library/playbooks");
    let registry = countersign_registry::Registry::builtin();
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let source = PlaybookSource::new(
            path.display().to_string(),
            std::fs::read_to_string(&path).unwrap(),
        );
        let compiled = compile(&source, &CompileContext::of(&registry));
        assert!(compiled.is_valid(), "{}", render::text(&source, &compiled.diagnostics, false));
        seen += 1;
    }
    assert!(seen > 0);
}

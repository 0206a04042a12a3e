//! Every shipped profile names connectors and playbooks that are shipped, and its playbooks compile with its connectors.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own library shall say where")]

use std::path::PathBuf;

use countersign_playbook::{Bindings, CompileContext, PlaybookSource, compile, render};
use countersign_profile::{SkillType, Template};
use countersign_registry::Registry;

fn library(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../library")).join(path)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(library(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the documents of one kind.
fn all(kind: &str) -> Vec<String> {
    let files = std::fs::read_dir(library(kind)).unwrap().map(|file| file.unwrap().path());
    let mut names: Vec<String> =
        files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What an agent with these connectors can call.
fn bound(connectors: &[String]) -> Bindings {
    let mut bindings = Bindings::none();
    for id in connectors {
        let parsed = countersign_connector::parse_template(&text(&format!("connectors/{id}.yaml")));
        let connector = parsed.definition.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
        let endpoints = connector.endpoints.keys().map(|name| {
            let contract = countersign_connector::endpoint_contract(&connector, name).unwrap();
            (name.clone(), contract)
        });
        bindings.bind(id, endpoints);
    }
    bindings
}

/// The remarks about a playbook, but for the two that its author means: a source of several may fail, and a year is a number.
fn remarks(playbook: &str, bindings: &Bindings) -> Option<String> {
    let registry = Registry::builtin();
    let source = PlaybookSource::new(playbook, text(&format!("playbooks/{playbook}.yaml")));
    let mut compiled = compile(&source, &CompileContext::of(&registry).with(bindings));
    let is_meant = |code: &str| matches!(code, "P101" | "P104");
    compiled.diagnostics.retain(|remark| !is_meant(remark.code.as_str()));
    let shown = render::text(&source, &compiled.diagnostics, false);
    (!compiled.diagnostics.is_empty()).then_some(shown)
}

#[test]
fn f_179_f_180_f_181_the_profiles_are_shipped_with_their_playbooks_and_connectors() {
    let mut used = Vec::new();
    for handle in all("profiles") {
        let template = Template::from_yaml(&text(&format!("profiles/{handle}.yaml"))).unwrap();
        assert_eq!(template.spec.handle.as_str(), handle);
        let bindings = bound(&template.data_sources);
        // With a model that only quotes, an agent with playbooks would answer worse than these do.
        let researches = template.spec.research().is_some();
        assert_eq!(
            researches,
            ["mail-desk", "research-desk"].contains(&handle.as_str()),
            "{handle}"
        );
        let skills = template.spec.skills.iter();
        for skill in skills.filter(|skill| skill.skill_type == SkillType::Playbook) {
            let playbook = skill.reference.to_string();
            assert_eq!(remarks(&playbook, &bindings), None, "{handle}: {playbook}");
            used.push(playbook);
        }
    }
    used.sort();
    // F-182: each belongs to one profile, but for those that monitors follow.
    let watches = ["federal-register-watch".to_owned(), "filings-folder-watch".to_owned()];
    let mut others = all("playbooks");
    others.retain(|playbook| !watches.contains(playbook));
    assert_eq!(used, others);
    assert_eq!(used.len(), 6);
    let handles = [
        "corporate-intelligence-analyst",
        "mail-desk",
        "nonprofit-investigator",
        "political-finance-tracker",
        "research-desk",
    ];
    assert_eq!(all("profiles"), handles);
}

//! Compiling, seen from outside.

mod assurance;
mod columns;
mod errors;
mod for_each;
mod guide;
mod keys;
mod known;
mod links;
mod models;
mod output;
mod params;
mod properties;
mod remarks;
mod revise;
mod schema;
mod semantics;
mod settings;

use countersign_registry::{Contract, DataType, Field, Reach, Registry, Slot};

use crate::{
    Bindings, CompileContext, Compiled, Diagnostic, EndpointContract, PlaybookSource, Step,
    ValidPlaybook, compile,
};

/// The built-in actions, and one more that calls a model.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::builtin();
    let judge = Contract {
        inputs: vec![Slot::required("text", DataType::String, "What to judge.")],
        uses_llm: true,
        ..Contract::reading("judge", "tool-model", "Judges a text.")
    };
    registry.add(judge).unwrap();
    registry
}

/// A connector for filings to read, one that posts letters, and one that pays.
pub(crate) fn bindings() -> Bindings {
    let people =
        vec![Field::new("name", DataType::String), Field::new("compensation", DataType::Integer)];
    let read = EndpointContract {
        description: String::new(),
        reach: Reach::Source,
        inputs: vec![
            Slot::required("year", DataType::Integer, ""),
            Slot::optional("since", DataType::Date, ""),
        ],
        outputs: vec![
            Slot::required("results", DataType::records(people), ""),
            Slot::required("count", DataType::Integer, ""),
        ],
        irreversible: false,
    };
    let post = EndpointContract {
        description: String::new(),
        reach: Reach::Source,
        inputs: vec![Slot::required("to", DataType::String, "")],
        outputs: vec![Slot::required("receipt", DataType::String, "")],
        irreversible: true,
    };
    let mut bindings = Bindings::none();
    bindings
        .bind("irs-990-xml", [("officers".to_owned(), read.clone()), ("grants".to_owned(), read)]);
    bindings.bind("letters", [("send".to_owned(), post)]);
    bindings.bind("bank", bank());
    bindings
}

/// What is due, and how it is paid.
fn bank() -> [(String, EndpointContract); 2] {
    let text = |name: &str| Field::new(name, DataType::String);
    let invoice = vec![text("invoice"), text("iban"), Field::new("amount", DataType::Number)];
    let due = EndpointContract {
        description: String::new(),
        reach: Reach::Source,
        inputs: Vec::new(),
        outputs: vec![
            Slot::required("data", DataType::records(invoice), ""),
            Slot::required("count", DataType::Integer, ""),
        ],
        irreversible: false,
    };
    let pay = EndpointContract {
        description: String::new(),
        reach: Reach::Source,
        inputs: vec![
            Slot::required("to", DataType::String, ""),
            Slot::required("amount", DataType::Number, ""),
        ],
        outputs: vec![Slot::required("state", DataType::String, "")],
        irreversible: true,
    };
    [("due".to_owned(), due), ("pay".to_owned(), pay)]
}

/// A playbook around these steps.
pub(crate) fn around(steps: &str) -> String {
    format!(
        "id: test\nname: Test\ninputs:\n  - {{name: year, type: number}}\n  - {{name: who, type: entity_name}}\nsteps:\n{steps}"
    )
}

pub(crate) fn compiled(text: &str) -> Compiled {
    let registry = registry();
    let bindings = bindings();
    compile(&PlaybookSource::new("test.yaml", text), &CompileContext::of(&registry).with(&bindings))
}

/// The playbook; fails with the rendered problems.
pub(crate) fn valid(text: &str) -> ValidPlaybook {
    let compiled = compiled(text);
    let problems =
        crate::render::text(&PlaybookSource::new("test.yaml", text), &compiled.diagnostics, false);
    compiled.playbook.unwrap_or_else(|| panic!("{problems}"))
}

/// `CODE line:column length message`, and what helps.
pub(crate) fn shown(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.place;
    let hint = diagnostic.hint.as_ref().map(|hint| format!(" | {hint}")).unwrap_or_default();
    let code = diagnostic.code.as_str();
    format!("{code} {}:{} {} {}{hint}", place.line, place.column, place.length, diagnostic.message)
}

/// The problems of the steps, each as `CODE at: message | hint`, where `at` is what the place marks. That a step leaves the
/// inputs of [`around`] unused says nothing about it.
pub(crate) fn problems(text: &str) -> Vec<String> {
    let compiled = compiled(text);
    let at = |d: &Diagnostic| text[d.place.start..d.place.end].to_owned();
    let hint =
        |d: &Diagnostic| d.hint.as_ref().map(|hint| format!(" | {hint}")).unwrap_or_default();
    compiled
        .diagnostics
        .iter()
        .filter(|d| d.code.as_str() != "P112")
        .map(|d| format!("{} {}: {}{}", d.code.as_str(), at(d), d.message, hint(d)))
        .collect()
}

/// A step by name.
pub(crate) fn step<'p>(playbook: &'p ValidPlaybook, name: &str) -> &'p Step {
    playbook.all_steps().find(|step| step.name == name).unwrap()
}

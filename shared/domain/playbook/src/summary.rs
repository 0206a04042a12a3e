//! The summary of what a run gives back (F-136): `summary_prompt` is a step of a model after all others, and the first section of
//! the output. So its answer is checked, recorded and budgeted like that of any step.

use countersign_registry::actions::synthesize_report::SynthesizeReport;
use countersign_registry::{Action as _, BackoffMultiplier, DataType, Field, OutputSchema, Shape};
use serde_json::{Map, Value};

use crate::model::{OnError, Section, Step, StepKind};

/// The name of the step, and of the field of its answer.
pub const NAME: &str = "summary";
/// The title of its section.
pub(crate) const TITLE: &str = "Summary";

/// How much its model is told, characters.
pub(crate) const MAX_PROMPT: usize = 10_000;

/// The step that writes it, from the titles and contents of the sections. Should it fail, the run goes on.
pub(crate) fn step(prompt: &str, sections: Vec<(&str, Value)>) -> Step {
    let field = Field::described(NAME, DataType::String, "The summary, in plain text.");
    let kind = StepKind::Action {
        action: SynthesizeReport::NAME.to_owned(),
        inputs: Map::from_iter([("data".to_owned(), Value::Object(data(sections)))]),
        params: Map::from_iter([("instructions".to_owned(), prompt.into())]),
        output_key: None,
        output_schema: Some(OutputSchema { shape: Shape::Object, fields: vec![field] }),
        llm: true,
        allow_missing: true,
        model: None,
        irreversible: false,
        function: SynthesizeReport::FUNCTION.to_owned(),
    };
    Step {
        name: NAME.to_owned(),
        description: "Sums up what the run gives back.".to_owned(),
        kind,
        condition: None,
        on_error: OnError::Skip,
        retry_count: 0,
        backoff_multiplier: BackoffMultiplier::default(),
        timeout_seconds: None,
        on_warning: None,
        for_each: None,
    }
}

/// What the model is shown: contents by title. A title that comes again has a number.
fn data(sections: Vec<(&str, Value)>) -> Map<String, Value> {
    let mut data = Map::new();
    for (title, content) in sections {
        let again = (2..).map(|n| format!("{title} {n}"));
        let mut names = std::iter::once(title.to_owned()).chain(again);
        let free = names.find(|name| !data.contains_key(name));
        data.insert(free.unwrap_or_default(), content);
    }
    data
}

/// The section that shows it.
pub(crate) fn section() -> Section {
    Section {
        title: TITLE.to_owned(),
        source: format!("{NAME}.{NAME}"),
        format: None,
        optional: false,
    }
}

//! The name of a model.

use countersign_document::{Refused, text_type};

text_type! {
    /// A model by its provider, such as `openai/gpt-5-mini`.
    pub struct ModelName {
        format: "model", code: "model", sample: "openai/a", pattern: r"^(openai|anthropic|bedrock)/[!-_a-~]{1,100}$", check: model
    }
}

fn model(text: &str) -> Result<(), Refused> {
    let is_named = |(provider, name): (&str, &str)| {
        ["openai", "anthropic", "bedrock"].contains(&provider)
            && (1..=100).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_graphic() && b != b'`')
    };
    let fits = text.split_once('/').is_some_and(is_named);
    let form =
        "must have the form `provider/model`, its provider `openai`, `anthropic` or `bedrock`";
    if fits { Ok(()) } else { Err(Refused::of_key(form)) }
}

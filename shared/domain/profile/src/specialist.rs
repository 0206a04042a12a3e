//! One of several models between which an agent divides a question.

use countersign_document::{List, Refused, Rules, Text, Whole};
use countersign_model_list::{ModelName, Temperature};
use countersign_registry::actions::research_with_tools::{MAX_TOOLS, problem};
use countersign_registry::{BackoffMultiplier, Reach, Registry, most_retries};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

countersign_document::text_type! {
    /// What a specialist is called: up to 24 lower-case letters, digits and underscores, a letter first.
    pub struct SpecialistName {
        format: "specialist-name", code: "name", sample: "a",
        pattern: "^[a-z][a-z0-9_]{0,23}$", check: check_name
    }
}

fn check_name(text: &str) -> Result<(), Refused> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.len() <= 24
        && text.chars().all(is_plain)
    {
        return Ok(());
    }
    Err(Refused::new("must be up to 24 lower-case letters, digits and underscores, a letter first"))
}

/// One of several models, with tools of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Specialist {
    /// Its name.
    pub name: SpecialistName,
    /// What it is good for. The model that divides a question chooses by it.
    pub description: Text<1_000>,
    /// What it may ask for: actions that only read, and endpoints that do, as `connector/endpoint`. What reads the web and what reads
    /// what its owner keeps are never together.
    pub tools: List<Text<200>, 1, MAX_TOOLS>,
    /// How it works, beside what every specialist is told.
    pub instructions: Option<Text<3_000>>,
    /// `provider/model`, when another than the agent's is asked: one that an administrator has listed.
    pub model: Option<ModelName>,
    /// How freely that model chooses its words, from 0 to 2. Needs `model`.
    pub temperature: Option<Temperature>,
    /// How often a turn is asked for again when its provider does not answer, beside what every request is tried again.
    pub retry_count: Option<Whole<0, 5>>,
    /// How many times as long as the one before each pause between two such attempts is; left out, 2. Needs a `retry_count` of 2 or more.
    pub backoff_multiplier: Option<BackoffMultiplier>,
    /// How long a turn may take, and each call that it asks for, in seconds.
    pub timeout_seconds: Option<Whole<1, MAX_SECONDS>>,
}

/// A step of a model has so many seconds at most.
const MAX_SECONDS: i64 = 296;

/// What an action lets a model read; none for an endpoint, which is known where the connectors are.
fn reach(tool: &str) -> Option<Reach> {
    Registry::builtin().get(tool)?.reach()
}

/// Reports what no model may ask for, and what would bring what is the owner's to the web.
pub(crate) fn check_tools(tools: &[Text<200>], rules: &mut Rules<'_>) {
    let on_web = tools.iter().find(|tool| reach(tool) == Some(Reach::Web));
    for (n, tool) in tools.iter().enumerate() {
        let is_first = !tools[..n].contains(tool);
        let place = format!("/tools/{n}");
        if let Some(wrong) = problem(tool, n, is_first) {
            rules.hinted("parameter", &place, wrong.message, wrong.hint);
        } else if let Some(web) = on_web
            && reach(tool) == Some(Reach::Files)
        {
            let message = format!(
                "`{tool}` reads what is yours and `{web}` looks on the web: a page could have a model put the one into the other"
            );
            let hint = "give them to two specialists".to_owned();
            rules.hinted("parameter", &place, message, hint);
        }
    }
}

/// Only with two retries or more does a pause follow another, and pauses that grow fast leave no time for the last retries.
pub(crate) fn check_backoff(specialist: &Specialist, rules: &mut Rules<'_>) {
    let retries = specialist.retry_count.map_or(0, Whole::get);
    if specialist.backoff_multiplier.is_some() && retries < 2 && rules.is_sound("/retry_count") {
        let message = "`backoff_multiplier` has no effect: there is no second retry";
        let hint = "write `retry_count: 2` or more, or leave it out".to_owned();
        rules.hinted("unavailable", "/backoff_multiplier", message, hint);
        return;
    }
    let (Ok(asked), Ok(seconds)) = (u32::try_from(retries), u32::try_from(MAX_SECONDS)) else {
        return;
    };
    let most = most_retries(asked, specialist.backoff_multiplier.unwrap_or_default(), seconds);
    if most < asked && rules.is_sound("/retry_count") && rules.is_sound("/backoff_multiplier") {
        let message = format!(
            "`retry_count: {asked}` cannot be made: with such pauses, the {seconds} seconds of a turn leave time for {most}"
        );
        let hint = format!("write `retry_count: {most}`, or a smaller `backoff_multiplier`");
        rules.hinted("unavailable", "/retry_count", message, hint);
    }
}

#[cfg(test)]
mod tests {
    use countersign_registry::step_seconds;

    use super::MAX_SECONDS;

    #[test]
    fn r_048_a_specialist_has_no_more_time_than_its_function() {
        assert_eq!(step_seconds("tool-model").map(i64::from), Some(MAX_SECONDS));
    }
}

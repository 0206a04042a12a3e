//! `body` of an endpoint that sends a mail.

use countersign_document::{Rules, did_you_mean, escaped, inside, nearest};
use countersign_effect::MAIL_KEYS;
use serde_json::{Map, Value};

use crate::model::Parameter;

/// The keys of such a body.
const KEYS: [&str; 2] = ["message", "metadata"];
/// What no mail is without.
const NEEDED: [&str; 3] = ["to", "subject", "text"];

/// Reports what no mail can be made of, whatever a call passes, and parameters that stand neither in it nor elsewhere.
pub(super) fn rules(
    body: Option<&Value>,
    parameters: &[Parameter],
    is_elsewhere: impl Fn(&str) -> bool,
    rules: &mut Rules<'_>,
) {
    let message = body.and_then(|body| body.get("message")).and_then(Value::as_object);
    let Some(message) = message else {
        let at = if body.is_some() { "/body" } else { "/body_format" };
        let text = "a mail needs `body.message` with `to`, `subject` and `text`";
        return rules.error("body", at, text);
    };
    let body = body.and_then(Value::as_object);
    unknown(body.into_iter().flatten(), "/body", &KEYS, rules);
    unknown(message, "/body/message", &MAIL_KEYS, rules);
    for name in NEEDED.iter().filter(|name| !message.contains_key(**name)) {
        rules.error("body", "/body/message", format!("the mail has no `{name}`"));
    }
    for (name, value) in message.iter().filter(|(name, _)| MAIL_KEYS.contains(&name.as_str())) {
        part(name, value, rules);
    }
    let metadata = body.and_then(|body| body.get("metadata"));
    if metadata.is_some_and(|metadata| !metadata.is_object()) {
        rules.error("body", "/body/metadata", "`metadata` must be a mapping");
    }
    for (n, parameter) in parameters.iter().enumerate() {
        let name = &parameter.name;
        let whole = format!("{{{name}}}");
        let is_used = body.into_iter().flat_map(Map::values).any(|value| takes(value, &whole));
        if !is_used && !is_elsewhere(name) {
            let message = format!("`{name}` stands nowhere in the mail, and goes into the query");
            rules.warning("parameters", &format!("/parameters/{n}/name"), message);
        }
    }
}

/// A part of a mail is a text or a list of texts, and not left empty. A placeholder without quotes is a mapping in YAML.
fn part(name: &str, value: &Value, rules: &mut Rules<'_>) {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    let is_list = value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_text));
    let at = format!("/body/message/{name}");
    // Whoever writes `{to}` without quotes is told of that.
    if !is_text(value) && !is_list && !rules.is_unquoted(&at) {
        let message = format!("`{name}` must be a text or a list of texts");
        let hint = format!("a placeholder stands in quotes: `{name}: \"{{{name}}}\"`");
        rules.hinted("body", &at, message, hint);
    }
}

/// Whether a value, or one in it, takes that of the parameter with this placeholder.
fn takes(value: &Value, placeholder: &str) -> bool {
    value == placeholder || inside(value).any(|item| takes(item, placeholder))
}

fn unknown<'b>(
    entries: impl IntoIterator<Item = (&'b String, &'b Value)>,
    pointer: &str,
    known: &[&'static str],
    rules: &mut Rules<'_>,
) {
    for (name, _) in entries.into_iter().filter(|(name, _)| !known.contains(&name.as_str())) {
        let message = format!("a mail has no `{name}`");
        let hint = nearest(name, known.iter().copied());
        let hint = hint.map_or_else(|| format!("it has {}", known.join(", ")), did_you_mean);
        rules.at_key("body", &format!("{pointer}/{}", escaped(name)), message, hint);
    }
}

//! `body` of an endpoint that sends a mail.

use countersign_document::{Rules, did_you_mean, escaped, nearest};
use countersign_effect::MAIL_KEYS;
use serde_json::Value;

/// The keys of such a body.
const KEYS: [&str; 2] = ["message", "metadata"];
/// What no mail is without.
const NEEDED: [&str; 3] = ["to", "subject", "text"];

/// Reports what no mail can be made of, whatever a call passes.
pub(super) fn rules(body: Option<&Value>, rules: &mut Rules<'_>) {
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
    let metadata = body.and_then(|body| body.get("metadata"));
    if metadata.is_some_and(|metadata| !metadata.is_object()) {
        rules.error("body", "/body/metadata", "`metadata` must be a mapping");
    }
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

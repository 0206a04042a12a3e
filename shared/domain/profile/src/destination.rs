//! Destinations that are not part of a step: those of a profile, and one in a file of its own.

use std::borrow::Cow;

use countersign_document::{Document, Rules};
use countersign_report::WrittenDestination;
use countersign_wiring::Condition;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// The key that only destinations of steps have.
const CONFIRM: &str = "confirm";

/// A destination as a file: it has no `confirm`, which is for steps.
#[derive(Debug, Clone, PartialEq)]
pub struct DestinationFile(WrittenDestination);

/// What a destination says that only a run would find out otherwise. In a step the playbook is asked: there its condition has
/// references of the playbook beside its own.
pub(crate) fn rules(destination: &WrittenDestination, rules: &mut Rules<'_>) {
    destination.rules(rules);
    let Some(condition) = destination.condition() else { return };
    let Err(error) = Condition::parse(condition) else { return };
    let doubled = condition.contains("{{").then(|| {
        "braces are doubled in a playbook alone: write `{count}` with single ones".to_owned()
    });
    rules.inside("condition", ("/condition", error.at), error.message, doubled.or(error.help));
}

impl Document for DestinationFile {
    const KIND: &'static str = WrittenDestination::KIND;

    fn rules(&self, rules: &mut Rules<'_>) {
        self::rules(&self.0, rules);
    }
}

impl<'de> Deserialize<'de> for DestinationFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = Map::deserialize(deserializer)?;
        if map.contains_key(CONFIRM) {
            return Err(D::Error::custom("`confirm` is for steps"));
        }
        let destination = WrittenDestination::deserialize(Value::Object(map));
        destination.map(Self).map_err(D::Error::custom)
    }
}

impl JsonSchema for DestinationFile {
    fn schema_name() -> Cow<'static, str> {
        WrittenDestination::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = WrittenDestination::json_schema(generator);
        let branches = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        for branch in branches.into_iter().flatten() {
            if let Some(properties) = branch["properties"].as_object_mut() {
                properties.shift_remove(CONFIRM);
            }
            branch["x-elsewhere"] = json!({ CONFIRM: {
                "code": "confirm",
                "message": "`confirm` is for a destination in a step of a playbook",
                "hint": "leave it out, or put the destination into a `route_output` step",
            } });
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use countersign_document::{read, schema};

    use super::DestinationFile;

    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let reading = read::<DestinationFile>(text);
        let found: Vec<String> = reading.problems.iter().map(ToString::to_string).collect();
        assert_eq!(found, expect, "{text}");
        assert_eq!(reading.value.is_some(), expect.is_empty(), "{text}");
    }

    /// What is said of a condition.
    fn said(condition: &str) -> String {
        let text = format!("type: chat\ncondition: \"{condition}\"\n");
        let mut found = read::<DestinationFile>(&text).problems;
        assert_eq!(found.len(), 1, "{condition}: {found:?}");
        found.remove(0).to_string()
    }

    #[test]
    fn f_288_a_condition_is_read_when_it_is_written() {
        check("type: chat\ncondition: '{count} > 1 AND {data.x} is defined'\n", &[]);
        for wrong in ["{count} >> 1", "count > 0", "((", "AND", "{count", ""] {
            assert!(said(wrong).contains("error[condition]: "), "{wrong}: {}", said(wrong));
        }
        assert!(said("{count} >> 1").starts_with("2:22: "), "{}", said("{count} >> 1"));
        assert!(said("{{count}} > 1").contains("braces are doubled in a playbook alone"));
    }

    #[test]
    fn f_295_only_the_destination_of_a_step_is_confirmed() {
        for confirm in ["true", "false"] {
            check(
                &format!("type: chat\nconfirm: {confirm}\n"),
                &[
                    "2:1: error[confirm]: `confirm` is for a destination in a step of a playbook (leave it out, or put the destination into a `route_output` step)",
                ],
            );
        }
        assert!(!schema::<DestinationFile>().to_string().contains("confirm"));
    }
}

//! What an answer of success has is said.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::document;
use crate::documented;

/// What is said of a schema without fields and without a type of its own, and why: `Schema.field`, or a whole schema.
const FREE: &[(&str, &str)] = &[
    ("ActionSlot.default", "a value of the slot's own type"),
    ("ActionSlot.schema", "a JSON schema"),
    ("ApprovalPreview.shown", "what a step gave, or its first records"),
    ("ConnectorView.definition", "the compiled form, for people who look how their text was read"),
    ("Discovery.details", "more, by kind"),
    ("EndpointSchema.output_schema", "an output schema as it is written in a connector"),
    ("EndpointTool.input_schema", "a JSON schema"),
    ("EntityReview.context", "evidence, by the way of matching"),
    ("EntityReview.match_details", "evidence, by the way of matching"),
    ("EntityReviewDetail.context", "evidence, by the way of matching"),
    ("EntityReviewDetail.match_details", "evidence, by the way of matching"),
    ("ExecutionView.inputs", "as its playbook declares them"),
    ("HookBody", "what somebody else sent"),
    ("MonitorFields.inputs", "as its playbook declares them"),
    ("Notification.details", "more, by type"),
    ("OpenApiDocument.components", "as OpenAPI has it"),
    ("OpenApiDocument.info", "as OpenAPI has it"),
    ("OpenApiDocument.paths", "as OpenAPI has it"),
    ("OpenApiDocument.security", "as OpenAPI has it"),
    ("OutputView.output", "what the step's action answers with"),
    ("PlaybookInput.default", "a value of the input's own type"),
    ("PlaybookStepKind.inputs", "as the action declares them"),
    ("PlaybookStepKind.params", "as the action declares them"),
    ("ProfileFields.skills.parameters", "as the skill's playbook declares them"),
    ("Relationship.properties", "what records say of it"),
    ("ResolutionLogEntry.match_details", "evidence, by the way of matching"),
    ("RoutedOutput.details", "by the kind of destination"),
    ("RoutedOutput.error", "`code`, `message`, `help`; `retry` by the kind of destination"),
    ("ScheduleFields.inputs", "as its playbook declares them"),
    ("SharedRunView.inputs", "as its playbook declares them"),
    ("StatedProperties", "what a record says of a relationship"),
    ("TableRow", "columns that each table chooses"),
    ("TestResult.output", "what the endpoint answers with"),
    ("TestResult.output_schema", "an output schema as it is written in a connector"),
    ("TriggerFields.inputs", "as its playbook declares them"),
    ("UnderstoodInput.value", "a value of the input's own type"),
    ("WatermarkView.metadata", "by the action that looks"),
];

#[test]
fn no_two_schemas_of_answers_have_the_same_name() {
    let mut document = serde_json::to_value(super::declared()).unwrap();
    assert_eq!(documented::complete(&mut document), [""; 0]);
}

#[test]
fn every_answer_of_success_says_what_it_has() {
    let document = document();
    let mut walk = Walk { document: &document, seen: BTreeSet::new(), free: BTreeSet::new() };
    let (mut answers, mut silent) = (0, Vec::new());
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            for (status, response) in responses.iter().filter(|(status, _)| status.starts_with('2'))
            {
                let Some(content) = response["content"].as_object() else { continue };
                for (kind, of) in content.iter().filter(|(kind, _)| *kind == "application/json") {
                    answers += 1;
                    let schema = walk.followed(&of["schema"]);
                    if schema.as_object().is_none_or(Map::is_empty) {
                        silent.push(format!("{method} {path} {status} {kind}"));
                    }
                    walk.schema(&of["schema"], &format!("{method} {path}"));
                }
            }
        }
    }
    assert!(answers > 150, "{answers} answers");
    assert_eq!(silent, [""; 0], "these answers have no schema");
    let free: BTreeSet<&str> = walk.free.iter().map(String::as_str).collect();
    let excepted: BTreeSet<&str> = FREE.iter().map(|(name, _)| *name).collect();
    let unsaid: Vec<_> = free.difference(&excepted).collect();
    let said: Vec<_> = excepted.difference(&free).collect();
    assert!(
        unsaid.is_empty(),
        "give a schema to {unsaid:#?}, or a reason in `FREE`; out of it: {said:#?}"
    );
    assert!(said.is_empty(), "these have a schema now: {said:#?}");
}

/// Looks at schemas and all that they refer to.
struct Walk<'d> {
    document: &'d Value,
    seen: BTreeSet<String>,
    /// The places where anything may stand.
    free: BTreeSet<String>,
}

impl Walk<'_> {
    fn followed<'v>(&'v self, schema: &'v Value) -> &'v Value {
        let place = schema["$ref"].as_str().and_then(|place| place.strip_prefix('#'));
        place.and_then(|place| self.document.pointer(place)).unwrap_or(schema)
    }

    fn schema(&mut self, schema: &Value, place: &str) {
        if let Some(reference) = schema["$ref"].as_str() {
            if self.seen.insert(reference.to_owned()) {
                let target = self.followed(schema).clone();
                self.schema(&target, reference.rsplit('/').next().unwrap());
            }
            return;
        }
        let parts = ["allOf", "anyOf", "oneOf", "prefixItems"].map(|key| &schema[key]);
        for part in parts.iter().filter_map(|parts| parts.as_array()).flatten() {
            self.schema(part, place);
        }
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            self.schema(field, &format!("{place}.{name}"));
        }
        for key in ["items", "additionalProperties"] {
            let of = &schema[key];
            if of.is_object() {
                self.schema(of, place);
            }
        }
        if is_free(schema) {
            self.free.insert(place.to_owned());
        }
    }
}

/// Whether nothing is said of a value, or only that it is an object, or a list.
fn is_free(schema: &Value) -> bool {
    let Some(members) = schema.as_object() else { return true };
    let says = |key: &str| members.get(key).is_some_and(|said| said != &Value::Bool(true));
    let is_of = |kind: &str| match &members["type"] {
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        one => one == kind,
    };
    let composed = ["allOf", "anyOf", "oneOf", "enum", "const"].iter().any(|key| says(key));
    if composed {
        return false;
    }
    if !members.contains_key("type") {
        return true;
    }
    is_of("object") && !says("properties") && !says("additionalProperties")
        || is_of("array") && !says("items") && !says("prefixItems")
}

//! The template stays deployable and keeps its promises about logs and data.

use serde_json::Value;

use crate::project::Project;

const MAX_RESOURCES: usize = 400;
const MAX_POLICY: usize = 10_240;

/// Everything in the template that breaks a limit or a promise.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let mut broken = Vec::new();
    // SAM makes a role of every function.
    let count: usize = project
        .resources()
        .map(|(_, kind, _)| if kind == "AWS::Serverless::Function" { 2 } else { 1 })
        .sum();
    if count > MAX_RESOURCES {
        broken.push(format!(
            "the template makes {count} resources, more than {MAX_RESOURCES}: split the stack"
        ));
    }
    for (name, kind, properties) in project.resources() {
        broken.extend(policies(name, properties));
        match kind {
            "AWS::Serverless::StateMachine"
                if properties.pointer("/Logging/IncludeExecutionData")
                    != Some(&Value::Bool(false)) =>
            {
                broken.push(format!("`{name}` must log with IncludeExecutionData: false"));
            }
            "AWS::ApiGatewayV2::Stage" if !has_no_log(project, name) => {
                broken.extend(access_log(name, properties));
            }
            "AWS::DynamoDB::Table" | "AWS::S3::Bucket" | "AWS::KMS::Key" => {
                broken.extend(kept(project, name));
            }
            _ => {}
        }
    }
    broken
}

fn policies(name: &str, properties: &Value) -> Vec<String> {
    let inline = properties.get("Policies").and_then(Value::as_array).into_iter().flatten();
    let documents = inline.map(|policy| policy.get("PolicyDocument").unwrap_or(policy).to_string());
    let total: usize = documents
        .map(|document| document.chars().filter(|letter| !letter.is_whitespace()).count())
        .sum();
    let broken = (total > MAX_POLICY).then(|| {
        format!("the inline policy of `{name}` has {total} characters, more than {MAX_POLICY}")
    });
    broken.into_iter().collect()
}

/// Whether a stage is excepted from access logs: those of a WebSocket API need a role that is a setting of the whole account.
fn has_no_log(project: &Project, name: &str) -> bool {
    let skips = &project.template["Resources"][name]["Metadata"]["checkov"]["skip"];
    let mut skips = skips.as_array().into_iter().flatten();
    skips.any(|skip| skip["id"] == "CKV_AWS_95")
}

fn access_log(name: &str, properties: &Value) -> Vec<String> {
    let format =
        properties.pointer("/AccessLogSettings/Format").and_then(Value::as_str).unwrap_or_default();
    let secret = ["$context.path", "$context.requestPath", "$context.authorizer", "querystring"];
    let shown = secret.iter().filter(|field| format.contains(**field));
    let mut broken: Vec<String> = shown
        .map(|field| {
            format!("the access log of `{name}` shows `{field}`: a mailed link's path is a secret")
        })
        .collect();
    if !format.contains("$context.routeKey") {
        broken.push(format!("the access log of `{name}` does not show the route"));
    }
    broken
}

/// What holds data outlives the stack.
fn kept(project: &Project, name: &str) -> Vec<String> {
    let resource = &project.template["Resources"][name];
    let is_kept = ["Retain", "RetainExceptOnCreate"]
        .iter()
        .any(|policy| resource.get("DeletionPolicy").and_then(Value::as_str) == Some(policy));
    if is_kept {
        Vec::new()
    } else {
        vec![format!(
            "`{name}` holds data and would be deleted with the stack: add a DeletionPolicy"
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::broken;
    use crate::project::Project;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(resources: &Value, expect: &[&str]) {
        let project = Project { template: json!({ "Resources": resources }), ..Project::default() };
        assert_eq!(broken(&project), expect);
    }

    #[test]
    fn data_outlives_the_stack() {
        check(
            &json!({ "T": { "Type": "AWS::DynamoDB::Table" } }),
            &["`T` holds data and would be deleted with the stack: add a DeletionPolicy"],
        );
        check(&json!({ "T": { "Type": "AWS::DynamoDB::Table", "DeletionPolicy": "Retain" } }), &[]);
    }

    #[test]
    fn logs_show_routes_and_never_paths_or_data() {
        let stage = |format: &str| json!({ "S": { "Type": "AWS::ApiGatewayV2::Stage", "Properties": { "AccessLogSettings": { "Format": format } } } });
        check(&stage("$context.routeKey"), &[]);
        check(
            &stage("$context.routeKey $context.path"),
            &["the access log of `S` shows `$context.path`: a mailed link's path is a secret"],
        );
        check(
            &json!({ "M": { "Type": "AWS::Serverless::StateMachine", "Properties": {} } }),
            &["`M` must log with IncludeExecutionData: false"],
        );
    }

    #[test]
    fn limits_of_cloudformation_and_iam_hold() {
        let many: serde_json::Map<String, Value> = (0..201)
            .map(|n| (format!("F{n}"), json!({ "Type": "AWS::Serverless::Function" })))
            .collect();
        check(
            &Value::Object(many),
            &["the template makes 402 resources, more than 400: split the stack"],
        );
        let long = "x".repeat(10_240);
        let function = json!({ "F": { "Type": "AWS::Serverless::Function", "Properties": { "Policies": [{ "Statement": long }] } } });
        check(&function, &["the inline policy of `F` has 10256 characters, more than 10240"]);
    }
}

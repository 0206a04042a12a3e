//! The template stays deployable and keeps its promises about logs and data.

use serde_json::Value;

use crate::project::Project;

const MOST_RESOURCES: usize = 400;
const LONGEST_POLICY: usize = 10_240;

/// Everything in the template that breaks a limit or a promise.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let mut broken = Vec::new();
    // SAM makes a role of every function.
    let count: usize = project
        .resources()
        .map(|(_, kind, _)| if kind == "AWS::Serverless::Function" { 2 } else { 1 })
        .sum();
    if count > MOST_RESOURCES {
        broken.push(format!(
            "the template makes {count} resources, more than {MOST_RESOURCES}: split the stack"
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
            "AWS::ApiGatewayV2::Stage" => broken.extend(access_log(name, properties)),
            "AWS::DynamoDB::Table" | "AWS::S3::Bucket" | "AWS::KMS::Key" => {
                broken.extend(kept(project, name));
            }
            _ => {}
        }
    }
    broken.extend(ledger(project));
    broken.extend(throttles(project));
    broken.extend(local(project));
    broken
}

/// Every route has a throttle of its own: a flood at a mailed page or at the health check closes no other door.
fn throttles(project: &Project) -> Vec<String> {
    let of = |wanted: &'static str| project.resources().filter(move |(_, kind, _)| *kind == wanted);
    let mut broken = Vec::new();
    for (name, _, stage) in of("AWS::ApiGatewayV2::Stage") {
        for (_, _, route) in of("AWS::ApiGatewayV2::Route") {
            let key = route.get("RouteKey").and_then(Value::as_str).unwrap_or_default();
            let settings = stage.get("RouteSettings").and_then(|all| all.get(key));
            let limited =
                |limit| settings.and_then(|own| own.get(limit)).is_some_and(Value::is_u64);
            if !(limited("ThrottlingRateLimit") && limited("ThrottlingBurstLimit")) {
                broken.push(format!("`{name}` has no throttle for `{key}`"));
            }
        }
    }
    broken
}

/// What weakens a deployment, and how the template must tie each to the local stack: a rule, and a condition behind it.
const LOCAL_ONLY: [(&str, &str); 2] =
    [("AllowLoopback", "LoopbackIsLocal"), ("JwtHs256Secret", "SharedSecretIsLocal")];

fn local(project: &Project) -> Vec<String> {
    let mut broken = Vec::new();
    for (parameter, rule) in LOCAL_ONLY {
        if project.template["Parameters"].get(parameter).is_none() {
            continue;
        }
        let rule_text = project.template["Rules"][rule].to_string();
        if !(rule_text.contains(&format!("\"{parameter}\""))
            && rule_text.contains("\"LocalApiId\""))
        {
            broken.push(format!(
                "`{parameter}` needs the rule `{rule}`: it is for the local stack only"
            ));
        }
        let uses = unguarded(&project.template["Globals"], parameter)
            + unguarded(&project.template["Resources"], parameter);
        if uses > 0 {
            broken.push(format!("`{parameter}` is used {uses} times without `IsLocal`"));
        }
    }
    broken
}

/// How often a parameter is used outside the branches of a condition that means the local stack.
fn unguarded(value: &Value, parameter: &str) -> usize {
    match value {
        Value::String(text) => usize::from(text == parameter),
        // `!If [IsLocal, …]`; `SecretGiven` holds in the local stack only.
        Value::Array(items)
            if matches!(items.first().and_then(Value::as_str), Some("IsLocal" | "SecretGiven")) =>
        {
            items.iter().skip(2).map(|item| unguarded(item, parameter)).sum()
        }
        Value::Array(items) => items.iter().map(|item| unguarded(item, parameter)).sum(),
        Value::Object(fields) => fields.values().map(|item| unguarded(item, parameter)).sum(),
        _ => 0,
    }
}

/// What the ledger's bucket must have: nobody deletes or replaces what was exported, and no rule does it for them.
const LOCKED: [(&str, &str); 3] = [
    ("/ObjectLockEnabled", "true"),
    ("/VersioningConfiguration/Status", "\"Enabled\""),
    ("/ObjectLockConfiguration/Rule/DefaultRetention/Mode", "\"LedgerLockMode\""),
];

fn ledger(project: &Project) -> Vec<String> {
    let writes = |(_, kind, properties): &(&str, &str, &Value)| {
        *kind == "AWS::Serverless::Function" && properties.to_string().contains("/ledger/*")
    };
    let sealers: Vec<_> = project.resources().filter(writes).collect();
    let mut broken: Vec<String> = sealers
        .iter()
        .filter(|(_, _, properties)| {
            !properties.to_string().contains("${LedgerBucket.Arn}/ledger/*")
        })
        .map(|(name, _, _)| format!("`{name}` keeps the ledger outside `LedgerBucket`"))
        .collect();
    if sealers.is_empty() {
        return broken;
    }
    let bucket = &project.template["Resources"]["LedgerBucket"]["Properties"];
    for (path, wanted) in LOCKED {
        if bucket.pointer(path).map(Value::to_string).as_deref() != Some(wanted) {
            broken.push(format!("`LedgerBucket` must have `{path}`: {wanted}"));
        }
    }
    let rules = bucket.get("LifecycleConfiguration").map(Value::to_string).unwrap_or_default();
    if rules.contains("Expiration") {
        broken.push("`LedgerBucket` has a rule that deletes what was exported".to_owned());
    }
    broken
}

fn policies(name: &str, properties: &Value) -> Vec<String> {
    let inline = properties.get("Policies").and_then(Value::as_array).into_iter().flatten();
    let documents = inline.map(|policy| policy.get("PolicyDocument").unwrap_or(policy).to_string());
    let total: usize = documents
        .map(|document| document.chars().filter(|letter| !letter.is_whitespace()).count())
        .sum();
    let broken = (total > LONGEST_POLICY).then(|| {
        format!("the inline policy of `{name}` has {total} characters, more than {LONGEST_POLICY}")
    });
    broken.into_iter().collect()
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
    fn the_exported_ledger_is_locked_in_a_bucket_of_its_own() {
        let sealer = |bucket: &str| {
            let resource = format!("${{{bucket}.Arn}}/ledger/*");
            json!({ "Type": "AWS::Serverless::Function", "Properties": { "Policies": [{ "Statement": [{ "Resource": [resource] }] }] } })
        };
        let bucket = |lifecycle: Value| {
            json!({ "Type": "AWS::S3::Bucket", "DeletionPolicy": "Retain", "Properties": {
                "ObjectLockEnabled": true, "VersioningConfiguration": { "Status": "Enabled" },
                "ObjectLockConfiguration": { "Rule": { "DefaultRetention": { "Mode": "LedgerLockMode" } } },
                "LifecycleConfiguration": lifecycle } })
        };
        let kept = json!({ "AbortIncompleteMultipartUpload": {} });
        check(&json!({ "S": sealer("LedgerBucket"), "LedgerBucket": bucket(kept.clone()) }), &[]);
        let deletes = json!({ "NoncurrentVersionExpiration": {} });
        check(
            &json!({ "S": sealer("LedgerBucket"), "LedgerBucket": bucket(deletes) }),
            &["`LedgerBucket` has a rule that deletes what was exported"],
        );
        check(
            &json!({ "S": sealer("DataBucket"), "LedgerBucket": bucket(kept) }),
            &["`S` keeps the ledger outside `LedgerBucket`"],
        );
        check(
            &json!({ "S": sealer("LedgerBucket") }),
            &[
                "`LedgerBucket` must have `/ObjectLockEnabled`: true",
                "`LedgerBucket` must have `/VersioningConfiguration/Status`: \"Enabled\"",
                "`LedgerBucket` must have `/ObjectLockConfiguration/Rule/DefaultRetention/Mode`: \"LedgerLockMode\"",
            ],
        );
    }

    #[test]
    fn every_route_has_a_throttle_of_its_own() {
        let template = |settings: Value| {
            json!({
                "L": { "Type": "AWS::ApiGatewayV2::Route", "Properties": { "RouteKey": "ANY /a/{proxy+}" } },
                "S": { "Type": "AWS::ApiGatewayV2::Stage", "Properties": { "RouteSettings": settings,
                    "AccessLogSettings": { "Format": "$context.routeKey" } } },
            })
        };
        let throttle = json!({ "ThrottlingRateLimit": 30, "ThrottlingBurstLimit": 60 });
        check(&template(json!({ "ANY /a/{proxy+}": throttle })), &[]);
        let missing = "`S` has no throttle for `ANY /a/{proxy+}`";
        check(&template(json!({ "GET /health": throttle })), &[missing]);
        check(&template(json!({ "ANY /a/{proxy+}": { "ThrottlingRateLimit": 30 } })), &[missing]);
    }

    #[test]
    fn what_weakens_a_deployment_is_tied_to_the_local_stack() {
        let check = |rule: Value, used: Value, expect: &[&str]| {
            let template = json!({
                "Parameters": { "AllowLoopback": {} }, "Rules": { "LoopbackIsLocal": rule },
                "Globals": { "ALLOW_LOOPBACK": used }, "Resources": {},
            });
            let project = Project { template, ..Project::default() };
            assert_eq!(broken(&project), expect);
        };
        let rule = json!([{ "Ref": "AllowLoopback" }, { "Ref": "LocalApiId" }]);
        check(rule.clone(), json!(["IsLocal", "AllowLoopback", "false"]), &[]);
        let unguarded = "`AllowLoopback` is used 1 times without `IsLocal`";
        check(rule.clone(), json!("AllowLoopback"), &[unguarded]);
        check(rule, json!(["Other", "AllowLoopback", "false"]), &[unguarded]);
        check(
            json!({}),
            json!(["IsLocal", "AllowLoopback", "false"]),
            &["`AllowLoopback` needs the rule `LoopbackIsLocal`: it is for the local stack only"],
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

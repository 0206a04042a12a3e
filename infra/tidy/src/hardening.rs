//! What hardens a deployment stays in the template: the locked ledger, throttles for each door, weak settings for the local
//! stack only, and a reason for everything that a scanner was told to leave alone.

mod key_users;
mod throttles;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::project::Project;

/// Everything in the template that takes a hardening back.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let mut broken = ledger(project);
    broken.extend(throttles::broken(project));
    broken.extend(local(project));
    broken.extend(defaults(project));
    broken.extend(excepted(project));
    broken.extend(keyed(project));
    broken.extend(key_users::broken(project));
    broken.extend(switched(project));
    broken
}

/// Whoever excepts a resource from a check of checkov says why.
fn excepted(project: &Project) -> Vec<String> {
    let resources = project.template["Resources"].as_object().into_iter().flatten();
    let skips = resources.flat_map(|(name, resource)| {
        let skips = resource.pointer("/Metadata/checkov/skip").and_then(Value::as_array);
        skips.into_iter().flatten().map(move |skip| (name, skip))
    });
    let unsaid = skips.filter(|(_, skip)| {
        let words = skip["comment"].as_str().unwrap_or_default().split_whitespace().count();
        words < LEAST_WORDS
    });
    unsaid
        .map(|(name, skip)| format!("`{name}` is excepted from {} without a reason", skip["id"]))
        .collect()
}

/// No reason is shorter.
const LEAST_WORDS: usize = 5;

/// What weakens a deployment, and how the template must tie each to the local stack: a rule, and a condition behind it.
const LOCAL_ONLY: [(&str, &str); 2] =
    [("AllowLoopback", "LoopbackIsLocal"), ("JwtHs256Secret", "SharedSecretIsLocal")];

fn local(project: &Project) -> Vec<String> {
    let mut broken = Vec::new();
    let conditions = local_conditions(project);
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
        let uses = unguarded(&project.template["Globals"], parameter, &conditions)
            + unguarded(&project.template["Resources"], parameter, &conditions);
        if uses > 0 {
            broken.push(format!("`{parameter}` is used {uses} times without `IsLocal`"));
        }
    }
    broken
}

/// What a deployment has when nobody says anything: limits for each person and day; what costs money of its own is off.
fn defaults(project: &Project) -> Vec<String> {
    let wanted = [
        ("RunsPerDay", json!(100)),
        ("MailsPerDay", json!(200)),
        ("SearchesPerDay", json!(500)),
        ("UploadMegabytesPerDay", json!(1024)),
        ("CustomerKeyArn", json!("")),
        ("ReservedConcurrency", json!(0)),
    ];
    let parameters = &project.template["Parameters"];
    // A template of a test that is about something else has none of them.
    if wanted.iter().all(|(name, _)| parameters.get(name).is_none()) {
        return Vec::new();
    }
    let other = wanted.iter().filter(|(name, default)| parameters[*name]["Default"] != *default);
    other.map(|(name, default)| format!("the default of `{name}` is not {default}")).collect()
}

/// The conditions that hold in the local stack only: `IsLocal`, and each that joins it with something else. `!And` and `!Or` are
/// both read as their list, so the text tells them apart.
fn local_conditions(project: &Project) -> BTreeSet<&str> {
    let text = project.text(Path::new("template.yaml"));
    let is_and = |name: &str| {
        text.as_deref().is_none_or(|text| text.contains(&format!("\n  {name}: !And [")))
    };
    let joins = |value: &Value| value.as_array().is_some_and(|all| all.contains(&json!("IsLocal")));
    let all = project.template["Conditions"].as_object().into_iter().flatten();
    let joined = all.filter(|(name, value)| joins(value) && is_and(name));
    joined.map(|(name, _)| name.as_str()).chain(["IsLocal"]).collect()
}

/// How often a parameter is used outside the branches of a condition that means the local stack.
fn unguarded(value: &Value, parameter: &str, local: &BTreeSet<&str>) -> usize {
    let inside = |value| unguarded(value, parameter, local);
    match value {
        Value::String(text) => usize::from(text == parameter),
        // `!If [IsLocal, …]`
        Value::Array(items)
            if items.first().and_then(Value::as_str).is_some_and(|name| local.contains(name)) =>
        {
            items.iter().skip(2).map(inside).sum()
        }
        Value::Array(items) => items.iter().map(inside).sum(),
        Value::Object(fields) => fields.values().map(inside).sum(),
        _ => 0,
    }
}

/// What every function has when the operator says so and not otherwise: the setting, its condition, the parameter, and what the
/// parameter is when nothing was said.
const SWITCHED: [(&str, &str, &str, &str); 2] = [
    ("KmsKeyArn", "HasCustomerKey", "CustomerKeyArn", ""),
    ("ReservedConcurrentExecutions", "ReservesConcurrency", "ReservedConcurrency", "0"),
];

fn switched(project: &Project) -> Vec<String> {
    let (all, conditions) =
        (&project.template["Globals"]["Function"], &project.template["Conditions"]);
    let mut broken = Vec::new();
    // A template of a test that is about something else has no functions.
    for (setting, condition, parameter, unsaid) in SWITCHED.iter().filter(|_| all.is_object()) {
        if all[*setting] != json!([condition, parameter, "AWS::NoValue"]) {
            broken.push(format!(
                "every function must have `{setting}`: `{parameter}` if `{condition}`, else none"
            ));
        }
        // `!Not [!Equals […]]`
        if conditions[*condition] != json!([[parameter, unsaid]]) {
            broken.push(format!("`{condition}` must mean that `{parameter}` is not \"{unsaid}\""));
        }
    }
    broken
}

/// What holds data of people, and where its key is named.
const KEYED: [(&str, &str); 3] = [
    ("AWS::DynamoDB::Table", "/SSESpecification/KMSMasterKeyId"),
    ("AWS::SQS::Queue", "/KmsMasterKeyId"),
    ("AWS::Logs::LogGroup", "/KmsKeyId"),
];

/// Queues that S3 sends to, which cannot use a key that does not name it; they hold the keys of objects.
const OF_S3: [&str; 2] = ["UploadQueue", "UploadDeadLetters"];

/// A key of the operator's own, where the template has the parameter, is that of every table, queue and log.
fn keyed(project: &Project) -> Vec<String> {
    if project.template["Parameters"].get("CustomerKeyArn").is_none() {
        return Vec::new();
    }
    let lacks = |(name, kind, properties): &(&str, &str, &Value)| {
        let place = KEYED.iter().find(|(keyed, _)| keyed == kind).map(|(_, place)| *place);
        let key = |place: &str| properties.pointer(place).map(Value::to_string).unwrap_or_default();
        let is_keyed = |place: &str| key(place).contains("\"CustomerKeyArn\"");
        !OF_S3.contains(name) && place.is_some_and(|place| !is_keyed(place))
    };
    let without = project.resources().filter(lacks);
    without.map(|(name, _, _)| format!("`{name}` does not use `CustomerKeyArn`")).collect()
}

/// What the ledger's bucket must have: nobody deletes or replaces what was exported, and no rule does it for them.
const LOCKED: [(&str, &str); 4] = [
    ("/ObjectLockEnabled", "true"),
    ("/VersioningConfiguration/Status", "\"Enabled\""),
    ("/ObjectLockConfiguration/Rule/DefaultRetention/Mode", "\"LedgerLockMode\""),
    ("/ObjectLockConfiguration/Rule/DefaultRetention/Days", "\"LedgerLockDays\""),
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
    let has_bucket = project.template["Resources"].get("LedgerBucket").is_some();
    match (sealers.is_empty(), has_bucket) {
        (true, false) => return broken,
        (true, true) => broken.push("no function keeps the ledger in `LedgerBucket`".to_owned()),
        (false, _) => {}
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

#[cfg(test)]
mod tests {
    use super::{broken, keyed, switched};
    use crate::project::Project;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(resources: &Value, expect: &[&str]) {
        let project = Project { template: json!({ "Resources": resources }), ..Project::default() };
        assert_eq!(broken(&project), expect);
    }

    #[test]
    fn every_exception_has_a_reason() {
        let skip = |comment: &str| json!({ "T": { "Metadata": { "checkov": { "skip": [{ "id": "CKV_AWS_28", "comment": comment }] } } } });
        check(&skip("Everything in it expires and is made again."), &[]);
        check(&skip("not needed"), &["`T` is excepted from \"CKV_AWS_28\" without a reason"]);
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
    fn a_condition_that_is_not_local_guards_nothing() {
        let check = |conditions: Value, expect: &[&str]| {
            let template = json!({
                "Parameters": { "JwtHs256Secret": {} }, "Conditions": conditions,
                "Rules": { "SharedSecretIsLocal": ["JwtHs256Secret", { "Ref": "LocalApiId" }] },
                "Resources": { "A": ["SecretGiven", "JwtHs256Secret", "AWS::NoValue"] },
            });
            let project = Project { template, ..Project::default() };
            assert_eq!(broken(&project), expect);
        };
        let given = json!([["JwtHs256Secret", ""]]);
        let unguarded = ["`JwtHs256Secret` is used 1 times without `IsLocal`"];
        check(json!({ "SecretGiven": ["IsLocal", given] }), &[]);
        check(json!({ "SecretGiven": given }), &unguarded);
        check(json!({ "SecretGiven": ["NotLocal", given] }), &unguarded);
        check(json!({}), &unguarded);
    }

    #[test]
    fn a_key_and_instances_of_their_own_are_for_those_who_ask_for_them() {
        let check = |key: Value, asked: Value, expect: &[&str]| {
            let reserved = json!(["ReservesConcurrency", "ReservedConcurrency", "AWS::NoValue"]);
            let template = json!({
                "Globals": { "Function": { "KmsKeyArn": key, "ReservedConcurrentExecutions": reserved } },
                "Conditions": { "HasCustomerKey": [["CustomerKeyArn", ""]], "ReservesConcurrency": asked },
            });
            let project = Project { template, ..Project::default() };
            assert_eq!(switched(&project), expect);
        };
        let key = json!(["HasCustomerKey", "CustomerKeyArn", "AWS::NoValue"]);
        let asked = json!([["ReservedConcurrency", "0"]]);
        check(key.clone(), asked.clone(), &[]);
        let no_key =
            "every function must have `KmsKeyArn`: `CustomerKeyArn` if `HasCustomerKey`, else none";
        check(json!("CustomerKeyArn"), asked.clone(), &[no_key]);
        check(Value::Null, asked, &[no_key]);
        let always = "`ReservesConcurrency` must mean that `ReservedConcurrency` is not \"0\"";
        check(key, json!(["ReservedConcurrency", "0"]), &[always]);
    }

    #[test]
    fn a_deployment_has_limits_for_each_person_unless_somebody_says_otherwise() {
        let check = |runs: Value, expect: &[&str]| {
            let of = |default: Value| json!({ "Default": default });
            let template = json!({ "Resources": {}, "Parameters": {
                "RunsPerDay": of(runs), "MailsPerDay": of(json!(200)), "SearchesPerDay": of(json!(500)), "CustomerKeyArn": of(json!("")),
                "UploadMegabytesPerDay": of(json!(1024)), "ReservedConcurrency": of(json!(0)),
            } });
            let project = Project { template, ..Project::default() };
            assert_eq!(broken(&project), expect);
        };
        check(json!(100), &[]);
        check(json!(0), &["the default of `RunsPerDay` is not 100"]);
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
                "ObjectLockConfiguration": { "Rule": { "DefaultRetention": { "Mode": "LedgerLockMode", "Days": "LedgerLockDays" } } },
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
                "`LedgerBucket` must have `/ObjectLockConfiguration/Rule/DefaultRetention/Days`: \"LedgerLockDays\"",
            ],
        );
        check(
            &json!({ "LedgerBucket": bucket(json!({})) }),
            &["no function keeps the ledger in `LedgerBucket`"],
        );
    }

    #[test]
    fn a_key_of_the_operators_own_is_that_of_every_table_queue_and_log() {
        let check = |queue: Value, expect: &[&str]| {
            let key = json!(["HasCustomerKey", "CustomerKeyArn"]);
            let template = json!({ "Parameters": { "CustomerKeyArn": { "Default": "" } }, "Resources": {
                "T": { "Type": "AWS::DynamoDB::Table", "Properties": { "SSESpecification": { "KMSMasterKeyId": key } } },
                "L": { "Type": "AWS::Logs::LogGroup", "Properties": { "KmsKeyId": key } },
                "UploadQueue": { "Type": "AWS::SQS::Queue", "Properties": {} },
                "Q": { "Type": "AWS::SQS::Queue", "Properties": queue },
            } });
            let project = Project { template, ..Project::default() };
            assert_eq!(keyed(&project), expect);
        };
        check(json!({ "KmsMasterKeyId": ["HasCustomerKey", "CustomerKeyArn"] }), &[]);
        check(json!({ "SqsManagedSseEnabled": true }), &["`Q` does not use `CustomerKeyArn`"]);
    }
}

//! What could not be dealt with is kept, and somebody hears of it: a queue of dead letters without an alarm is a place where things
//! are lost.

use serde_json::Value;

use crate::project::Project;

/// Where a resource names the queue of what it could not deal with.
const NAMED: [&str; 3] = [
    "/RedrivePolicy/deadLetterTargetArn",
    "/DeadLetterQueue/TargetArn",
    "/EventInvokeConfig/DestinationConfig/OnFailure/Destination",
];

/// Queues of dead letters that no alarm watches, and functions whose events are lost: one that a rule of the bus invokes has such a
/// queue, or its template says why it needs none.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let dead = project.resources().flat_map(|(_, _, properties)| queues(properties));
    let unwatched = dead.filter(|queue| !is_watched(project, queue));
    let unwatched =
        unwatched.map(|queue| format!("no alarm watches the dead letters in `{queue}`"));
    let invoked = project.resources().flat_map(|(_, kind, rule)| targets(kind, rule));
    let losing = invoked.filter(|function| is_losing(project, function));
    let losing = losing.map(|function| {
        format!("`{function}` has no queue for events that it could not deal with")
    });
    unwatched.chain(losing).collect()
}

/// The names of the queues that a resource sends to what it could not deal with.
fn queues(properties: &Value) -> impl Iterator<Item = &str> {
    NAMED.iter().filter_map(|place| name(properties.pointer(place)?))
}

/// The logical name in `A.Arn`.
fn name(value: &Value) -> Option<&str> {
    value.as_str()?.strip_suffix(".Arn")
}

fn is_watched(project: &Project, queue: &str) -> bool {
    let dimension = format!("\"{queue}.QueueName\"");
    project.resources().any(|(_, kind, alarm)| {
        kind == "AWS::CloudWatch::Alarm" && alarm["Dimensions"].to_string().contains(&dimension)
    })
}

/// What a rule invokes.
fn targets<'r>(kind: &str, rule: &'r Value) -> impl Iterator<Item = &'r str> {
    let is_rule = kind == "AWS::Events::Rule";
    let targets = rule["Targets"].as_array().filter(|_| is_rule).into_iter().flatten();
    targets.filter_map(|target| name(&target["Arn"]))
}

/// Whether what a function could not deal with is lost without a reason.
fn is_losing(project: &Project, function: &str) -> bool {
    let resource = &project.template["Resources"][function];
    let skips = resource.pointer("/Metadata/checkov/skip").and_then(Value::as_array);
    let is_excepted = skips.into_iter().flatten().any(|skip| skip["id"] == "CKV_AWS_116");
    let is_function = resource["Type"] == "AWS::Serverless::Function";
    is_function && !is_excepted && queues(&resource["Properties"]).next().is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(queue: &Value, alarm: &str, skip: &Value, expect: &[&str]) {
        let template = json!({ "Resources": {
            "Told": { "Type": "AWS::Events::Rule", "Properties": { "Targets": [{ "Arn": "F.Arn" }] } },
            "F": {
                "Type": "AWS::Serverless::Function", "Properties": queue,
                "Metadata": { "checkov": { "skip": skip } },
            },
            "A": { "Type": "AWS::CloudWatch::Alarm", "Properties": { "Dimensions": [{ "Value": alarm }] } },
        } });
        let project = Project { template, ..Project::default() };
        assert_eq!(broken(&project), expect);
    }

    #[test]
    fn dead_letters_are_kept_and_an_alarm_watches_them() {
        let queue = json!({ "DeadLetterQueue": { "Type": "SQS", "TargetArn": "Q.Arn" } });
        let none = json!([]);
        check(&queue, "Q.QueueName", &none, &[]);
        check(&queue, "R.QueueName", &none, &["no alarm watches the dead letters in `Q`"]);
        let lost = "`F` has no queue for events that it could not deal with";
        check(&json!({}), "Q.QueueName", &none, &[lost]);
        let reason = json!([{ "id": "CKV_AWS_116", "comment": "The next event says it again." }]);
        check(&json!({}), "Q.QueueName", &reason, &[]);
    }
}

//! A function reaches a table exactly when it is built from that table's store, and signs tasks only where it may.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::functions::pascal;
use crate::project::{Package, Project};

/// The tables, as in `store-<table>` and `<Table>Table`.
const TABLES: [&str; 9] = [
    "directory",
    "catalog",
    "runs",
    "approvals",
    "knowledge",
    "content",
    "vault",
    "egress",
    "tokens",
];
/// Stores that keep their rows in another store's table.
const LODGERS: [(&str, &str); 1] = [("journal", "runs")];
/// The functions that may answer a task token.
const ANSWER_TOKENS: [&str; 5] = ["api", "approvals", "gate-open", "gate-deadline", "cron-sweep"];

/// Every grant without a need, every need without a grant, every grant that is too wide.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let mut broken = Vec::new();
    for package in project.in_folder("functions") {
        let Some((_, _, properties)) =
            project.resources().find(|(name, _, _)| *name == pascal(package.short()))
        else {
            continue;
        };
        let statements = statements(properties);
        broken.extend(tables(project, package, &statements));
        let answers = statements
            .iter()
            .any(|(actions, _)| actions.iter().any(|action| action.starts_with("states:SendTask")));
        if !ANSWER_TOKENS.contains(&package.short()) {
            let reads = grants(&statements, "tokens");
            let may = [(answers, "answer"), (reads, "read")].into_iter().filter(|(does, _)| *does);
            broken.extend(may.map(|(_, what)| {
                let whose = ANSWER_TOKENS.join(", ");
                format!("`{}` may {what} task tokens: that belongs to {whose}", package.name)
            }));
        }
        broken.extend(too_wide(package, &statements));
        if package.short() == "api" {
            broken.extend(writes_content(properties));
        }
    }
    broken
}

type Statement = (Vec<String>, Vec<String>);

/// What makes a document what it is, and whose it is, in the table it shares with notices and to-dos.
const OF_DOCUMENTS: [&str; 13] = [
    "id",
    "owner",
    "title",
    "filename",
    "folder_id",
    "media_type",
    "bytes",
    "run",
    "created_at",
    "body",
    "GSI1PK",
    "GSI1SK",
    "expires_at",
];

/// What the keys begin with of what members of teams write, and of tickets for connections.
const OF_NO_DOCUMENT: [&str; 2] = ["TEAM#", "TICKET#"];

/// The REST door marks notices as read, ticks off to-dos and takes the posts of teams, and gives
/// out tickets for connections; it makes, changes and removes no
/// document.
fn writes_content(properties: &Value) -> Vec<String> {
    let reads = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"];
    let mut broken = Vec::new();
    for statement in raw(properties) {
        let (actions, resources) =
            (strings(statement.get("Action")), strings(statement.get("Resource")));
        let is_content = resources.iter().any(|resource| resource.contains("ContentTable.Arn"));
        for action in actions.iter().filter(|one| is_content && !reads.contains(&one.as_str())) {
            let only =
                statement.pointer("/Condition/ForAllValues:StringEquals/dynamodb:Attributes");
            let only = strings(only);
            let is_narrow = action == "dynamodb:UpdateItem" && !only.is_empty();
            let changes = only.iter().any(|one| OF_DOCUMENTS.contains(&one.as_str()));
            if (!is_narrow || changes) && !is_of_no_document(action, statement) {
                broken.push(format!(
                    "the role of `api` grants `{action}` on ContentTable for {only:?}: it may not change documents"
                ));
            }
        }
    }
    broken
}

fn is_of_no_document(action: &str, statement: &Value) -> bool {
    let keys = statement.pointer("/Condition/ForAllValues:StringLike/dynamodb:LeadingKeys");
    let keys = strings(keys);
    let writes = ["dynamodb:PutItem", "dynamodb:UpdateItem"].contains(&action);
    writes
        && !keys.is_empty()
        && keys.iter().all(|key| OF_NO_DOCUMENT.iter().any(|own| key.starts_with(own)))
}

fn raw(properties: &Value) -> impl Iterator<Item = &Value> {
    let policies = properties.get("Policies").and_then(Value::as_array).into_iter().flatten();
    policies.filter_map(|policy| policy.get("Statement")?.as_array()).flatten()
}

fn tables(project: &Project, package: &Package, statements: &[Statement]) -> Vec<String> {
    let needed: BTreeSet<&str> = project
        .closure(package)
        .into_iter()
        .filter_map(|name| name.strip_prefix("countersign-store-"))
        .map(|store| {
            LODGERS.iter().find(|(lodger, _)| *lodger == store).map_or(store, |(_, table)| table)
        })
        .filter(|table| TABLES.contains(table))
        .collect();
    let granted: BTreeSet<&str> =
        TABLES.into_iter().filter(|table| grants(statements, table)).collect();
    let missing = needed.difference(&granted).map(|table| {
        format!(
            "`{}` is built from `store-{table}` but its role has no grant on {}Table",
            package.name,
            pascal(table)
        )
    });
    let idle = granted.difference(&needed).map(|table| format!("the role of `{}` has a grant on {}Table but the function is not built from `store-{table}`", package.name, pascal(table)));
    missing.chain(idle).collect()
}

fn grants(statements: &[Statement], table: &str) -> bool {
    let name = format!("{}Table.Arn", pascal(table));
    statements.iter().any(|(actions, resources)| {
        actions.iter().any(|action| action.starts_with("dynamodb:"))
            && resources.iter().any(|resource| resource.contains(&name))
    })
}

fn too_wide(package: &Package, statements: &[Statement]) -> Vec<String> {
    let mut broken = Vec::new();
    for (actions, resources) in statements {
        for action in actions.iter().filter(|action| action.contains('*')) {
            broken
                .push(format!("the role of `{}` grants `{action}`: name the verbs", package.name));
        }
        if actions.iter().any(|action| action == "dynamodb:Scan") {
            broken.push(format!("the role of `{}` may scan a table: query instead", package.name));
        }
        if resources.iter().any(|resource| resource == "*") && resources.len() == 1 {
            broken.push(format!(
                "the role of `{}` grants {} on everything",
                package.name,
                actions.join(", ")
            ));
        }
    }
    broken
}

/// Actions and resources of a function's inline statements.
fn statements(properties: &Value) -> Vec<Statement> {
    raw(properties)
        .map(|statement| (strings(statement.get("Action")), strings(statement.get("Resource"))))
        .collect()
}

/// Every string in a value, however deep: a condition's branches count as well.
fn strings(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().flat_map(|item| strings(Some(item))).collect(),
        Some(Value::Object(fields)) => {
            fields.values().flat_map(|item| strings(Some(item))).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{broken, writes_content};
    use crate::project::{Package, Project};
    use serde_json::json;

    #[track_caller]
    fn check(needs: &str, action: &str, resource: &str, expect: &[&str]) {
        let package = |folder: &str, name: &str, needs: &str| Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            needs: needs.split_whitespace().map(str::to_owned).collect(),
            manifest: String::new(),
        };
        let packages = vec![
            package("functions/tool-data", "tool-data", needs),
            package("shared/entry/step-entry", "countersign-step-entry", "countersign-store-runs"),
            package("shared/adapters/store-runs", "countersign-store-runs", ""),
        ];
        let policy = json!({ "Statement": [{ "Action": [action], "Resource": [resource] }] });
        let template = json!({ "Resources": { "ToolData": { "Type": "AWS::Serverless::Function", "Properties": { "Policies": [policy] } } } });
        assert_eq!(broken(&Project { packages, template, ..Project::default() }), expect);
    }

    #[test]
    fn a_need_through_another_crate_is_met_by_its_grant() {
        check("countersign-step-entry", "dynamodb:Query", "RunsTable.Arn", &[]);
    }

    #[test]
    fn a_need_without_a_grant_and_the_reverse_are_named() {
        check(
            "countersign-store-runs",
            "kms:Sign",
            "LedgerKey.Arn",
            &["`tool-data` is built from `store-runs` but its role has no grant on RunsTable"],
        );
        check(
            "",
            "dynamodb:GetItem",
            "${VaultTable.Arn}/index/*",
            &[
                "the role of `tool-data` has a grant on VaultTable but the function is not built from `store-vault`",
            ],
        );
    }

    #[test]
    fn k_25_the_door_may_not_change_a_document() {
        let check = |action: &str, attributes: &[&str], is_fine: bool| {
            let only =
                json!({ "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes } });
            let statement =
                json!({ "Action": action, "Resource": ["ContentTable.Arn"], "Condition": only });
            let properties = json!({ "Policies": [{ "Statement": [statement] }] });
            assert_eq!(writes_content(&properties).is_empty(), is_fine, "{action} {attributes:?}");
        };
        check("dynamodb:Query", &[], true);
        check("dynamodb:UpdateItem", &["PK", "SK", "state"], true);
        check("dynamodb:UpdateItem", &["PK", "SK", "body"], false);
        check("dynamodb:UpdateItem", &["PK", "SK", "expires_at"], false);
        check("dynamodb:UpdateItem", &[], false);
        check("dynamodb:PutItem", &["PK", "SK", "state"], false);
        check("dynamodb:DeleteItem", &["PK", "SK", "state"], false);
    }

    #[test]
    fn wide_grants_are_refused() {
        check(
            "",
            "s3:*",
            "DataBucket.Arn",
            &["the role of `tool-data` grants `s3:*`: name the verbs"],
        );
        check(
            "",
            "sqs:SendMessage",
            "*",
            &["the role of `tool-data` grants sqs:SendMessage on everything"],
        );
        check(
            "",
            "states:SendTaskSuccess",
            "x",
            &[
                "`tool-data` may answer task tokens: that belongs to api, approvals, gate-open, gate-deadline, cron-sweep",
            ],
        );
        check(
            "",
            "dynamodb:GetItem",
            "TokensTable.Arn",
            &[
                "the role of `tool-data` has a grant on TokensTable but the function is not built from `store-tokens`",
                "`tool-data` may read task tokens: that belongs to api, approvals, gate-open, gate-deadline, cron-sweep",
            ],
        );
    }
}

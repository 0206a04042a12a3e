//! A key of the operator's own is of use only to roles that may use it.

use serde_json::Value;

use crate::project::Project;

/// The policy that lets roles use the key.
const POLICY: &str = "FunctionsUseCustomerKey";

/// Every function whose role may not use the operator's key, and so could read no table.
pub(super) fn broken(project: &Project) -> Vec<String> {
    // A template of a test that is about something else has no such key.
    if project.template["Parameters"].get("CustomerKeyArn").is_none() {
        return Vec::new();
    }
    let policy = &project.template["Resources"][POLICY];
    let roles = policy.pointer("/Properties/Roles").map(Value::to_string).unwrap_or_default();
    let functions = project.resources().filter(|(_, kind, _)| *kind == "AWS::Serverless::Function");
    let without = functions.filter(|(name, _, _)| !roles.contains(&format!("\"{name}Role\"")));
    without.map(|(name, _, _)| format!("`{POLICY}` leaves out `{name}Role`")).collect()
}

#[cfg(test)]
mod tests {
    use super::broken;
    use crate::project::Project;
    use serde_json::json;

    #[test]
    fn a_function_whose_role_is_left_out_is_named() {
        let function = json!({ "Type": "AWS::Serverless::Function", "Properties": {} });
        let roles = json!(["ApiRole", ["HasStreams", "StreamRole", "AWS::NoValue"]]);
        let policy = json!({ "Type": "AWS::IAM::Policy", "Properties": { "Roles": roles } });
        let template = json!({ "Parameters": { "CustomerKeyArn": {} }, "Resources": { "Api": function, "Stream": function, "Socket": function, "FunctionsUseCustomerKey": policy } });
        let project = Project { template, ..Project::default() };
        assert_eq!(broken(&project), ["`FunctionsUseCustomerKey` leaves out `SocketRole`"]);
    }
}

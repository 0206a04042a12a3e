//! What the code says about the functions of the deployment is what the template says.

use std::collections::BTreeMap;

use countersign_registry::FUNCTION_SECONDS;

use crate::blocks::root;

/// How long each function that carries out actions runs at most, in seconds.
fn deployed(template: &str) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    let mut function = None;
    for line in template.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("FunctionName: !Sub ${AWS::StackName}-") {
            function = name.starts_with("tool-").then(|| name.to_owned());
        } else if let Some(seconds) = line.strip_prefix("Timeout: ")
            && let Some(function) = function.take()
        {
            found.insert(function, seconds.parse().unwrap());
        }
    }
    found
}

#[test]
fn f_149_functions_run_as_long_as_the_registry_says() {
    let template = std::fs::read_to_string(root().join("template.yaml")).unwrap();
    let said = FUNCTION_SECONDS.map(|(function, seconds)| (function.to_owned(), seconds));
    assert_eq!(deployed(&template), BTreeMap::from(said));
}

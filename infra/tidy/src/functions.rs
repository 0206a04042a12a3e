//! Every function is whole: a crate, a README, a sample event, a resource of the right names.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::project::{Package, Project};

/// Every function that lacks something, and every resource without a function.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let mut broken = Vec::new();
    let deployed: Vec<(&str, String)> = project
        .resources()
        .filter(|(_, kind, _)| *kind == "AWS::Serverless::Function")
        .map(|(name, _, properties)| {
            (
                name,
                properties
                    .get("FunctionName")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned(),
            )
        })
        .collect();
    let crates: BTreeSet<&str> = project.in_folder("functions").map(Package::short).collect();
    for folder in &crates {
        let resource = pascal(folder);
        match deployed.iter().find(|(name, _)| *name == resource) {
            None => broken.push(format!("`functions/{folder}` is not deployed: add the resource `{resource}` to the template")),
            Some((_, name)) if *name != format!("${{AWS::StackName}}-{folder}") => {
                broken.push(format!("the resource `{resource}` must have the FunctionName `${{AWS::StackName}}-{folder}`"));
            }
            Some(_) => {}
        }
        broken.extend(lacking(project, folder));
    }
    let orphans =
        deployed.iter().filter(|(name, _)| !crates.iter().any(|folder| pascal(folder) == *name));
    broken.extend(
        orphans.map(|(name, _)| {
            format!("the resource `{name}` deploys a function that is not a crate")
        }),
    );
    broken
}

fn lacking(project: &Project, folder: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let has = |path: &str| project.files.iter().any(|file| file.starts_with(path));
    if !has(&format!("functions/{folder}/README.md")) {
        broken.push(format!(
            "`functions/{folder}` has no README.md: purpose, environment, what its role may do"
        ));
    }
    if !has(&format!("events/{folder}")) {
        broken.push(format!("`events/{folder}/` holds no sample event"));
    }
    broken
}

/// `run-begin` → `RunBegin`.
#[must_use]
pub fn pascal(folder: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_ascii_uppercase())
            .into_iter()
            .chain(letters)
            .collect::<String>()
    };
    folder.split('-').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::broken;
    use crate::project::{Package, Project};
    use serde_json::json;
    use std::collections::BTreeSet;

    #[track_caller]
    fn check(resource: &str, function_name: &str, files: &[&str], expect: &[&str]) {
        let package = Package {
            name: "run-begin".to_owned(),
            folder: "functions/run-begin".to_owned(),
            needs: BTreeSet::new(),
            manifest: String::new(),
        };
        let template = json!({ "Resources": { resource: { "Type": "AWS::Serverless::Function", "Properties": { "FunctionName": function_name } } } });
        let project = Project {
            packages: vec![package],
            template,
            files: files.iter().map(Into::into).collect(),
            ..Project::default()
        };
        assert_eq!(broken(&project), expect);
    }

    const WHOLE: [&str; 2] = ["functions/run-begin/README.md", "events/run-begin/first.json"];

    #[test]
    fn a_whole_function_passes() {
        check("RunBegin", "${AWS::StackName}-run-begin", &WHOLE, &[]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let readme =
            "`functions/run-begin` has no README.md: purpose, environment, what its role may do";
        check(
            "RunBegin",
            "${AWS::StackName}-run-begin",
            &[],
            &[readme, "`events/run-begin/` holds no sample event"],
        );
        check(
            "RunBegin",
            "begin",
            &WHOLE,
            &["the resource `RunBegin` must have the FunctionName `${AWS::StackName}-run-begin`"],
        );
        let missing =
            "`functions/run-begin` is not deployed: add the resource `RunBegin` to the template";
        check(
            "Other",
            "x",
            &WHOLE,
            &[missing, "the resource `Other` deploys a function that is not a crate"],
        );
    }
}

//! Deploying the project's template to the emulator, through CloudFormation, as to AWS.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;

use super::functions::Functions;
use super::{Aws, Stack};
use crate::console::Console;
use crate::error::CliError;

const CODE_BUCKET: &str = "countersign-code";

/// Lays out what is deployed: the template, the machines it names, and a link `dist` to the archives.
///
/// # Errors
/// [`CliError::NoFunction`] when the template deploys a function that is not a crate; [`CliError::Io`] otherwise.
pub(super) fn stage(project: &Path, stage: &Path, functions: &Functions) -> Result<(), CliError> {
    let doing = |source| CliError::io("laying out what is deployed", source);
    let machines = stage.join("statemachines");
    fs::create_dir_all(&machines).map_err(doing)?;
    let template = fs::read_to_string(project.join("template.yaml")).map_err(doing)?;
    for named in template.lines().filter_map(code_of) {
        if !functions.all.iter().any(|function| function.name == named) {
            return Err(CliError::NoFunction(named.to_owned()));
        }
    }
    fs::write(stage.join("template.yaml"), &template).map_err(doing)?;
    link(&functions.dist, &stage.join("dist")).map_err(doing)?;
    for entry in fs::read_dir(project.join("statemachines")).map_err(doing)? {
        let path = entry.map_err(doing)?.path();
        if let (Some(name), true) = (path.file_name(), path.is_file()) {
            fs::copy(&path, machines.join(name)).map_err(doing)?;
        }
    }
    Ok(())
}

/// Points a link to a folder, in place of whatever was there.
fn link(folder: &Path, at: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(at) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(at)?,
        Ok(_) => fs::remove_file(at)?,
        Err(_) => {}
    }
    symlink(folder, at)
}

/// Uploads what has changed and creates or updates the stack; returns its outputs.
///
/// # Errors
/// [`CliError::Deploy`] with CloudFormation's first reasons.
pub(super) async fn deploy(
    stack: &Stack,
    aws: &Aws,
    state: &Path,
    given: &[String],
    console: &Console,
) -> Result<serde_json::Map<String, Value>, CliError> {
    let step = console.step("deploying the template");
    let folder = state.join("stage");
    let log = state.join("deploy.log");
    let run = async |arguments: &[&str]| -> Result<(), String> {
        let output = aws.output(arguments, &folder).await.map_err(|error| error.to_string())?;
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        let _kept_if_possible = fs::write(&log, &said);
        if output.status.success() {
            Ok(())
        } else {
            Err(said.trim().lines().last().unwrap_or_default().to_owned())
        }
    };
    let failed = |reason| CliError::Deploy { reason, log: log.clone() };
    if run(&["s3api", "head-bucket", "--bucket", CODE_BUCKET]).await.is_err() {
        run(&["s3api", "create-bucket", "--bucket", CODE_BUCKET]).await.map_err(failed)?;
    }
    step.detail("uploading what has changed");
    run(&[
        "cloudformation",
        "package",
        "--template-file",
        "template.yaml",
        "--s3-bucket",
        CODE_BUCKET,
        // JSON is read much faster than YAML, by the client and by the emulator.
        "--use-json",
        "--output-template-file",
        "packaged.json",
    ])
    .await
    .map_err(failed)?;
    step.detail("creating or updating the resources");
    let mut arguments = vec![
        "cloudformation",
        "deploy",
        "--template-file",
        "packaged.json",
        "--stack-name",
        &stack.name,
        "--s3-bucket",
        CODE_BUCKET,
        "--capabilities",
        "CAPABILITY_IAM",
        "CAPABILITY_AUTO_EXPAND",
        "--no-fail-on-empty-changeset",
        "--parameter-overrides",
    ];
    let parameters = parameters(stack, given);
    arguments.extend(parameters.iter().map(String::as_str));
    if let Err(reason) = run(&arguments).await {
        return Err(failed(reasons(stack, aws, &folder).await.unwrap_or(reason)));
    }
    let outputs = outputs(stack, aws, &folder).await?;
    step.done("the template is deployed");
    Ok(outputs)
}

/// The function whose code a line of the template names: `CodeUri: dist/api.zip` → `api`.
fn code_of(line: &str) -> Option<&str> {
    line.trim().strip_prefix("CodeUri: dist/")?.strip_suffix(".zip")
}

/// What makes the stack a local one.
const OWN: [&str; 7] = [
    "JwtHs256Secret",
    "LocalApiId",
    "LocalSocketId",
    "LocalEndpoint",
    "PublicUrl",
    "PublicSocketUrl",
    "Architecture",
];

/// The name of a parameter that is written as `NAME=VALUE`.
fn name_of(parameter: &str) -> Option<&str> {
    parameter.split_once('=').map(|(name, _)| name).filter(|name| !name.is_empty())
}

/// The names of a template's parameters.
fn declared(template: &str) -> impl Iterator<Item = &str> {
    let section = template.lines().skip_while(|line| *line != "Parameters:").skip(1);
    let section = section.take_while(|line| line.is_empty() || line.starts_with(' '));
    section.filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'))
}

/// Whether these are parameters of the project's template that somebody may choose for a local stack.
///
/// # Errors
/// [`CliError::Argument`] for the first that is not, and when the template cannot be read.
pub(super) fn check_parameters(given: &[String], project: &Path) -> Result<(), CliError> {
    if given.is_empty() {
        return Ok(());
    }
    let doing = |source| CliError::io("reading `template.yaml`", source);
    check_names(given, &fs::read_to_string(project.join("template.yaml")).map_err(doing)?)
}

fn check_names(given: &[String], template: &str) -> Result<(), CliError> {
    for parameter in given {
        let refused = match name_of(parameter) {
            None => "is not `NAME=VALUE`",
            Some(name) if OWN.contains(&name) => "is chosen by the local stack itself",
            Some(name) if declared(template).all(|known| known != name) => {
                "is no parameter of `template.yaml`"
            }
            Some(_) => continue,
        };
        return Err(CliError::Argument(format!("`--parameter {parameter}` {refused}")));
    }
    Ok(())
}

/// Those of the local stack, with the ones that are given in place of its own of the same name.
fn parameters(stack: &Stack, given: &[String]) -> Vec<String> {
    let mut all = vec![
        format!("JwtHs256Secret={}", stack.jwt_secret),
        format!("LocalApiId={}", stack.api_id),
        format!("LocalSocketId={}", stack.socket_id),
        format!("LocalEndpoint={}", stack.endpoint()),
        format!("PublicUrl={}", stack.url()),
        format!("PublicSocketUrl={}", stack.socket_url()),
        format!("Architecture={}", if cfg!(target_arch = "aarch64") { "arm64" } else { "x86_64" }),
        "AllowLoopback=true".to_owned(),
        "StreamReaders=20".to_owned(),
        // Whoever has the machine has the stack: quotas would only be in their way.
        "RunsPerDay=0".to_owned(),
        "MailsPerDay=0".to_owned(),
        "SearchesPerDay=0".to_owned(),
        "UploadMegabytesPerDay=0".to_owned(),
    ];
    all.retain(|own| given.iter().all(|parameter| name_of(parameter) != name_of(own)));
    all.extend_from_slice(given);
    all
}

/// The first three reasons in the stack's events.
async fn reasons(stack: &Stack, aws: &Aws, folder: &Path) -> Option<String> {
    let query = "StackEvents[?contains(ResourceStatus, 'FAILED')].[LogicalResourceId, ResourceStatusReason]";
    let events = aws
        .json(
            &[
                "cloudformation",
                "describe-stack-events",
                "--stack-name",
                &stack.name,
                "--query",
                query,
            ],
            folder,
        )
        .await
        .ok()?;
    let told: Vec<String> = events
        .as_array()?
        .iter()
        .filter_map(|event| {
            Some(format!("{}: {}", event.get(0)?.as_str()?, event.get(1)?.as_str()?))
        })
        .take(3)
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}

async fn outputs(
    stack: &Stack,
    aws: &Aws,
    folder: &Path,
) -> Result<serde_json::Map<String, Value>, CliError> {
    let query = "Stacks[0].Outputs[].[OutputKey, OutputValue]";
    let pairs = aws
        .json(
            &["cloudformation", "describe-stacks", "--stack-name", &stack.name, "--query", query],
            folder,
        )
        .await?;
    let pairs = pairs.as_array().cloned().unwrap_or_default();
    Ok(pairs
        .into_iter()
        .filter_map(|pair| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.clone())))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{check_names, code_of, parameters};
    use crate::stack::Stack;

    #[test]
    fn what_is_given_takes_the_place_of_the_local_choice() {
        let stack = Stack::new("s", 4566);
        let given = ["RunsPerDay=7".to_owned(), "ModelProvider=openai".to_owned()];
        let all = parameters(&stack, &given);
        let runs: Vec<&String> = all.iter().filter(|one| one.starts_with("RunsPerDay=")).collect();
        assert_eq!(runs, ["RunsPerDay=7"]);
        assert!(all.contains(&given[1]) && all.contains(&"MailsPerDay=0".to_owned()));
        let template = "Parameters:\n  RunsPerDay:\n    Type: Number\n\n  ModelProvider:\n    Type: String\nResources:\n  Api:\n";
        assert!(check_names(&given, template).is_ok());
        let others =
            ["ModelProvider", "=x", "PublicUrl=https://elsewhere.example", "Api=x", "Type=x"];
        for refused in others {
            assert!(check_names(&[refused.to_owned()], template).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_line_names_the_function_whose_code_it_is() {
        assert_eq!(code_of("      CodeUri: dist/run-begin.zip"), Some("run-begin"));
        assert_eq!(code_of("      Timeout: 29"), None);
    }
}

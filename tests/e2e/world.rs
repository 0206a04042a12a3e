//! The stack under test, started once.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use countersign_cli::console::Console;
use countersign_cli::mailbox::Mailbox;
use countersign_cli::stack::{Aws, Place, Session, Stack, UpOptions, up};
use serde_json::Value;

/// The stack all tests share.
pub(crate) struct World {
    /// The running stack.
    pub(crate) stack: Stack,
    /// The project's folder.
    pub(crate) project: PathBuf,
    state: tempfile::TempDir,
    /// Of a stack beside another one: what removes it with its test.
    _removal: Option<Removal>,
}

/// Removes a stack when it is dropped: its clocks would go on until all tests are over.
struct Removal {
    aws: Aws,
    name: String,
}

impl Drop for Removal {
    /// Nobody waits for it: the emulator ends with the tests.
    fn drop(&mut self) {
        let (aws, name) = (self.aws.clone(), self.name.clone());
        std::thread::spawn(move || {
            let arguments = ["cloudformation", "delete-stack", "--stack-name", &name];
            let _said = runtime().block_on(aws.output(&arguments, &std::env::temp_dir()));
        });
    }
}

static WORLD: OnceLock<World> = OnceLock::new();

/// Starts the stack at the first call.
///
/// It starts on a thread with a runtime of its own: every test has another runtime, and none may own what all share.
pub(crate) fn world() -> &'static World {
    WORLD.get_or_init(|| std::thread::spawn(start).join().expect("the stack starts"))
}

fn start() -> World {
    let project = project();
    let state = tempfile::tempdir().expect("a folder for the state");
    let place = Place { project: Some(project.clone()), state: Some(state.path().to_owned()) };
    let stack = runtime()
        .block_on(up(&place, &options("countersign-test"), &Console::new()))
        .expect("the stack comes up");
    World { stack, project, state, _removal: None }
}

/// A free port, and a name so that two stacks on one machine do not meet.
pub(crate) fn options(name: &str) -> UpOptions {
    UpOptions { port: Some(0), name: Some(name.to_owned()), bound: true, ..UpOptions::default() }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie in the project").to_owned()
}

impl World {
    /// A stack that a test started for itself.
    pub(crate) fn on(stack: Stack) -> Self {
        let state = tempfile::tempdir().expect("a folder");
        Self { stack, project: project(), state, _removal: None }
    }

    /// The captured mail.
    pub(crate) fn mailbox(&self) -> Mailbox {
        Mailbox::of(&self.stack).expect("the mailbox opens")
    }

    /// What the command line says and whether it succeeds, on this stack.
    pub(crate) async fn command(&self, arguments: &[&str]) -> (bool, String) {
        self.command_in(self.state.path(), arguments).await
    }

    /// The same on the stack whose state is in a folder.
    pub(crate) async fn command_in(&self, state: &Path, arguments: &[&str]) -> (bool, String) {
        let said = self.program_in(state, arguments).output().await;
        let said = said.expect("the command line runs");
        let text = [said.stdout, said.stderr].concat();
        (said.status.success(), String::from_utf8_lossy(&text).into_owned())
    }

    /// The command line on this stack, not started yet.
    pub(crate) fn program(&self, arguments: &[&str]) -> tokio::process::Command {
        self.program_in(self.state.path(), arguments)
    }

    fn program_in(&self, state: &Path, arguments: &[&str]) -> tokio::process::Command {
        let tests = std::env::current_exe().expect("the tests' own program");
        let built = tests.parent().and_then(Path::parent).expect("a folder of programs");
        let mut command = tokio::process::Command::new(built.join("countersign"));
        command.args(arguments).arg("--project").arg(&self.project);
        command.arg("--state").arg(state);
        command
    }

    /// The operator of the deployment at its AWS account: only for what happens to a deployment, such as an execution
    /// that is aborted.
    pub(crate) async fn aws(&self, arguments: &[&str]) -> Result<Value, String> {
        Aws::of(&self.stack, &self.project)
            .json(arguments, self.state.path())
            .await
            .map_err(|error| error.to_string())
    }

    /// The same template deployed a second time beside this one, with other parameters.
    pub(crate) async fn beside(&self, name: &str, parameters: &[String]) -> World {
        let mut stack = Stack::new(name, self.stack.port);
        let mut given = vec![
            format!("LocalApiId={}", stack.api_id),
            format!("LocalEndpoint={}", stack.endpoint()),
            format!("LocalSocketId={}", stack.socket_id),
            format!("PublicUrl={}", stack.url()),
            format!("PublicSocketUrl={}", stack.socket_url()),
            format!("Architecture={}", std::env::consts::ARCH.replace("aarch64", "arm64")),
            "AllowLoopback=true".to_owned(),
            "RunsPerDay=0".to_owned(),
            "MailsPerDay=0".to_owned(),
            "SearchesPerDay=0".to_owned(),
            "UploadMegabytesPerDay=0".to_owned(),
            "CreateMailIdentity=false".to_owned(),
        ];
        let name_of = |given: &str| given.split('=').next().unwrap_or_default().to_owned();
        let own: Vec<String> = parameters.iter().map(|given| name_of(given)).collect();
        given.retain(|given| !own.contains(&name_of(given)));
        given.extend_from_slice(parameters);
        let template = self.state.path().join("stage/packaged.json");
        let template = template.to_str().expect("a path");
        let mut arguments = vec!["cloudformation", "deploy", "--template-file", template];
        arguments.extend(["--stack-name", name, "--s3-bucket", "countersign-code"]);
        arguments.extend(["--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]);
        arguments.push("--parameter-overrides");
        arguments.extend(given.iter().map(String::as_str));
        let aws = Aws::of(&self.stack, &self.project);
        let said = aws.output(&arguments, self.state.path()).await.expect("the AWS client runs");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let query = ["--stack-name", name, "--query", "Stacks[0].Outputs"];
        let outputs = [&["cloudformation", "describe-stacks"][..], &query].concat();
        for output in self.aws(&outputs).await.expect("the outputs").as_array().expect("a list") {
            let name = output["OutputKey"].as_str().unwrap_or_default();
            stack.outputs.insert(name.to_owned(), output["OutputValue"].clone());
        }
        let removal = Removal { aws, name: name.to_owned() };
        World { _removal: Some(removal), ..World::on(stack) }
    }

    /// What is said when the template is deployed as to AWS, not to the local stack, and that is refused.
    pub(crate) async fn refused_in_aws(&self, name: &str, parameters: &[&str]) -> String {
        let template = self.state.path().join("stage/packaged.json");
        let template = template.to_str().expect("a path");
        let mut arguments = vec!["cloudformation", "deploy", "--template-file", template];
        arguments.extend(["--stack-name", name, "--s3-bucket", "countersign-code"]);
        arguments.extend(["--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]);
        arguments.push("--parameter-overrides");
        arguments.extend(parameters);
        let aws = Aws::of(&self.stack, &self.project);
        let said = aws.output(&arguments, self.state.path()).await.expect("the AWS client runs");
        assert!(!said.status.success(), "{name} was deployed");
        String::from_utf8_lossy(&said.stderr).into_owned()
    }

    /// AWS as a role sees it.
    pub(crate) async fn aws_as(
        &self,
        credentials: &Value,
        arguments: &[&str],
    ) -> Result<Value, String> {
        let part = |name: &str| credentials[name].as_str().unwrap_or_default().to_owned();
        let session = Session {
            key: part("AccessKeyId"),
            secret: part("SecretAccessKey"),
            token: part("SessionToken"),
        };
        let aws = Aws::of(&self.stack, &self.project).acting_as(session);
        aws.json(arguments, self.state.path()).await.map_err(|error| error.to_string())
    }
}

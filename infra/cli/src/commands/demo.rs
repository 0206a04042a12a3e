//! `countersign demo`: the main job, end to end, through the public doors, on a stack of its own.

mod feed;
mod monitor;
mod question;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use countersign_identity::{Scopes, UserId};
use serde_json::json;

use super::run::settled;
use super::upload::{files, uploaded};
use super::{FACTORY, items, made, operator, response_text, row, text, user};
use crate::approver::Approver;
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::mailbox::{Mail, Mailbox};
use crate::stack::{Place, Stack, UpOptions, down, up};
use crate::token::login;
use crate::waiting::answered;

const PATIENCE: Duration = Duration::from_secs(300);
const AGENT: &str = "nonprofit-investigator";
const PLAYBOOK: &str = "officer-cross-reference";
const USERNAME: &str = "ada";
const ADDRESS: &str = "ada@example.org";

#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// A folder of filings (XML); the shipped samples unless given.
    #[arg(long, value_name = "DIR")]
    filings: Option<PathBuf>,
    /// Decide without asking, as the approver would: open the page, send its form. So it does where there is no terminal.
    #[arg(long)]
    yes: bool,
    /// Deny instead of approving, when deciding without asking.
    #[arg(long)]
    deny: bool,
    /// Watch a feed instead: it gets an item, a monitor sees it, the link is decided, the watermark moves.
    #[arg(long, conflicts_with = "filings")]
    monitor: bool,
    /// Then ask the agent what it knows about somebody in the shipped filings: its knowledge graph answers.
    #[arg(long, conflicts_with_all = ["filings", "monitor", "deny"])]
    question: bool,
    /// Leave the stack running afterwards.
    #[arg(long)]
    keep: bool,
}

impl Demo {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let project = place.project()?;
        let folder = self.filings.clone().unwrap_or_else(|| project.join("library/filings"));
        let filings = filings(&folder, console)?;
        let state = place.chosen_state().unwrap_or_else(|| project.join(".countersign/demo"));
        let own = Place { project: Some(project.clone()), state: Some(state) };
        let options = UpOptions {
            port: Some(0),
            name: Some("countersign-demo".to_owned()),
            ..UpOptions::default()
        };
        // A stack that somebody else started is left to them.
        let was_up = own.running().is_ok();
        let stack = up(&own, &options, console).await?;
        let told = if self.monitor {
            self.tell_monitor(&stack, console).await
        } else {
            self.tell(&stack, &filings, &folder, console).await
        };
        if self.keep || was_up {
            console.note(format!(
                "the stack goes on: COUNTERSIGN_STATE={} countersign status",
                own.state()?.display()
            ));
        } else {
            down(&own.state()?, console).await?;
        }
        told
    }

    async fn tell(
        &self,
        stack: &Stack,
        filings: &[PathBuf],
        folder: &Path,
        console: &Console,
    ) -> Result<(), CliError> {
        let door = signed_in(stack).await?;
        console.line(format!("\n1. {USERNAME} signs in: may research, and may sign."));
        let files = uploaded(&door, filings).await?;
        console.line(format!("2. {} filings are uploaded from {}.", files.len(), folder.display()));
        let body = json!({ "profile": AGENT, "playbook": PLAYBOOK, "inputs": { "filings": files }, "query": "who serves in more than one of these organisations?" });
        let run = made(&door, "/executions", &body, "the run was accepted").await?;
        console.line(format!("3. The agent {AGENT} starts {run}."));
        let signer = Signer::of(stack, (USERNAME, ADDRESS))?;
        let mut seen = signer.mails().await?;
        let mut status = settled(&door, &run, PATIENCE).await?;
        while status == "awaiting_approval" {
            steps(&door, &run, console).await?;
            let before = pending(&door, &run).await?;
            let link = signer.link(seen).await?;
            seen = signer.mails().await?;
            self.signature(&signer, &link, console).await?;
            status = decided(&door, &run, &before).await?;
        }
        console.line(format!("5. The run is over: {status}."));
        results(&door, &run, console).await?;
        let expected: &[&str] =
            if self.deny { &["rejected"] } else { &["complete", "partial", "rejected"] };
        if !expected.contains(&status.as_str()) {
            return Err(CliError::Found(format!("the run ended as `{status}`")));
        }
        if !self.question {
            return Ok(());
        }
        if status == "rejected" {
            console.note("it was denied, so there is nothing to ask about.");
            return Ok(());
        }
        question::ask(&door, console).await
    }

    /// Shows the link and waits for the person; or acts as the approver would.
    async fn signature(
        &self,
        signer: &Signer,
        link: &str,
        console: &Console,
    ) -> Result<(), CliError> {
        let step = if self.monitor { 6 } else { 4 };
        console.line(format!(
            "{step}. It stops before anything is written. This is what the mail says to open:"
        ));
        console.line(format!("\n   {link}\n"));
        if console.can_ask() && !self.yes && !self.deny {
            console.note("open it in a browser and decide there; codes that are mailed are shown here. Press Enter when you have decided.");
            return enter(signer, console).await;
        }
        if !self.yes && !self.deny {
            console.note("there is no terminal to ask at: the demo decides, as with `--yes`.");
        }
        let word = if self.deny { "deny" } else { "approve" };
        let (approver, name) = (&signer.approver, signer.name);
        let page = approver.open(link).await?;
        console.line(format!(
            "   {name} opens the page (status {}); opening changes nothing.",
            page.status
        ));
        let answer = approver.decide(link, &page, word, "decided in the demo").await?;
        console
            .line(format!("   {name} sends the page's form: {word} (status {}).", answer.status));
        if answer.status == 200 {
            Ok(())
        } else {
            Err(CliError::Found(format!("the decision was rejected with status {}", answer.status)))
        }
    }
}

/// Waits until the person presses Enter; meanwhile shows every one-time code that is mailed.
async fn enter(signer: &Signer, console: &Console) -> Result<(), CliError> {
    let (mailbox, address) = (&signer.mailbox, signer.address);
    let mut seen = signer.mails().await?;
    let pressed = tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new()));
    while !pressed.is_finished() {
        let mails = mailbox.to(address).await?;
        for code in mails.iter().skip(seen).filter_map(Mail::code) {
            console.note(format!("a code was mailed to {address}: {code}"));
        }
        seen = mails.len();
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    let read = pressed.await.map_err(std::io::Error::other).and_then(|read| read);
    read.map(drop).map_err(|source| CliError::io("reading the answer", source))
}

/// Somebody who signs, with their mail.
struct Signer {
    name: &'static str,
    address: &'static str,
    approver: Approver,
    mailbox: Mailbox,
}

impl Signer {
    fn of(stack: &Stack, (name, address): (&'static str, &'static str)) -> Result<Self, CliError> {
        let mailbox = Mailbox::of(stack)?;
        let approver = Approver::new(mailbox.clone(), address)?;
        Ok(Self { name, address, approver, mailbox })
    }

    /// How many mails there are.
    async fn mails(&self) -> Result<usize, CliError> {
        Ok(self.mailbox.to(self.address).await?.len())
    }

    /// The link of a mail after so many.
    async fn link(&self, seen: usize) -> Result<String, CliError> {
        self.approver.link(seen, PATIENCE).await
    }
}

/// The door of the demo's person.
async fn signed_in(stack: &Stack) -> Result<Door, CliError> {
    let id = person(stack, (USERNAME, ADDRESS), &["global:analyst", "decide"]).await?;
    Door::with(&stack.url(), login(stack, &id, Scopes::parse(["global:analyst"]))?)
}

/// A person of the demo, entered at the first start.
async fn person(
    stack: &Stack,
    (name, address): (&str, &str),
    grants: &[&str],
) -> Result<UserId, CliError> {
    let admin = operator(stack)?;
    let path = format!("/api/admin/users/{name}");
    let person = match admin.get(&path).await {
        Err(CliError::Refused { status: 404, .. }) => {
            let body = json!({ "username": name, "email": address, "email_verified": true, "display_name": name });
            admin.post("/api/admin/users", &body).await?;
            for grant in grants {
                user::give(&admin, name, grant).await?;
            }
            admin.get(&path).await?
        }
        found => found?,
    };
    UserId::parse(&text(&person, "id").unwrap_or_default())
        .map_err(|error| CliError::Found(error.to_string()))
}

/// Every XML file of a folder. Looked up before the stack starts: a mistyped folder is told at once.
fn filings(folder: &Path, console: &Console) -> Result<Vec<PathBuf>, CliError> {
    let is_filing = |file: &Path| {
        file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"))
    };
    let found = files(folder)?.only(folder, "not `.xml`", is_filing).told(console);
    if found.is_empty() {
        return Err(CliError::Argument(format!(
            "`{}` holds no filings: there is no file that ends in `.xml`",
            folder.display()
        )));
    }
    Ok(found)
}

/// The requests a run waits for.
async fn pending(door: &Door, run: &str) -> Result<Vec<String>, CliError> {
    let page = door.get(&format!("{FACTORY}/approvals?role=owner&status=pending")).await?;
    let ours = items(&page).iter().filter(|request| text(request, "run").as_deref() == Some(run));
    Ok(ours.filter_map(|request| text(request, "approval")).collect())
}

/// Waits until a decision has moved the run: to its end, or to the next request.
async fn decided(door: &Door, run: &str, before: &[String]) -> Result<String, CliError> {
    let late = "nobody has decided in time; the request stays open until its deadline";
    answered(PATIENCE, Duration::from_millis(300), late, async || {
        let waiting = pending(door, run).await?;
        if before.iter().any(|request| waiting.contains(request)) {
            return Ok(None);
        }
        let status = settled(door, run, PATIENCE).await?;
        let has_moved = status != "awaiting_approval" || !pending(door, run).await?.is_empty();
        Ok(has_moved.then_some(status))
    })
    .await
}

async fn steps(door: &Door, run: &str, console: &Console) -> Result<(), CliError> {
    let detail = door.get(&format!("{FACTORY}/executions/{run}")).await?;
    let rows: Vec<Vec<String>> = items(&detail["steps"])
        .iter()
        .map(|step| row(step, &["name", "status", "count", "message"]))
        .collect();
    console.table(&["STEP", "STATUS", "RECORDS", "MESSAGE"], &rows);
    Ok(())
}

/// The run's steps, what it has left behind, and its answer.
async fn results(door: &Door, run: &str, console: &Console) -> Result<(), CliError> {
    steps(door, run, console).await?;
    let run = door.get(&format!("{FACTORY}/executions/{run}")).await?;
    if run["response"]["outputs"].as_array().is_none_or(Vec::is_empty) {
        console.line("\n6. Nothing was written but the journal, which says that it was denied.");
        return Ok(());
    }
    console.line("\n6. What was written, and the answer:");
    response_text::lines(&run).iter().for_each(|line| console.line(format!("   {line}")));
    Ok(())
}

//! `countersign run`.

use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use countersign_decimal::json::unrounded;
use countersign_failure::json_problem;
use serde_json::{Map, Value, json};

use super::following::Progress;
use super::inline::Inline;
use super::upload::{files, uploaded};
use super::{FACTORY, Who, field_items, following, pretty, response_text, show, text, visible};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::Place;

/// Statuses in which a run has ended.
const ENDED: [&str; 9] = [
    "complete",
    "partial",
    "suppressed",
    "skipped",
    "outside_active_hours",
    "rejected",
    "error",
    "timeout",
    "cancelled",
];

/// The longest that the door waits for something new, seconds.
pub(super) const LONGEST_WAIT: u64 = 20;

/// How long is waited between two looks at a run without a version, at first and at last: each is several requests to the database.
const SHORTEST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(1_500);

#[derive(Debug, Default, Args)]
pub(crate) struct Run {
    /// The agent that runs: an id or a handle.
    profile: String,
    /// The playbook, where the profile has several.
    playbook: Option<String>,
    /// An input, `name=value`: a list or an object in JSON, any other value as it is written. May be repeated.
    #[arg(long = "input", value_name = "NAME=VALUE")]
    inputs: Vec<String>,
    /// An input of uploaded files, `name=path`: a file, or a folder with all its files. May be repeated.
    #[arg(long = "upload", value_name = "NAME=PATH")]
    uploads: Vec<String>,
    /// What is asked for, in words.
    #[arg(long)]
    query: Option<String>,
    /// The conversation that the question belongs to, `conv_…`, or `new` for one that begins with it.
    #[arg(long, value_name = "CONVERSATION", requires = "query", conflicts_with = "dry_run")]
    conversation: Option<String>,
    /// `interactive`, so that requesters may sign, or `background`. The agent or the playbook may be stricter.
    #[arg(long, value_name = "CONTEXT", conflicts_with = "dry_run")]
    context: Option<String>,
    /// `deterministic`, `hybrid` or `llm_augmented` (the same as `hybrid`); left out, as the playbook says, else the agent.
    #[arg(long, value_name = "MODE", conflicts_with = "dry_run")]
    mode: Option<String>,
    /// Ask nobody: what needs a signature is left out, and the answer says what.
    #[arg(long, conflicts_with = "dry_run")]
    skip_gates: bool,
    /// Only try: what reads happens, and nothing that has an effect. Gates ask nobody.
    #[arg(long)]
    dry_run: bool,
    /// Of a try, the output of a step instead of doing it, `step=FILE.json`. May be repeated.
    #[arg(long = "sample", value_name = "STEP=FILE", requires = "dry_run")]
    samples: Vec<String>,
    /// Wait until the run ends or stops at an approval, and show the step it is at. At a terminal, what waits for your own approval is
    /// shown, and you are asked.
    #[arg(long)]
    wait: bool,
    /// How long to wait, in seconds, for the run and for each answer of yours.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    patience: u64,
    #[command(flatten)]
    who: Who,
}

/// A run that was accepted.
pub(super) struct Started {
    pub(super) id: String,
    pub(super) conversation: Option<String>,
}

impl Run {
    /// A question that is waited for, with inputs and uploads where the question does not say them.
    pub(super) fn of_question(
        profile: &str,
        question: String,
        (inputs, uploads): (&[String], &[String]),
        patience: u64,
        who: &Who,
    ) -> Self {
        Self {
            profile: profile.to_owned(),
            query: Some(question),
            inputs: inputs.to_vec(),
            uploads: uploads.to_vec(),
            wait: true,
            patience,
            who: who.clone(),
            ..Self::default()
        }
    }

    /// The same in a conversation.
    pub(super) fn within(self, conversation: Option<String>) -> Self {
        Self { conversation, ..self }
    }

    /// The same without anybody being asked.
    pub(super) fn skipping_gates(self, skip_gates: bool) -> Self {
        Self { skip_gates, ..self }
    }

    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.who.door(place).await?;
        let started = self.started(&door, console).await?;
        if self.wait { self.followed(&door, &started.id, console).await } else { Ok(()) }
    }

    /// Starts the run, and shows what was understood of the question.
    pub(super) async fn started(
        &self,
        door: &Door,
        console: &Console,
    ) -> Result<Started, CliError> {
        let started = door.post(&self.path()?, &self.body(door, console).await?).await?;
        let Some(id) = text(&started, "id") else {
            return Err(CliError::Found(format!(
                "the run was accepted without an id: {}",
                pretty(&started)
            )));
        };
        console.line(&id);
        understood(&started).into_iter().for_each(|said| console.note(said));
        let conversation = text(&started, "conversation_id");
        if let Some(conversation) = &conversation {
            console.note(format!("conversation: {}", visible(conversation)));
        }
        Ok(Started { id, conversation })
    }

    fn path(&self) -> Result<String, CliError> {
        match self.dry_run {
            true => Ok(format!("{FACTORY}/profiles/{}/test", plain(&self.profile)?)),
            false => Ok(format!("{FACTORY}/executions")),
        }
    }

    /// What is sent; uploads are sent before.
    async fn body(&self, door: &Door, console: &Console) -> Result<Value, CliError> {
        let mut inputs = inputs(&self.inputs)?;
        for upload in &self.uploads {
            let (name, path) = pair(upload)?;
            let found = files(Path::new(path))?.told(console);
            if found.is_empty() {
                return Err(CliError::Argument(format!("`{path}` holds no files")));
            }
            inputs.insert(name.to_owned(), json!(uploaded(door, &found).await?));
        }
        let mut body = json!({ "inputs": inputs });
        if let Some(playbook) = &self.playbook {
            body["playbook"] = json!(playbook);
        }
        if let Some(query) = &self.query {
            body["query"] = json!(query);
        }
        for (key, word) in [
            ("run_context", &self.context),
            ("execution_mode", &self.mode),
            ("conversation", &self.conversation),
        ] {
            if let Some(word) = word {
                body[key] = json!(word);
            }
        }
        if self.skip_gates {
            body["approval_policy"] = json!("skip");
        }
        if self.dry_run {
            body["samples"] = Value::Object(samples(&self.samples)?);
        } else {
            body["profile"] = json!(self.profile);
        }
        Ok(body)
    }

    /// As [`answered`](Self::answered), until somebody presses Ctrl-C: the run goes on.
    async fn followed(&self, door: &Door, id: &str, console: &Console) -> Result<(), CliError> {
        tokio::select! {
            answered = self.answered(door, id, console) => answered,
            _ = tokio::signal::ctrl_c() => {
                console.note(following::come_back(id));
                Ok(())
            }
        }
    }

    /// Waits, shows the step the run is at, and says how it ended or what it waits for.
    pub(super) async fn answered(
        &self,
        door: &Door,
        id: &str,
        console: &Console,
    ) -> Result<(), CliError> {
        let patience = Duration::from_secs(self.patience);
        let mut progress = Progress::new(console);
        let at = format!("{FACTORY}/executions/{id}");
        let mut inline = Inline::new((door, console), &at, patience);
        let status = loop {
            let settled = settled_at(door, &at, patience, |run| progress.see(run)).await;
            progress.close();
            let status = settled.inspect_err(|_| console.note(following::come_back(id)))?;
            if status != "awaiting_approval" || !inline.ask().await? {
                break status;
            }
            inline.resumed().await;
        };
        let test =
            if self.dry_run { " (a test: nothing it would have changed was done)" } else { "" };
        console.line(format!("{status}{test}"));
        let run = door.get(&at).await?;
        show::warnings(&run).flatten().for_each(|line| console.note(line));
        response_text::lines(&run).iter().for_each(|line| console.line(line));
        if response_text::skipped_gates(&run) {
            console.note(format!("`countersign runs repeat {id}` asks for what was left out"));
        }
        following::requests(&run, door.base()).iter().for_each(|line| console.note(line));
        if ["error", "timeout"].contains(&status.as_str()) {
            return Err(CliError::Found(following::failed(&run, &status, id)));
        }
        Ok(())
    }
}

/// What was understood of the question: the playbook, and the inputs with their words.
fn understood(started: &Value) -> Vec<String> {
    let playbook = text(started, "chosen_because");
    let inputs = field_items(started, "understood").iter().map(|one| {
        let words = text(one, "words").unwrap_or_default();
        format!("{}: {} (“{words}”)", text(one, "input").unwrap_or_default(), one["value"])
    });
    playbook.into_iter().chain(inputs).map(|said| visible(&said)).collect()
}

/// Waits until a run has ended or waits for somebody; returns its status.
pub(crate) async fn settled(door: &Door, id: &str, patience: Duration) -> Result<String, CliError> {
    settled_at(door, &format!("{FACTORY}/executions/{id}"), patience, |_| ()).await
}

/// As [`settled`], of the run at this path; `see` gets the run as often as it is looked at.
pub(super) async fn settled_at(
    door: &Door,
    path: &str,
    patience: Duration,
    mut see: impl FnMut(&Value),
) -> Result<String, CliError> {
    let deadline = Instant::now() + patience;
    let mut pause = SHORTEST_PAUSE;
    let mut seen: Option<String> = None;
    loop {
        let run = match &seen {
            Some(version) => {
                let left = deadline.saturating_duration_since(Instant::now());
                let wait = (left.as_secs() + 1).min(LONGEST_WAIT);
                door.get(&format!("{path}?after={version}&wait={wait}")).await?
            }
            None => door.get(path).await?,
        };
        see(&run);
        let status = text(&run, "state").or_else(|| text(&run, "status")).unwrap_or_default();
        if status == "awaiting_approval" || ENDED.contains(&status.as_str()) {
            return Ok(status);
        }
        if Instant::now() > deadline {
            return Err(CliError::Found(format!(
                "the run is still `{status}` after {} seconds",
                patience.as_secs()
            )));
        }
        seen = text(&run, "version");
        // The door waits itself where the run has a version.
        if seen.is_none() {
            tokio::time::sleep(pause).await;
            pause = (pause * 5 / 4).min(LONGEST_PAUSE);
        }
    }
}

fn pair(text: &str) -> Result<(&str, &str), CliError> {
    text.split_once('=')
        .ok_or_else(|| CliError::Argument(format!("`{text}` is not of the form name=value")))
}

/// An agent's id or handle, which stands in an address.
fn plain(profile: &str) -> Result<&str, CliError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@');
    if !profile.is_empty() && profile.chars().all(fits) {
        return Ok(profile);
    }
    Err(CliError::Argument(format!("`{profile}` is neither an id nor a handle of an agent")))
}

/// The samples of steps, each from its file.
fn samples(pairs: &[String]) -> Result<Map<String, Value>, CliError> {
    let read = |text: &String| {
        let (step, file) = pair(text)?;
        let problem = |error: String| CliError::Argument(format!("`{file}`: {error}"));
        let text = super::validate::text(Path::new(file))?;
        let sample = exact(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let said = json_problem(&error.to_string());
            problem(format!("line {line}, column {column}: this is not JSON: {said}"))
        })?;
        Ok((step.to_owned(), sample))
    };
    pairs.iter().map(read).collect()
}

pub(super) fn inputs(pairs: &[String]) -> Result<Map<String, Value>, CliError> {
    let read = |text: &String| {
        let (name, value) = pair(text)?;
        Ok((name.to_owned(), input(value)))
    };
    pairs.iter().map(read).collect()
}

/// A list, an object or a quoted text when it is JSON, otherwise these characters: the playbook says whether they are a
/// number, and a decimal and a text keep `1250.00`.
fn input(text: &str) -> Value {
    let is_json = text.starts_with(['[', '{', '"']);
    let json = is_json.then(|| exact(text).ok()).flatten();
    json.unwrap_or_else(|| text.into())
}

/// JSON whose long numbers are texts with all their digits.
fn exact(text: &str) -> serde_json::Result<Value> {
    serde_json::from_slice(&unrounded(text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::{inputs, plain};
    use serde_json::{Value, json};

    #[track_caller]
    fn check(pair: &str, expect: &Value) {
        assert_eq!(&Value::from(inputs(&[pair.to_owned()]).unwrap()), expect);
    }

    #[test]
    fn f_091_lists_and_objects_are_json_and_other_values_are_the_text_they_are() {
        check("n=3", &json!({ "n": "3" }));
        check("total=1250.00", &json!({ "total": "1250.00" }));
        check("name=null", &json!({ "name": "null" }));
        check("quoted=\"5\"", &json!({ "quoted": "5" }));
        check("sums=[1234567890123456.78, 2]", &json!({ "sums": ["1234567890123456.78", 2] }));
        check("names=[\"a\"]", &json!({ "names": ["a"] }));
        check("q=a = b", &json!({ "q": "a = b" }));
    }

    #[test]
    fn only_a_plain_name_stands_in_an_address() {
        for wrong in ["", "../playbooks/p", "a/b", "a?b"] {
            assert!(plain(wrong).is_err(), "{wrong}");
        }
        assert_eq!(plain("@nonprofit-investigator").unwrap(), "@nonprofit-investigator");
    }

    #[test]
    fn a_pair_without_equals_is_refused() {
        assert!(inputs(&["x".to_owned()]).is_err());
    }
}

//! `countersign runs replay`.

use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::super::one::plain;
use super::super::run::settled;
use super::super::{FACTORY, Who, field_items, pretty, text, visible};
use super::started;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The run: it has finished.
    run: String,
    /// How long to wait, in seconds.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    patience: u64,
    /// Print the replay as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Replay {
    /// Replays a run, and fails when the replay differs from it.
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.who.door(place).await?;
        let (started, id) = started(&door, &self.run, "replay").await?;
        settled(&door, &id, Duration::from_secs(self.patience)).await?;
        let run = door.get(&format!("{FACTORY}/executions/{}", plain(&self.run)?)).await?;
        let replay = door.get(&format!("{FACTORY}/executions/{id}")).await?;
        if self.json {
            console.line(pretty(&replay));
        } else {
            lines(&replay).iter().for_each(|line| console.line(line));
        }
        let gone = gone(&started);
        let how = gone.into_iter().chain(differs(&run, &replay)).collect::<Vec<_>>().join("; ");
        match Some(how).filter(|how| !how.is_empty()) {
            Some(how) => Err(CliError::Found(format!("the replay {id} differs: {how}"))),
            None => Ok(()),
        }
    }
}

/// What the answer to the start warns of: steps that are not there any more.
fn gone(started: &Value) -> Vec<String> {
    let warnings = field_items(started, "warnings").iter();
    warnings.filter_map(|one| text(one, "message")).map(|said| visible(&said)).collect()
}

/// How a replay differs from its run; none when it does not. A result that could not be written makes a run `partial`, and a replay
/// writes none.
fn differs(run: &Value, replay: &Value) -> Option<String> {
    let named = |code: &str, what: &str| {
        let steps = field_items(replay, "steps").iter();
        let names: Vec<String> = steps
            .filter(|step| step["code"] == code)
            .filter_map(|step| text(step, "name"))
            .collect();
        (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
    };
    let (then, now) = (&run["state"], &replay["state"]);
    let is_bad = now != "complete" && now != "partial";
    let ended = (is_bad && then != now)
        .then(|| format!("it ended as {}", now.as_str().unwrap_or_default()));
    let parts = [
        named("PROMPT_CHANGED", "asked something else"),
        named("INPUTS_CHANGED", "given something else"),
        named("NOT_RECORDED", "not done then"),
        ended,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| visible(&parts.join("; ")))
}

/// A line for the replay, and one for each step.
fn lines(replay: &Value) -> Vec<String> {
    let part = |value: &Value, name: &str| text(value, name).unwrap_or_default();
    let head = format!("{} {}", part(replay, "id"), part(replay, "state"));
    let steps = field_items(replay, "steps").iter();
    let line = |step: &Value| {
        let code = text(step, "code").map(|code| format!(" {code}")).unwrap_or_default();
        let message = part(step, "message");
        format!("  {}: {}{code} {message}", part(step, "name"), part(step, "status"))
    };
    std::iter::once(head).chain(steps.map(line)).map(|line| visible(line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::{differs, lines};
    use serde_json::{Value, json};

    #[test]
    fn a_replay_names_each_step_and_those_that_ask_something_else() {
        let replay = json!({ "id": "run_1", "state": "complete", "steps": [
            { "name": "rows", "status": "done", "code": null, "message": null },
            { "name": "judge", "status": "done", "code": "PROMPT_CHANGED", "message": "asks something else" },
        ]});
        let expect =
            ["run_1 complete", "  rows: done", "  judge: done PROMPT_CHANGED asks something else"];
        assert_eq!(lines(&replay), expect);
        let how = |run: &str, replay: &Value| differs(&json!({ "state": run }), replay);
        assert_eq!(how("complete", &replay).unwrap(), "asked something else: judge");
        let failed =
            json!({ "state": "error", "steps": [{ "name": "more", "code": "NOT_RECORDED" }] });
        assert_eq!(how("complete", &failed).unwrap(), "not done then: more; it ended as error");
        let same = json!({ "state": "error", "steps": [] });
        assert_eq!(
            (how("error", &same), how("partial", &json!({ "state": "complete" }))),
            (None, None)
        );
    }
}

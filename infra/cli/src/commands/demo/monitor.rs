//! `countersign demo --monitor`: a feed gets an item, a monitor sees it, a person signs, and the watermark moves.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::feed::Feed;
use super::{Demo, PATIENCE, Signer, USERNAME, person, signed_in};
use crate::commands::run::settled;
use crate::commands::{FACTORY, items, text};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::Stack;

/// Whoever owns a monitor does not sign its runs.
const SIGNER: (&str, &str) = ("grace", "grace@example.org");

/// What is made for the demo, and removed after it.
struct Watch<'a> {
    door: &'a Door,
    console: &'a Console,
    agent: String,
    monitor: String,
    /// Of the names that are taken once: a second demo has others.
    mark: String,
}

impl Demo {
    /// Tells it, a line for each step.
    pub(super) async fn tell_monitor(
        &self,
        stack: &Stack,
        console: &Console,
    ) -> Result<(), CliError> {
        let door = signed_in(stack).await?;
        person(stack, SIGNER, &["global:analyst", "decide"]).await?;
        let signer = Signer::of(stack, SIGNER)?;
        let feed = Feed::open().await?;
        feed.publish("Office hours");
        console.line(format!(
            "\n1. A feed with one notice is served at http://127.0.0.1:{}/feed.",
            feed.port
        ));
        let watch = Watch::set(&door, console, feed.port).await?;
        let told = self.follow(&watch, &feed, &signer).await;
        watch.remove().await?;
        told
    }

    async fn follow(
        &self,
        watch: &Watch<'_>,
        feed: &Feed,
        signer: &Signer,
    ) -> Result<(), CliError> {
        let console = watch.console;
        watch.comes_to("baseline").await?;
        let begun = watch.watermark().await?;
        console.line(format!(
            "3. Its first look says where it begins: the notice that is there is known. Watermark {begun}."
        ));
        let seen = signer.mails().await?;
        feed.publish("A new rule");
        console.line("4. The feed gets an item, `A new rule`.");
        let run = watch.found().await?;
        console.line(format!("5. The monitor sees it, and {run} has it. Nothing was written."));
        let link = signer.link(seen).await?;
        self.signature(signer, &link, console).await?;
        let status = settled(watch.door, &run, PATIENCE).await?;
        console.line(format!("7. The run is over: {status}."));
        let moved = watch.moved(&begun).await?;
        console.line(format!(
            "8. The watermark moved from {begun} to {moved}: the item is not processed again."
        ));
        watch.occurrence().await?;
        let expected = if self.deny { "rejected" } else { "complete" };
        if status == expected {
            Ok(())
        } else {
            Err(CliError::Found(format!("the run ended as `{status}`")))
        }
    }
}

impl<'a> Watch<'a> {
    /// A connector of the feed, an agent, a playbook and a monitor.
    async fn set(door: &'a Door, console: &'a Console, port: u16) -> Result<Self, CliError> {
        let mark = uuid::Uuid::now_v7().simple().to_string()[20..].to_owned();
        let connector = json!({ "yaml": connector(&mark, port) });
        door.post(&format!("{FACTORY}/connectors"), &connector).await?;
        let agent = json!({ "name": "Watcher of the demo", "handle": format!("demo-{mark}"), "approvers": [SIGNER.0] });
        let agent = id(&door.post(&format!("{FACTORY}/profiles"), &agent).await?)?;
        let source = json!({ "connector_id": format!("demo-notices-{mark}") });
        door.post(&format!("{FACTORY}/profiles/{agent}/data-sources"), &source).await?;
        door.post(&format!("{FACTORY}/playbooks"), &json!({ "yaml": playbook(&mark) })).await?;
        let monitor = json!({
            "name": "Notices of the demo", "profile_id": agent, "playbook_id": format!("demo-watch-{mark}"), "interval": "5m",
        });
        let monitor = id(&door.post(&format!("{FACTORY}/monitors"), &monitor).await?)?;
        console.line(format!(
            "2. {USERNAME} makes {monitor}: an agent looks at the feed every 5 minutes; {} signs.",
            SIGNER.0
        ));
        Ok(Self { door, console, agent, monitor, mark })
    }

    /// The monitor goes with its agent.
    async fn remove(&self) -> Result<(), CliError> {
        self.door.delete(&format!("{FACTORY}/profiles/{}", self.agent)).await?;
        self.door.delete(&format!("{FACTORY}/playbooks/demo-watch-{}", self.mark)).await?;
        self.door.delete(&format!("{FACTORY}/connectors/demo-notices-{}", self.mark)).await?;
        Ok(())
    }

    async fn of(&self, what: &str) -> Result<Value, CliError> {
        self.door.get(&format!("{FACTORY}/monitors/{}{what}", self.monitor)).await
    }

    async fn look(&self) -> Result<(), CliError> {
        let path = format!("{FACTORY}/monitors/{}/run-now", self.monitor);
        self.door.post(&path, &json!({})).await.map(drop)
    }

    /// Waits for a state of the monitor.
    async fn until(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Result<Value, CliError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let state = self.of("/state").await?;
            if holds(&state) {
                return Ok(state);
            }
            if Instant::now() > deadline {
                let last = text(&state, "last_error").or_else(|| text(&state, "last_outcome"));
                let last = last.unwrap_or_else(|| "it has not looked".to_owned());
                return Err(CliError::Found(format!(
                    "the monitor was not seen to be {what}: {last}"
                )));
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }

    async fn comes_to(&self, outcome: &str) -> Result<Value, CliError> {
        self.look().await?;
        self.until(outcome, |state| state["last_outcome"] == outcome).await
    }

    /// Lets it look; the run that has what is new, once it waits for a signature.
    async fn found(&self) -> Result<String, CliError> {
        let state = self.comes_to("started").await?;
        let run = text(&state, "open_run");
        let run = run.ok_or_else(|| CliError::Found("the monitor names no run".to_owned()))?;
        self.begun(&run).await?;
        match settled(self.door, &run, PATIENCE).await?.as_str() {
            "awaiting_approval" => Ok(run),
            status => Err(CliError::Found(format!("the run ended as `{status}` and asked nobody"))),
        }
    }

    /// The batch names its run a moment before there is one.
    async fn begun(&self, run: &str) -> Result<(), CliError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.door.get(&format!("{FACTORY}/executions/{run}")).await {
                Err(CliError::Refused { status: 404, .. }) if Instant::now() < deadline => {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                }
                found => return found.map(drop),
            }
        }
    }

    async fn watermark(&self) -> Result<String, CliError> {
        let marks = self.of("/watermarks").await?;
        let mark = items(&marks).first().and_then(|mark| text(mark, "watermark_value"));
        Ok(mark.unwrap_or_else(|| "none".to_owned()))
    }

    /// The watermark once it is another one.
    async fn moved(&self, before: &str) -> Result<String, CliError> {
        self.until("done", |state| state["open_batch"].is_null()).await?;
        let after = self.watermark().await?;
        if after == before {
            return Err(CliError::Found(format!("the watermark is still {before}")));
        }
        Ok(after)
    }

    async fn occurrence(&self) -> Result<(), CliError> {
        let page = self.of("/occurrences").await?;
        let Some(line) = items(&page).first() else {
            return Err(CliError::Found("the ledger has no occurrence".to_owned()));
        };
        let part = |name: &str| text(line, name).unwrap_or_default();
        self.console.line(format!(
            "9. The ledger has it: {} is {}, {}.",
            part("id"),
            part("state"),
            part("status")
        ));
        Ok(())
    }
}

fn id(made: &Value) -> Result<String, CliError> {
    text(made, "id").ok_or_else(|| CliError::Found("the answer has no id".to_owned()))
}

fn connector(mark: &str, port: u16) -> String {
    format!(
        "
id: demo-notices-{mark}
name: Notices of the demo
type: rss_feed
version: 1.0.0
description: A feed on this machine.
connection:
  feeds: [{{url: 'http://127.0.0.1:{port}/feed', name: notices}}]
endpoints:
  get_recent: {{description: The latest notices.}}
"
    )
}

fn playbook(mark: &str) -> String {
    format!(
        "
id: demo-watch-{mark}
name: Watch the notices of the demo
description: Looks for new notices, and keeps those that somebody wants to keep.
version: 1.0.0
execution_mode: deterministic
steps:
  - name: look
    step_type: tool
    action: detect_new_data
    connector: demo-notices-{mark}
    endpoint: get_recent
  - name: sign_off
    step_type: approval
    preview_from: look.results
    prompt: \"Keep {{look.count}} new notices?\"
    on_reject: stop
  - name: keep
    step_type: tool
    action: save_to_workspace
    inputs: {{data: \"{{look.results}}\"}}
    params: {{table_name: demo_notices, create_if_missing: true}}
"
    )
}

//! `countersign status`.

use clap::Args;
use serde_json::json;

use super::pretty;
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::{EmulatorStatus, Place, Stack, is_running};

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let state = place.state()?;
        let Some(stack) = Stack::load(&state)? else { return Err(CliError::NotUp) };
        let runs = is_running(&stack);
        let health = if runs {
            Door::open(&stack.url())?.get("/health").await.err().map(|error| error.to_string())
        } else {
            None
        };
        let refusing = if runs {
            EmulatorStatus::of(&stack).await.and_then(|kept| kept.refusing)
        } else {
            None
        };
        let word = match (runs, &health) {
            (false, _) => "stopped",
            (true, None) => "healthy",
            (true, Some(_)) => "running, but the API does not answer",
        };
        if self.json {
            let said = json!({ "status": word, "stack": stack.name, "url": stack.url(), "mail": stack.mails(), "endpoint": stack.endpoint(), "pid": stack.process.as_ref().map(|process| process.pid), "outputs": stack.outputs, "state": state, "refusing": refusing });
            console.line(pretty(&said));
        } else {
            console.line(format!("status  {word}"));
            if let Some(reason) = refusing {
                console.line(format!("writes  {reason}"));
            }
            console.line(format!("stack   {}", stack.name));
            console.line(format!("url     {}", stack.url()));
            console.line(format!("mail    {}", stack.mails()));
            console.line(format!("state   {}", state.display()));
            if let Some(process) = stack.process.as_ref().filter(|_| runs) {
                console.line(format!("process {}", process.pid));
            }
            console.line(format!("log     {}", state.join("emulator.log").display()));
        }
        match health {
            Some(reason) => Err(CliError::Unhealthy { url: stack.url(), reason }),
            None => Ok(()),
        }
    }
}

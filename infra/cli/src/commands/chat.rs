//! `countersign chat`.

use clap::Args;

use super::Who;
use super::run::Run;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

/// Questions of one conversation, a line of standard input each. Every answer is waited for.
#[derive(Debug, Args)]
pub(crate) struct Chat {
    /// The agent that is asked: an id or a handle.
    profile: String,
    /// The conversation to go on with, `conv_…`; left out, the first question begins one.
    #[arg(long, default_value = "new", value_name = "CONVERSATION")]
    conversation: String,
    /// How long to wait for each answer, in seconds.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    patience: u64,
    #[command(flatten)]
    who: Who,
}

impl Chat {
    /// A question that fails is said, and ends nothing. Ctrl-C ends the command, at the prompt too, and the run goes on.
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.who.door(place).await?;
        if console.can_ask() {
            console.note("A line is a question. Ctrl-D ends.");
        }
        let mut conversation = self.conversation.clone();
        while let Some(line) = console.read_line().await? {
            if line.trim().is_empty() {
                continue;
            }
            let asked = Run::of_question(&self.profile, line, (&[], &[]), self.patience, &self.who);
            let asked = asked.within(Some(conversation.clone()));
            let answered = match asked.started(&door, console).await {
                Ok(started) => {
                    conversation = started.conversation.unwrap_or(conversation);
                    asked.answered(&door, &started.id, console).await
                }
                Err(error) => Err(error),
            };
            if let Err(error) = answered {
                console.error(&error);
            }
        }
        if conversation != self.conversation {
            console.note(format!(
                "go on with `countersign chat {} --conversation {conversation}`",
                self.profile
            ));
        }
        Ok(())
    }
}

//! `countersign ask`.

use clap::Args;

use super::Who;
use super::run::Run;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

/// A question, as `run` with `--query` and `--wait` asks it.
#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The agent that is asked: an id or a handle.
    profile: String,
    /// The question. Several words are one question.
    #[arg(required = true, num_args = 1..)]
    question: Vec<String>,
    /// An input, `name=value`, where the question does not say it. May be repeated.
    #[arg(long = "input", value_name = "NAME=VALUE")]
    inputs: Vec<String>,
    /// An input of uploaded files, `name=path`: a file, or a folder with all its files. May be repeated.
    #[arg(long = "upload", value_name = "NAME=PATH")]
    uploads: Vec<String>,
    /// The conversation that it belongs to, `conv_…`, or `new` for one that begins with it.
    #[arg(long, value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// Ask nobody to sign: what needs a signature is left out, and the answer says what.
    #[arg(long)]
    skip_gates: bool,
    /// How long to wait for the answer, in seconds.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    patience: u64,
    #[command(flatten)]
    who: Who,
}

impl Ask {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let given = (self.inputs.as_slice(), self.uploads.as_slice());
        let question = self.question.join(" ");
        let asked = Run::of_question(&self.profile, question, given, self.patience, &self.who);
        let asked = asked.within(self.conversation.clone()).skipping_gates(self.skip_gates);
        asked.run(place, console).await
    }
}

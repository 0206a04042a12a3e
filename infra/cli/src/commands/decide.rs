//! `countersign approve` and `countersign deny`: the digest that was seen goes with the decision.

use clap::Args;
use serde_json::json;

use super::{FACTORY, Who, pretty, text};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Decide {
    /// The approval.
    approval: String,
    /// The digest you have seen. Without it what waits is shown first, and you are asked.
    #[arg(long)]
    digest: Option<String>,
    /// A word on why; it is kept with the receipt.
    #[arg(long)]
    note: Option<String>,
    #[command(flatten)]
    who: Who,
}

impl Decide {
    /// Decides; `word` is the door's: `approve` or `reject`.
    pub(crate) async fn run(
        &self,
        word: &str,
        place: &Place,
        console: &Console,
    ) -> Result<(), CliError> {
        let door = self.who.door(place).await?;
        let path = format!("{FACTORY}/approvals/{}", self.approval);
        let digest = match &self.digest {
            Some(digest) => digest.clone(),
            None => seen(&door, &path, word, console).await?,
        };
        let receipt = door
            .post(&format!("{path}/{word}"), &json!({ "digest": digest, "note": self.note }))
            .await?;
        console.line(pretty(&receipt));
        Ok(())
    }
}

/// Shows what waits and asks; the digest of what was shown.
pub(super) async fn seen(
    door: &Door,
    path: &str,
    word: &str,
    console: &Console,
) -> Result<String, CliError> {
    let request = door.get(path).await?;
    console.line(pretty(&request));
    if !asked(word, console)? {
        return Err(CliError::Found("nothing was changed".to_owned()));
    }
    text(&request, "digest")
        .ok_or_else(|| CliError::Found("the request shows no digest".to_owned()))
}

/// Asks the person at the terminal. Without one the digest must be given: nothing is decided unseen.
fn asked(word: &str, console: &Console) -> Result<bool, CliError> {
    if !console.can_ask() {
        return Err(CliError::Argument(
            "without a terminal the digest that was seen must be given with `--digest`".to_owned(),
        ));
    }
    console.note(format!("type `{word}` to {word} this:"));
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|source| CliError::io("reading the answer", source))?;
    Ok(answer.trim() == word)
}

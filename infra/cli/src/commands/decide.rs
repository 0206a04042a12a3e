//! `countersign approve` and `countersign deny`: the digest that was seen goes with the decision.

use clap::Args;
use serde_json::{Value, json};

use super::one::plain;
use super::session::Session;
use super::{FACTORY, Who, approval_text, text};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

/// So many characters of the digest are typed with an answer: what is typed before the request is shown answers nothing.
const MARK: usize = 4;

#[derive(Debug, Args)]
pub(crate) struct Decide {
    /// The approval.
    approval: String,
    /// The digest you have seen. Without it what waits is shown first, and you are asked.
    #[arg(long)]
    digest: Option<String>,
    /// What became of a call, when the request asks that: `done:EVIDENCE`, `not_done` or `again`; of one of several calls with
    /// its number before, such as `3:again`. Give it once for each call. Without a number it is for the only call that is asked about; of several, for call 1.
    #[arg(long = "answer", value_name = "[N:]CHOICE[:EVIDENCE]")]
    answers: Vec<String>,
    /// A word on why; it is kept with the receipt.
    #[arg(long)]
    note: Option<String>,
    /// Print the receipt as JSON.
    #[arg(long)]
    json: bool,
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
        let session = self.who.session(place, self.json, console).await?;
        let path = format!("{FACTORY}/approvals/{}", plain(&self.approval)?);
        let digest = seen(self.digest.as_deref(), &session, &path, word).await?;
        let answers =
            self.answers.iter().map(|text| answer(text)).collect::<Result<Vec<_>, _>>()?;
        let mut decision = json!({ "digest": digest, "note": self.note });
        if !answers.is_empty() {
            decision["answers"] = answers.into();
        }
        let receipt = session.door.post(&format!("{path}/{word}"), &decision).await?;
        session.outcome(&receipt, recorded);
        Ok(())
    }
}

/// What became of the request, and the receipt to keep.
pub(super) fn recorded(answer: &Value) -> String {
    let word = |field| text(answer, field).unwrap_or_else(|| "-".to_owned());
    let lost = answer.get("not_counted").and_then(Value::as_u64).unwrap_or_default();
    let lost = match lost {
        0 => String::new(),
        1 => "; 1 earlier approval does not count any more".to_owned(),
        n => format!("; {n} earlier approvals do not count any more"),
    };
    let count = format!("{} of {}{lost}", word("approvals"), word("quorum"));
    format!("the request is {} ({count}); receipt {}", word("status"), word("receipt"))
}

/// The digest that an answer carries: the one that is given, or that of what waits, which is shown and asked about.
pub(super) async fn seen(
    digest: Option<&str>,
    session: &Session<'_>,
    path: &str,
    word: &str,
) -> Result<String, CliError> {
    if let Some(digest) = digest {
        return Ok(digest.to_owned());
    }
    let Session { door, console, .. } = session;
    can_ask(console)?;
    let request = door.get(path).await?;
    approval_text::shown(&request, console).iter().for_each(|line| console.line(line));
    let digest = text(&request, "digest")
        .ok_or_else(|| CliError::Found("the request shows no digest".to_owned()))?;
    if !asked(word, mark(&digest), console).await? {
        return Err(CliError::Found("nothing was changed".to_owned()));
    }
    Ok(digest)
}

/// What of a digest is typed with an answer.
pub(super) fn mark(digest: &str) -> &str {
    digest.char_indices().nth(MARK).map_or(digest, |(end, _)| &digest[..end])
}

/// Whether what was typed is this word, with the mark of the request that was shown.
pub(super) fn confirms(typed: &str, word: &str, mark: &str) -> bool {
    let typed = typed.trim().split_once(' ');
    typed.is_some_and(|(said, of)| said == word && of.trim() == mark)
}

/// Reads `[N:]CHOICE[:EVIDENCE]`. Whether the choice exists, the API says.
fn answer(text: &str) -> Result<Value, CliError> {
    let numbered = text.split_once(':').and_then(|(n, rest)| Some((n.parse::<u32>().ok()?, rest)));
    let (n, rest) = numbered.map_or((None, text), |(n, rest)| (Some(n), rest));
    let (choice, evidence) = match rest.split_once(':') {
        Some((choice, evidence)) => (choice, Some(evidence)),
        None => (rest, None),
    };
    if choice.is_empty() {
        let form = "`done:EVIDENCE`, `not_done` or `again`, with `N:` before for call N";
        return Err(CliError::Argument(format!("`--answer {text}` is not an answer: {form}")));
    }
    Ok(json!({ "n": n, "choice": choice, "evidence": evidence }))
}

/// Without a terminal the digest must be given: nothing is decided unseen.
fn can_ask(console: &Console) -> Result<(), CliError> {
    console.can_ask().then_some(()).ok_or_else(|| {
        CliError::Argument(
            "without a terminal the digest that was seen must be given with `--digest`; `countersign approvals ID` shows it"
                .to_owned(),
        )
    })
}

/// Asks the person at the terminal.
async fn asked(word: &str, mark: &str, console: &Console) -> Result<bool, CliError> {
    // What the door calls `reject` is `deny` to whoever types the command.
    let word = if word == "reject" { "deny" } else { word };
    console.line(format!("type `{word} {mark}` to {word} this; anything else changes nothing:"));
    let answer = console.read_line().await?.unwrap_or_default();
    Ok(confirms(&answer, word, mark))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{answer, confirms, mark};

    #[test]
    fn k_05_only_the_word_with_the_digest_that_was_shown_confirms() {
        assert_eq!((mark("ab12cd"), mark("ab"), mark("")), ("ab12", "ab", ""));
        for word in ["approve", "deny", "strike", "revise"] {
            assert!(confirms(&format!(" {word}  ab12\n"), word, "ab12"));
            for typed in
                [word, "", "ab12", "yes ab12", &format!("{word} ab13"), &format!("{word} ab12 now")]
            {
                assert!(!confirms(typed, word, "ab12"), "{typed}");
            }
            assert!(!confirms(&format!("{word} "), word, ""));
        }
    }

    #[track_caller]
    fn check(text: &str, expect: Option<&Value>) {
        assert_eq!(answer(text).ok().as_ref(), expect, "{text}");
    }

    #[test]
    fn an_answer_is_a_choice_with_its_call_and_evidence() {
        let given = |n: Option<u32>, choice: &str, evidence: Option<&str>| json!({ "n": n, "choice": choice, "evidence": evidence });
        check("again", Some(&given(None, "again", None)));
        check(
            "done:statement 47: booked",
            Some(&given(None, "done", Some("statement 47: booked"))),
        );
        check("3:not_done", Some(&given(Some(3), "not_done", None)));
        check("3:done:seen", Some(&given(Some(3), "done", Some("seen"))));
        check("3:", None);
        check("", None);
    }
}

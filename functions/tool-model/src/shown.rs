//! Answers while models write them: kept with the run, and sent to the open connections of whoever's run it is.

use std::collections::BTreeMap;
use std::time::Duration;

use countersign_actions_model::{Drafts, Written};
use countersign_push::{Message, Push};
use countersign_registry::action::Call;
use countersign_run::{Draft, Head, RunId, StopReason};
use countersign_store_runs::RunStore;
use futures::future::{BoxFuture, join};
use serde_json::{Value, json};

/// How long one part of an answer may take to be shown.
const AT_MOST: Duration = Duration::from_secs(10);

/// Where answers are shown.
pub(crate) struct Shown {
    pub(crate) runs: RunStore,
    pub(crate) push: Push,
}

impl Drafts for Shown {
    fn write<'a>(
        &'a self,
        call: &'a Call,
        draft: &'a Draft,
        before: &'a BTreeMap<String, String>,
    ) -> BoxFuture<'a, Written> {
        Box::pin(async move {
            let Ok(run) = RunId::parse(&call.run) else { return Written::Over };
            let shown = self.show(&run, call, draft, before);
            tokio::time::timeout(AT_MOST, shown).await.unwrap_or_else(|_| {
                tracing::warn!(%run, step = call.step, "a part of an answer is shown late");
                Written::Not
            })
        })
    }
}

impl Shown {
    /// Keeps a draft and sends what is new of it. Not when the run is over: its model is the last to know.
    async fn show(
        &self,
        run: &RunId,
        call: &Call,
        draft: &Draft,
        before: &BTreeMap<String, String>,
    ) -> Written {
        match self.runs.head(run).await {
            Ok(Some(head)) if is_cancelled(&head) => return Written::Cancelled,
            Ok(Some(head)) if head.finished_at.is_none() => {}
            Ok(_) => return Written::Over,
            Err(error) => {
                tracing::warn!(%run, step = draft.step, %error, "a part of an answer is not shown");
                return Written::Not;
            }
        }
        let bodies = messages(&call.run, draft, before);
        let all: Vec<Message<'_>> = bodies.iter().map(Message::Content).collect();
        let sent = self.push.to_person(&call.owner, &all, draft.at);
        let (kept, sent) = join(self.runs.put_draft(run, draft), sent).await;
        let kept = kept.map_err(|error| {
            tracing::warn!(%run, step = draft.step, %error, "a part of an answer is not kept");
        });
        let sent = sent.map_err(|error| {
            tracing::warn!(%run, step = draft.step, %error, "a part of an answer is not sent");
        });
        if kept.is_ok() && sent.is_ok() { Written::Shown } else { Written::Not }
    }
}

/// Whether somebody has cancelled the run. One that ends for another reason keeps what its steps have begun.
fn is_cancelled(head: &Head) -> bool {
    head.stop.as_ref().is_some_and(|stop| stop.reason == StopReason::Cancelled)
}

/// What is sent of a draft: the new part of each field, and how many characters of it were sent before.
fn messages(run: &str, draft: &Draft, before: &BTreeMap<String, String>) -> Vec<Value> {
    let Draft { step, turn, at, texts } = draft;
    let new = |(field, text): (&String, &String)| {
        let sent = before.get(field).filter(|sent| text.starts_with(sent.as_str()));
        let sent = sent.map_or("", String::as_str);
        let (from, text) = (sent.chars().count(), &text[sent.len()..]);
        (!text.is_empty()).then(|| {
            json!({
                "type": "draft.written", "at": at, "run": run, "step": step, "turn": turn,
                "field": field, "from": from, "text": text,
            })
        })
    };
    texts.iter().filter_map(new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[(&str, &str)]) -> BTreeMap<String, String> {
        texts.iter().map(|(field, text)| ((*field).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn r_101_only_what_is_new_is_sent_with_its_place() {
        let draft = Draft {
            step: "answer".to_owned(),
            turn: 2,
            at: "2026-11-29T10:00:00Z".parse().unwrap(),
            texts: texts(&[("answer", "Zwölf Eulen"), ("note", "x"), ("title", "Anew")]),
        };
        let before = texts(&[("answer", "Zwölf"), ("note", "x"), ("title", "Old")]);
        let sent = messages("run_1", &draft, &before);
        let expect = |field, from, text| {
            json!({
                "type": "draft.written", "at": "2026-11-29T10:00:00Z", "run": "run_1", "step": "answer", "turn": 2,
                "field": field, "from": from, "text": text,
            })
        };
        assert_eq!(sent, [expect("answer", 5, " Eulen"), expect("title", 0, "Anew")]);
    }
}

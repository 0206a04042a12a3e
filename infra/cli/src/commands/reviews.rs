//! `countersign reviews`: doubtful merges of entities, and what was decided about them.

use clap::Args;
use serde_json::{Value, json};

use super::listed::List;
use super::session::Session;
use super::{Caller, FACTORY, text, visible};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Reviews {
    /// Show this one, `review_…`, or decide it.
    review: Option<String>,
    /// The two are one.
    #[arg(long, requires = "review", group = "decision")]
    approve: bool,
    /// The two are two; nobody is asked again.
    #[arg(long, requires = "review", group = "decision")]
    reject: bool,
    /// Put it aside.
    #[arg(long, requires = "review", group = "decision")]
    skip: bool,
    /// The entity whose id and name stay, `ent_…`.
    #[arg(long, value_name = "ENTITY", requires = "approve")]
    keep: Option<String>,
    /// Those with this status: pending, approved_merge, rejected or skipped.
    #[arg(long, default_value = "pending", conflicts_with = "review")]
    status: String,
    /// Show the log of what was joined and separated instead.
    #[arg(long, conflicts_with_all = ["review", "reverse"])]
    log: bool,
    /// Take back this row of the log, `rlog_…`.
    #[arg(long, value_name = "ROW", conflicts_with = "review")]
    reverse: Option<String>,
    /// The part of the graph.
    #[arg(long, default_value = "default")]
    namespace: String,
    #[command(flatten)]
    caller: Caller,
}

impl Reviews {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        for word in
            [Some(&self.status), Some(&self.namespace), self.review.as_ref(), self.reverse.as_ref()]
                .into_iter()
                .flatten()
        {
            if !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
                return Err(CliError::Argument(format!(
                    "`{}` is not an id or a word",
                    visible(word)
                )));
            }
        }
        let session = &self.caller.session(place, console).await?;
        match (&self.review, &self.reverse) {
            (Some(review), _) => self.one(session, review).await,
            (None, Some(entry)) => {
                let path = self.path(&format!("/entity-resolution/reverse/{entry}?"));
                let done = session.door.post(&path, &json!({})).await?;
                session.tell(&done, |done| vec![decided(&done["reversed"], "reversed")]);
                Ok(())
            }
            (None, None) if self.log => self.list(session, &LOG).await,
            (None, None) => self.list(session, &REVIEWS).await,
        }
    }

    fn path(&self, path: &str) -> String {
        format!("{FACTORY}{path}namespace={}", self.namespace)
    }

    async fn one(&self, session: &Session<'_>, review: &str) -> Result<(), CliError> {
        let verb = [("approve", self.approve), ("reject", self.reject), ("skip", self.skip)];
        let found = match verb.iter().find(|(_, is_asked)| *is_asked) {
            Some((verb, _)) => {
                let path = self.path(&format!("/entity-reviews/{review}/{verb}?"));
                let body = self.keep.as_ref().map_or(json!({}), |keep| json!({ "keep": keep }));
                session.door.post(&path, &body).await?
            }
            None => session.door.get(&self.path(&format!("/entity-reviews/{review}?"))).await?,
        };
        session.tell(&found, shown);
        Ok(())
    }

    async fn list(&self, session: &Session<'_>, list: &Listed) -> Result<(), CliError> {
        let path = self.path(&list.path.replace("{status}", &self.status));
        list.table.show(session, &path).await
    }
}

/// A list and where it is.
struct Listed {
    path: &'static str,
    table: List,
}

const REVIEWS: Listed = Listed {
    path: "/entity-reviews?status={status}&",
    table: List {
        fields: &[
            "id",
            "source_entity_type",
            "source_entity_name",
            "candidate_entity_name",
            "confidence",
        ],
        titles: &["REVIEW", "TYPE", "NAME", "OR THE SAME AS", "ALIKE"],
    },
};

const LOG: Listed = Listed {
    path: "/entity-resolution/log?",
    table: List {
        fields: &[
            "id",
            "created_at",
            "action",
            "source_entity_name",
            "target_entity_name",
            "decided_by",
            "reversed_at",
        ],
        titles: &["ROW", "WHEN", "ACTION", "NAME", "ENTITY", "BY", "REVERSED"],
    },
};

/// A review in lines.
fn shown(review: &Value) -> Vec<String> {
    let field = |value: &Value, name: &str| visible(&text(value, name).unwrap_or_default());
    let mut lines = vec![
        format!("{}: {}", field(review, "id"), field(review, "status")),
        format!(
            "  {} or the same as {}: {}",
            field(review, "source_entity_name"),
            field(review, "candidate_entity_name"),
            field(review, "confidence")
        ),
    ];
    if let Some(why) = text(&review["match_details"], "why") {
        lines.push(format!("  {}", visible(&why)));
    }
    if let Some(by) = text(review, "reviewed_by") {
        lines.push(format!("  by {} at {}", visible(&by), field(review, "reviewed_at")));
    }
    for side in ["source", "candidate"] {
        let entity = &review[side];
        let aliases = entity["aliases"].as_array().into_iter().flatten();
        let aliases: Vec<String> = aliases.filter_map(Value::as_str).map(visible).collect();
        lines.push(format!(
            "  {} {}, met in {} runs; also {}",
            field(entity, "entity_id"),
            field(entity, "canonical_name"),
            field(entity, "source_count"),
            if aliases.is_empty() { "-".to_owned() } else { aliases.join(" · ") }
        ));
    }
    lines
}

/// A row of the log in a line.
fn decided(entry: &Value, what: &str) -> String {
    let field = |name: &str| visible(&text(entry, name).unwrap_or_default());
    let (source, target) = (field("source_entity_name"), field("target_entity_name"));
    format!("{what}: {} of {source} and {target}", field("action"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::shown;

    #[test]
    fn f_248_a_review_is_shown_with_both_sides() {
        let review = json!({
            "id": "review_1", "status": "pending", "source_entity_name": "J Doe",
            "candidate_entity_name": "Jane\u{1b}Doe", "confidence": 0.78,
            "match_details": {"why": "A lone initial"},
            "source": {"entity_id": "ent_1", "canonical_name": "J Doe", "source_count": 1, "aliases": ["J DOE"]},
            "candidate": null,
        });
        let lines = shown(&review);
        assert_eq!(lines[0], "review_1: pending");
        assert_eq!(lines[1], "  J Doe or the same as Jane\\u{1b}Doe: 0.78");
        assert!(
            lines[2].contains("A lone initial") && lines[3].contains("also J DOE"),
            "{lines:#?}"
        );
    }
}

//! Gates.

use std::collections::BTreeSet;

use countersign_document::words::shortened;
use countersign_document::{List, Rules, Whole, repeated};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::columns::{self, Column};
use super::report::report;
use super::step::step;
use super::{Filled, Setting};
use crate::diagnostic::Code;
use crate::model::{Assurance, OnReject, PreviewColumn};

/// The shortest time that nobody is warned of: a request is mailed, and mail is read within a day.
const A_DAY: i64 = 24 * 60;

/// The time of a gate that does not say how long it waits.
const A_WEEK: i64 = 7 * A_DAY;

step! {
    /// Waits for people, and covers every later step up to the next gate.
    #[schemars(extend("x-elsewhere" = json!({
        "for_each": {
            "code": "P026",
            "message": "`for_each` belongs to tool steps",
            "hint": "write it at the step whose calls this gate signs",
        },
        "on_warning": {
            "code": "P026",
            "message": "a gate reads nothing that could be wrong",
            "hint": "write it at the step whose warnings it is about",
        },
    })))]
    Gate {
        /// `stop`: a gate that cannot be opened always stops the run.
        #[schemars(extend(
            "x-hint" = "a gate that cannot be opened always stops the run; `on_reject` says what a denial means"
        ))]
        on_error: Option<GateError>,
        /// What is asked; may hold references.
        prompt: Filled,
        /// The result to show, such as `matches.matches`.
        preview_from: Option<Setting>,
        /// How many items of it are shown.
        #[serde(default)]
        preview_limit: Whole<1, 100, 10>,
        /// Which fields people see first, and how; left out, every field by rule.
        #[serde(default)]
        #[schemars(extend(
            "x-hint" = "keep the columns that decide; a page shows the rest of a row below them"
        ))]
        preview_columns: List<Column, 0, 12>,
        /// When the request counts as denied, in minutes; 10080 (7 days) when left out. Below a day, validation warns.
        timeout_minutes: Option<Whole<1, 432_000>>,
        /// Who is asked in addition when nobody has decided for a while.
        escalation: Option<Escalation>,
        /// What a denial means.
        #[serde(default)]
        on_reject: OnReject,
        /// User names or mail addresses; left out, as the policy says.
        #[serde(default)]
        approvers: List<String, 0, 50>,
        /// How many must approve.
        #[serde(default)]
        quorum: Whole<1, 10, 1>,
        /// How sure the approver's identity must be; `link` is not enough before an irreversible step. Left out, as the
        /// policy says.
        assurance: Option<Assurance>,
        /// The steps of models that whoever may decide can have rewritten, with instructions, before anything is signed.
        #[serde(default)]
        revise: List<String, 0, 10>,
    }
}

/// Who is asked in addition, and when.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Escalation {
    /// User names or mail addresses.
    pub(crate) to: List<String, 1, 10>,
    /// After so many minutes; half of the time that the gate has when left out.
    pub(crate) after_minutes: Option<Whole<1, 432_000>>,
}

/// What a gate that cannot be opened means.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GateError {
    /// The run ends.
    Stop,
}

impl Gate {
    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        rules.within("approvers", |rules| named_once(&self.approvers, rules));
        if let Some(escalation) = &self.escalation {
            rules.within("escalation", |rules| {
                rules.within("to", |rules| named_once(&escalation.to, rules));
            });
        }
        self.check_quorum(rules);
        self.check_timeout(rules);
        self.check_escalation(rules);
        if self.preview_from.is_none() && rules.is_written("/preview_limit") {
            let message = "`preview_limit` has no effect: the gate shows no result";
            let hint = "name one in `preview_from`, or leave it out".to_owned();
            report(rules, Code::NoEffect, "/preview_limit", message, hint);
        }
        rules.within("preview_columns", |rules| columns::check(&self.preview_columns, rules));
    }

    /// Whoever is named twice counts once.
    fn check_quorum(&self, rules: &mut Rules<'_>) {
        let people: BTreeSet<&String> = self.approvers.iter().collect();
        let (quorum, people) = (self.quorum.get(), people.len());
        if people > 0 && self.quorum.to::<u64>() > people as u64 && rules.is_sound("/approvers") {
            let message = format!("{quorum} must approve, but only {people} may");
            report(rules, Code::OutOfRange, "/quorum", message, None);
        }
    }

    /// Less than a day holds, with a warning: whoever reads the mail later finds the request denied.
    fn check_timeout(&self, rules: &mut Rules<'_>) {
        let Some(minutes) = self.timeout_minutes.map(Whole::get).filter(|one| *one < A_DAY) else {
            return;
        };
        let message = format!(
            "after {minutes} minutes this gate counts as denied; people are asked by mail and may read it later"
        );
        let hint = format!("give them a day (`{A_DAY}`), or leave it out: that is 7 days");
        report(rules, Code::ShortDeadline, "/timeout_minutes", message, hint);
    }

    /// Whoever is asked in addition must have time to answer.
    fn check_escalation(&self, rules: &mut Rules<'_>) {
        let timeout = self.timeout_minutes.map_or(A_WEEK, Whole::get);
        let after = self.escalation.as_ref().and_then(|escalation| escalation.after_minutes);
        if let Some(after) = after.map(Whole::get).filter(|after| *after >= timeout) {
            let message =
                format!("after {after} minutes the gate is over: it ends after {timeout}");
            report(rules, Code::OutOfRange, "/escalation/after_minutes", message, None);
        }
    }

    pub(crate) fn columns(&self) -> Vec<PreviewColumn> {
        self.preview_columns.iter().map(Column::model).collect()
    }
}

/// Whoever is named twice is asked once, and has one signature.
fn named_once(people: &[String], rules: &mut Rules<'_>) {
    for (n, person) in repeated(people) {
        let message = format!("`{}` is named already, and signs once", shortened(person));
        let hint = "name each person once".to_owned();
        report(rules, Code::Duplicate, &format!("/{n}"), message, hint);
    }
}

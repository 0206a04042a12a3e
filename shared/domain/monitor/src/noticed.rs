//! What a look has to say to its owner by itself, whether or not it starts a run: what could not be read, and that its steps are
//! others.

use std::collections::{BTreeMap, BTreeSet};

use countersign_run::{warning_count, warning_sentences};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::mark::Watermark;

/// So many warnings of a look are written out; of a run each has at most 200 characters, and here too.
const MAX_FIRST: usize = 5;

/// Warnings that change from look to look are in the journal at most so often.
const APART: SignedDuration = SignedDuration::from_hours(24);

/// What could not be read when the steps looked last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LookWarnings {
    /// Of each step that could not read everything.
    pub steps: BTreeMap<String, StepWarnings>,
    /// Since when each look has some.
    pub since: Timestamp,
    /// When the journal was told of them last.
    pub noted_at: Timestamp,
}

/// What one step could not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepWarnings {
    /// How many there are.
    pub count: u64,
    /// The first ones; untrusted text.
    pub first: Vec<String>,
}

impl LookWarnings {
    /// What a look could not read, by the outputs of its steps; none when it could read everything. Of steps that rested what was
    /// known before holds on.
    #[must_use]
    pub fn of(
        outputs: &Map<String, Value>,
        rested: &BTreeSet<String>,
        before: Option<&Self>,
        at: Timestamp,
    ) -> Option<Self> {
        let of_step = |(step, output): (&String, &Value)| {
            let known = match rested.contains(step) {
                true => before.and_then(|before| before.steps.get(step).cloned()),
                false => StepWarnings::of(output),
            };
            known.map(|known| (step.clone(), known))
        };
        let steps: BTreeMap<_, _> = outputs.iter().filter_map(of_step).collect();
        let since = before.map_or(at, |before| before.since);
        let noted_at = before.map_or(at, |before| before.noted_at);
        (!steps.is_empty()).then_some(Self { steps, since, noted_at })
    }

    /// How many there are, of all steps.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.steps.values().map(|one| one.count).fold(0, u64::saturating_add)
    }

    /// The first ones, each with its step; untrusted text.
    #[must_use]
    pub fn first(&self) -> Vec<String> {
        let said = self
            .steps
            .iter()
            .flat_map(|(step, of)| of.first.iter().map(move |one| format!("`{step}`: {one}")));
        said.take(MAX_FIRST).collect()
    }

    /// Whether the journal is to be told: they begin, or they are others than those it has, and it has those for a day.
    #[must_use]
    pub fn is_news(&self, before: Option<&Self>, at: Timestamp) -> bool {
        let Some(before) = before else { return true };
        self.steps != before.steps && at.duration_since(before.noted_at).abs() >= APART
    }
}

impl StepWarnings {
    fn of(output: &Value) -> Option<Self> {
        let count = warning_count(output);
        (count > 0).then(|| Self { count, first: warning_sentences(output, MAX_FIRST) })
    }
}

/// That the detection steps of a monitor are others than at the look before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepsChanged {
    /// When it was seen.
    pub at: Timestamp,
    /// Steps that looked for the first time then.
    pub new: Vec<String>,
    /// Steps that have looked and are not in the playbook any more.
    pub gone: Vec<String>,
}

impl StepsChanged {
    /// How these steps differ from those whose watermarks there are; none at the first look of all, when they are the same, and
    /// when that was seen before.
    #[must_use]
    pub fn of<'a>(
        marks: &BTreeMap<String, Watermark>,
        steps: impl Iterator<Item = &'a str>,
        before: Option<&Self>,
        at: Timestamp,
    ) -> Option<Self> {
        let steps: BTreeSet<&str> = steps.collect();
        let has_looked = |step: &str| marks.get(step).is_some_and(|mark| mark.position.is_some());
        if !marks.values().any(|mark| mark.position.is_some()) {
            return None;
        }
        let owned = |step: &&str| (*step).to_owned();
        let new: Vec<String> = steps.iter().filter(|step| !has_looked(step)).map(owned).collect();
        let is_gone = |step: &&String| has_looked(step) && !steps.contains(step.as_str());
        let gone: Vec<String> = marks.keys().filter(is_gone).cloned().collect();
        // One that is new and rests is new at each look until it has looked.
        let was_new = |step| before.is_some_and(|before| before.new.contains(step));
        let was_gone = |step| before.is_some_and(|before| before.gone.contains(step));
        let is_news = !new.iter().all(was_new) || !gone.iter().all(was_gone);
        is_news.then_some(Self { at, new, gone })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mark::{MarkKind, Position};

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_second(hour * 3600).unwrap()
    }

    fn marks(looked: &[&str]) -> BTreeMap<String, Watermark> {
        let mark = |step: &&str| {
            let mark = Watermark::new(step).moved(Position::start(MarkKind::Cursor), at(0));
            ((*step).to_owned(), mark)
        };
        looked.iter().map(mark).collect()
    }

    #[track_caller]
    fn check(
        looked: &[&str],
        steps: &[&str],
        before: Option<&StepsChanged>,
        expect: Option<(&[&str], &[&str])>,
    ) -> Option<StepsChanged> {
        let got = StepsChanged::of(&marks(looked), steps.iter().copied(), before, at(1));
        let pair = got.as_ref().map(|one| (one.new.clone(), one.gone.clone()));
        let owned = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        assert_eq!(pair, expect.map(|(new, gone)| (owned(new), owned(gone))));
        got
    }

    #[test]
    fn issue_14_a_step_that_is_new_or_gone_is_seen_once() {
        check(&[], &["look"], None, None);
        check(&["look"], &["look"], None, None);
        let renamed = check(&["look"], &["watch"], None, Some((&["watch"], &["look"])));
        check(&["look", "watch"], &["watch"], renamed.as_ref(), None);
        check(&["look", "watch"], &["look", "watch"], renamed.as_ref(), None);
        check(&["look", "watch"], &["look"], renamed.as_ref(), Some((&[], &["watch"])));
        // It was found and not looked from yet: its first look is still to come to its end.
        let mut begun = marks(&["look"]);
        begun.insert("watch".to_owned(), Watermark::new("watch"));
        let changed = StepsChanged::of(&begun, ["look", "watch"].into_iter(), None, at(1));
        assert_eq!(changed.as_ref().unwrap().new, ["watch"]);
        let again =
            StepsChanged::of(&begun, ["look", "watch"].into_iter(), changed.as_ref(), at(2));
        assert_eq!(again, None, "it rests, and that it is new has been said");
    }

    fn warned(warnings: &[&str]) -> Map<String, Value> {
        let output = json!({ "results": [], "warnings": warnings });
        Map::from_iter([("look".to_owned(), output)])
    }

    fn found(warnings: &[&str], before: Option<&LookWarnings>, hour: i64) -> Option<LookWarnings> {
        LookWarnings::of(&warned(warnings), &BTreeSet::new(), before, at(hour))
    }

    #[test]
    fn issue_14_warnings_of_looks_are_bounded_and_noted_when_they_begin() {
        assert_eq!(found(&[], None, 0), None);
        let many: Vec<String> =
            (0..40).map(|n| format!("record {n} {}", "x".repeat(900))).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let first = found(&many, None, 0).unwrap();
        assert_eq!((first.count(), first.first().len()), (40, MAX_FIRST));
        assert!(first.first().iter().all(|one| one.starts_with("`look`: ") && one.len() < 250));
        assert!(first.is_news(None, at(0)));
        let same = found(&many, Some(&first), 30).unwrap();
        assert_eq!(same, first);
        assert!(!same.is_news(Some(&first), at(30)), "they stay the same");
        let other = found(&["y"], Some(&first), 1).unwrap();
        assert_eq!(other.since, at(0));
        assert!(!other.is_news(Some(&first), at(1)), "at most once a day");
        assert!(other.is_news(Some(&first), at(24)));
    }

    #[test]
    fn issue_14_a_step_that_rests_keeps_its_warnings() {
        let before = found(&["one field is missing"], None, 0);
        let rested = BTreeSet::from(["look".to_owned()]);
        let rests = LookWarnings::of(&warned(&[]), &rested, before.as_ref(), at(1));
        assert_eq!(rests, before);
        assert_eq!(LookWarnings::of(&warned(&[]), &rested, None, at(1)), None);
        assert_eq!(found(&[], before.as_ref(), 1), None, "it looked, and could read everything");
    }
}

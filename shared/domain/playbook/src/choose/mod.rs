//! Which playbook a question means (F-134): by the triggers of those that an agent has. No model is asked.

mod likeness;

use regex::RegexBuilder;

use crate::model::{Trigger, TriggerKind};

/// The largest regular expression, compiled, in bytes.
pub(crate) const LARGEST_PATTERN: usize = 256 * 1024;

/// How much of a `semantic` trigger a question must say, 0 to 1.
const LEAST_LIKENESS: f64 = 0.6;

/// A playbook that a question may mean.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its id.
    pub id: &'a str,
    /// The agent's own preference; higher wins among triggers of the same priority.
    pub priority: i32,
    /// What it listens to.
    pub triggers: &'a [Trigger],
}

/// A trigger that a question meets.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerMatch {
    /// The playbook.
    pub playbook: String,
    /// Its trigger.
    pub trigger: Trigger,
    /// How much of the trigger the question says, in hundredths; of keywords and regular expressions all of it.
    pub likeness: u32,
}

/// What a question means.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// One playbook.
    One(TriggerMatch),
    /// Several, and nothing says which of them rather than another.
    Several(Vec<TriggerMatch>),
    /// None.
    None,
}

/// Whether a `semantic` pattern has words that can be compared with those of a question.
pub(crate) fn compares(pattern: &str) -> bool {
    likeness::has_words(pattern)
}

/// Finds the playbook whose trigger has the highest priority among those that the question meets; among equal ones the
/// playbook that the agent prefers, then the trigger that the question says most of.
#[must_use]
pub fn choose(question: &str, candidates: &[Candidate<'_>]) -> Choice {
    let met = candidates.iter().filter_map(|candidate| best(question, candidate));
    let mut met: Vec<(Rank, TriggerMatch)> = met.collect();
    let Some(highest) = met.iter().map(|(rank, _)| *rank).max() else { return Choice::None };
    met.retain(|(rank, _)| *rank == highest);
    let mut met: Vec<TriggerMatch> = met.into_iter().map(|(_, met)| met).collect();
    match met.pop() {
        Some(only) if met.is_empty() => Choice::One(only),
        last => Choice::Several(met.into_iter().chain(last).collect()),
    }
}

/// Of the trigger, of the playbook, of the likeness.
type Rank = (i32, i32, u32);

fn best(question: &str, candidate: &Candidate<'_>) -> Option<(Rank, TriggerMatch)> {
    let met = candidate.triggers.iter().filter_map(|trigger| {
        let likeness = likeness_of(question, trigger)?;
        let playbook = candidate.id.to_owned();
        let rank = (trigger.priority, candidate.priority, likeness);
        Some((rank, TriggerMatch { playbook, trigger: trigger.clone(), likeness }))
    });
    met.max_by_key(|(rank, _)| *rank)
}

/// How much of a trigger a question says, in hundredths, when that is enough.
fn likeness_of(question: &str, trigger: &Trigger) -> Option<u32> {
    let whole = |is_met: bool| is_met.then_some(100);
    match trigger.kind {
        TriggerKind::Keyword => {
            whole(question.to_lowercase().contains(&trigger.pattern.to_lowercase()))
        }
        TriggerKind::Regex => {
            let mut built = RegexBuilder::new(&trigger.pattern);
            let built = built.case_insensitive(true).size_limit(2 * LARGEST_PATTERN).build();
            whole(built.is_ok_and(|pattern| pattern.is_match(question)))
        }
        TriggerKind::Semantic => {
            let likeness = likeness::said(&trigger.pattern, question);
            (likeness >= LEAST_LIKENESS).then(|| likeness::hundredths(likeness))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trigger(pattern: &str, kind: TriggerKind, priority: i32) -> Trigger {
        Trigger { pattern: pattern.to_owned(), kind, priority }
    }

    /// The playbooks that a question means.
    fn check(question: &str, expect: &[&str]) {
        use TriggerKind::{Keyword, Regex, Semantic};
        let officers = [
            trigger("shared officers", Keyword, 10),
            trigger("who (sits|serves) on (two|several)", Regex, 5),
        ];
        let grants = [trigger("which foundations gave money", Semantic, 0)];
        let pay = [trigger("officers", Keyword, 10), trigger("salary", Keyword, 0)];
        let wage = [trigger("salary", Keyword, 0)];
        let candidate = |id, priority, triggers| Candidate { id, priority, triggers };
        let candidates = [
            candidate("officers", 0, &officers[..]),
            candidate("grants", 0, &grants[..]),
            candidate("pay", 0, &pay[..]),
            candidate("wage", 1, &wage[..]),
        ];
        let found = match choose(question, &candidates) {
            Choice::One(met) => vec![met.playbook],
            Choice::Several(met) => met.into_iter().map(|met| met.playbook).collect(),
            Choice::None => Vec::new(),
        };
        assert_eq!(found, expect, "{question}");
    }

    #[test]
    fn f_134_keywords_and_patterns_are_found_in_any_case() {
        check("WHO SERVES ON TWO boards?", &["officers"]);
        check("List the Officers", &["pay"]);
        check("What is the weather?", &[]);
        check("", &[]);
    }

    #[test]
    fn f_134_a_higher_priority_wins_then_the_agents_own_and_ties_are_told() {
        check("who serves on two boards, by officers' salary", &["pay"]);
        check("what salary", &["wage"]);
        check("shared officers", &["officers", "pay"]);
    }

    #[test]
    fn f_134_a_question_in_other_words_is_alike() {
        check("Which foundation has given money to us?", &["grants"]);
        check("Did the foundation give us money?", &["grants"]);
        check("Which colour do you like?", &[]);
    }
}

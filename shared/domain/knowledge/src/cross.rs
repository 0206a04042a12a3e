//! Cross-referencing: which records of one set name the same thing as records of another?
//!
//! Every pair that is alike enough is reported, not only the best: one person in several organisations is what is
//! looked for. A set can be compared with itself: no record is then matched with itself, with an equal record, or
//! twice with the same other.

mod by_entity;

use serde_json::Value;

use crate::error::KnowledgeError;
use crate::extract::long_name;
use crate::model::{EntityType, ExternalId};
use crate::recognise::{beginning, classify};
use crate::resolve::compared::Compared;
use crate::resolve::{Blocks, NEVER_BELOW};
use crate::rows::MatchMethod;

/// The most records of one side.
pub const MAX_RECORDS: usize = 50_000;

/// The most matches one call returns.
pub const MAX_MATCHES: usize = 100_000;

/// The most comparisons one call makes.
const MAX_COMPARISONS: usize = 40_000_000;

/// How records are matched (F-049).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchStrategy {
    /// The same name after normalising.
    Exact,
    /// Similar names.
    FuzzyName,
    /// The same external id.
    ExternalId,
}

/// Where one side keeps its names and ids; `None`: found by the usual field names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// Dotted path of the name.
    pub name_field: Option<String>,
    /// Dotted path of the external id.
    pub id_field: Option<String>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// How.
    pub strategy: MatchStrategy,
    /// From which score, 0 to 1.
    pub threshold: f64,
    /// The first set's fields.
    pub a: Side,
    /// The second set's fields.
    pub b: Side,
    /// The kind of all names; `None`: judged name by name.
    pub entity_type: Option<EntityType>,
    /// Pairs whose values of this field are equal are left out: the same person in the same organisation.
    pub distinct_field: Option<String>,
    /// The field with the entity that was resolved for a record. With it, records match when it is equal, and names and
    /// threshold decide nothing.
    pub entity_field: Option<String>,
    /// Pairs of entities that may be one.
    pub doubts: Vec<Doubt>,
}

/// Two entities that may be one.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct Doubt {
    /// One.
    pub entity_id: String,
    /// The other.
    pub candidate_id: String,
    /// Why nobody can say.
    #[serde(default)]
    pub why: String,
}

/// Two records of entities that may be one, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubtful {
    /// Index into the first set.
    pub a: usize,
    /// Index into the second set.
    pub b: usize,
    /// Why nobody can say.
    pub why: String,
}

/// A pair that belongs together, by index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// Index into the first set.
    pub a: usize,
    /// Index into the second set.
    pub b: usize,
    /// 0 to 1.
    pub score: f64,
    /// By what.
    pub method: MatchMethod,
}

/// All pairs, and who is left.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CrossReferences {
    /// By index of the first set, the best first.
    pub matches: Vec<Match>,
    /// Indices of the first set without a match.
    pub unmatched_a: Vec<usize>,
    /// Indices of the second set without a match.
    pub unmatched_b: Vec<usize>,
    /// One pair for each of the doubts that concerns both sets.
    pub doubtful: Vec<Doubtful>,
    /// Names that are too long to be compared, with their place: a sentence each.
    pub left_out: Vec<String>,
}

/// Fields that usually hold a record's name, the most telling first.
const NAME_FIELDS: [&str; 12] = [
    "name",
    "canonical_name",
    "person_name",
    "full_name",
    "officer_name",
    "contributor_name",
    "donor_name",
    "entity_name",
    "recipient_name",
    "organization_name",
    "organisation_name",
    "business_name",
];

/// Fields that usually hold an external id.
const ID_FIELDS: [&str; 10] = [
    "external_id",
    "ein",
    "cik",
    "fec_id",
    "committee_id",
    "candidate_id",
    "duns",
    "lei",
    "npi",
    "orcid",
];

/// Matches two record sets.
///
/// # Errors
/// [`KnowledgeError`] when a set is too large, a threshold is out of range, or more pairs match than can be returned.
pub fn cross(
    a: &[Value],
    b: &[Value],
    question: &Question,
) -> Result<CrossReferences, KnowledgeError> {
    for (what, records) in [("dataset_a", a), ("dataset_b", b)] {
        KnowledgeError::at_most(what, records.len(), MAX_RECORDS)?;
    }
    if !(0.0..=1.0).contains(&question.threshold) {
        return Err(KnowledgeError::OutOfRange {
            name: "match_threshold",
            given: question.threshold.to_string(),
            low: "0",
            high: "1",
        });
    }
    let itself = !a.is_empty() && a == b;
    let (left, mut left_out) = subjects("dataset_a", a, &question.a, question)?;
    let (right, of_b) = subjects("dataset_b", b, &question.b, question)?;
    // One set that is read in the same way on both sides says each of them once.
    if !itself || question.a != question.b {
        left_out.extend(of_b);
    }
    let Some(field) = &question.entity_field else {
        let matches = pair_up(a, b, (&left, &right), question, itself)?;
        let crossing = sort_out(matches, a.len(), b.len(), itself);
        return Ok(CrossReferences { left_out, ..crossing });
    };
    let sides = by_entity::Sides::of(a, b, field, itself, question.distinct_field.as_deref());
    let crossing = sort_out(sides.matches(&left, &right)?, a.len(), b.len(), itself);
    Ok(CrossReferences { doubtful: sides.doubtful(&question.doubts), left_out, ..crossing })
}

fn pair_up(
    a: &[Value],
    b: &[Value],
    (left, right): (&[Compared], &[Compared]),
    question: &Question,
    itself: bool,
) -> Result<Vec<Match>, KnowledgeError> {
    let blocks = Blocks::of(right.iter());
    let mut comparisons = 0;
    let mut matches = Vec::new();
    for (i, subject) in left.iter().enumerate() {
        if subject.is_empty() && subject.ids.is_empty() {
            continue;
        }
        let candidates = blocks.candidates(subject);
        comparisons += candidates.len();
        KnowledgeError::at_most("the comparison", comparisons, MAX_COMPARISONS)?;
        for j in candidates {
            let same = itself && (j <= i || a[i] == b[j]);
            if same
                || question
                    .distinct_field
                    .as_deref()
                    .is_some_and(|field| agree(&a[i], &b[j], field))
            {
                continue;
            }
            matches.extend(judge(subject, &right[j], question).map(|(score, method)| Match {
                a: i,
                b: j,
                score,
                method,
            }));
        }
        KnowledgeError::at_most("matches", matches.len(), MAX_MATCHES)?;
    }
    Ok(matches)
}

fn judge(a: &Compared, b: &Compared, question: &Question) -> Option<(f64, MatchMethod)> {
    let judgement = a.judge(b);
    if judgement.conflict {
        return None;
    }
    match question.strategy {
        MatchStrategy::ExternalId => judgement.shared_id.then_some((1.0, MatchMethod::ExternalId)),
        MatchStrategy::Exact => (judgement.exact && judgement.score >= NEVER_BELOW)
            .then_some((1.0, MatchMethod::ExactName)),
        MatchStrategy::FuzzyName => {
            let score = (judgement.score * 10_000.0).round() / 10_000.0;
            (score > 0.0 && score >= question.threshold).then_some((score, judgement.method))
        }
    }
}

fn agree(a: &Value, b: &Value, field: &str) -> bool {
    match (lookup(a, field), lookup(b, field)) {
        (Some(Value::String(x)), Some(Value::String(y))) => {
            crate::fold::fold(x) == crate::fold::fold(y)
        }
        (Some(x), Some(y)) => x == y,
        _ => false,
    }
}

fn sort_out(
    mut matches: Vec<Match>,
    count_a: usize,
    count_b: usize,
    itself: bool,
) -> CrossReferences {
    matches.sort_by(|x, y| x.a.cmp(&y.a).then(y.score.total_cmp(&x.score)).then(x.b.cmp(&y.b)));
    let (mut seen_a, mut seen_b) = (vec![false; count_a], vec![false; count_b]);
    for found in &matches {
        seen_a[found.a] = true;
        seen_b[found.b] = true;
        if itself {
            seen_a[found.b] = true;
            seen_b[found.a] = true;
        }
    }
    let missing = |seen: &[bool]| {
        seen.iter().enumerate().filter(|(_, seen)| !**seen).map(|(index, _)| index).collect()
    };
    let (unmatched_a, unmatched_b) = (missing(&seen_a), missing(&seen_b));
    CrossReferences { unmatched_a, unmatched_b, matches, ..CrossReferences::default() }
}

/// What is compared of each record, and the names that are too long for that.
fn subjects(
    what: &'static str,
    records: &[Value],
    side: &Side,
    question: &Question,
) -> Result<(Vec<Compared>, Vec<String>), KnowledgeError> {
    let (mut all, mut left_out) = (Vec::with_capacity(records.len()), Vec::new());
    for (index, record) in records.iter().enumerate() {
        let (field, name) = written(what, index, record, side)?;
        let kind = |name: &str| {
            question.entity_type.clone().unwrap_or_else(|| kind_of(record, field, name))
        };
        let (kind, name) = match long_name(field, name) {
            None => (kind(name), name),
            Some(why) => {
                left_out.push(format!("{what}[{index}]: a name is not compared: {why}"));
                (kind(&beginning(name)), "")
            }
        };
        let ids = ids_of(record, side, question.strategy);
        all.push(Compared::new(kind, name, ids.into_iter().collect()));
    }
    Ok((all, left_out))
}

/// The field with the name of a record, and the name; an empty one where there is none.
fn written<'a>(
    what: &'static str,
    index: usize,
    record: &'a Value,
    side: &'a Side,
) -> Result<(&'a str, &'a str), KnowledgeError> {
    match record {
        Value::String(name) => Ok(("name", name.as_str())),
        Value::Object(_) => Ok(name_of(record, side).unwrap_or(("name", ""))),
        _ => {
            let problem = "a record must be an object or a name".to_owned();
            Err(KnowledgeError::BadItem { what, index, problem })
        }
    }
}

fn name_of<'a>(record: &'a Value, side: &'a Side) -> Option<(&'a str, &'a str)> {
    if let Some(field) = &side.name_field {
        return Some((field, lookup(record, field)?.as_str()?));
    }
    let usual = NAME_FIELDS.iter().find_map(|field| Some((*field, record.get(*field)?.as_str()?)));
    let ending = || {
        record.as_object()?.iter().find_map(|(key, value)| {
            Some((key.as_str(), value.as_str().filter(|_| key.ends_with("name"))?))
        })
    };
    usual.or_else(ending)
}

fn kind_of(record: &Value, field: &str, name: &str) -> EntityType {
    let stated = ["type", "entity_type"].iter().find_map(|key| record.get(*key)?.as_str());
    if let Some(kind @ (EntityType::Person | EntityType::Org | EntityType::Location)) =
        stated.map(EntityType::from)
    {
        return kind;
    }
    let hint = crate::extract::field_hint(field);
    let guess = classify(name, hint.as_ref()).filter(|guess| guess.confidence >= 0.75);
    guess.map(|guess| guess.entity_type).or(hint).unwrap_or(EntityType::Person)
}

/// Ids take part when they are asked for: an officer's record also carries the organisation's number.
fn ids_of(record: &Value, side: &Side, strategy: MatchStrategy) -> Vec<ExternalId> {
    let read = |field: &str, scheme: &str| {
        let text = match lookup(record, field)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        ExternalId::new(scheme, &text)
    };
    match (&side.id_field, strategy) {
        // Fields a person named are one scheme, whatever they are called on either side.
        (Some(field), _) => read(field, "id").into_iter().collect(),
        (None, MatchStrategy::ExternalId) => {
            ID_FIELDS.iter().filter_map(|field| read(field, field)).collect()
        }
        (None, _) => Vec::new(),
    }
}

/// A value by dotted path, such as `lines.0.amount`. A key that itself has dots is found first.
#[must_use]
pub fn lookup<'a>(record: &'a Value, path: &str) -> Option<&'a Value> {
    if let Some(direct) = record.get(path) {
        return Some(direct);
    }
    path.split('.').try_fold(record, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}

#[cfg(test)]
mod tests;

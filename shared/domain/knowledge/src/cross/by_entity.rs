//! Matching by the entity that was resolved: whom the resolver keeps apart is never joined here by a name.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Doubt, Doubtful, MAX_MATCHES, Match, agree, lookup};
use crate::error::KnowledgeError;
use crate::resolve::compared::Compared;

/// Both sets, and which of their records are about which entity.
pub(super) struct Sides<'r> {
    a: &'r [Value],
    b: &'r [Value],
    itself: bool,
    distinct: Option<&'r str>,
    left: BTreeMap<&'r str, Vec<usize>>,
    right: BTreeMap<&'r str, Vec<usize>>,
}

impl<'r> Sides<'r> {
    pub(super) fn of(
        a: &'r [Value],
        b: &'r [Value],
        field: &str,
        itself: bool,
        distinct: Option<&'r str>,
    ) -> Self {
        Self { a, b, itself, distinct, left: by_entity(a, field), right: by_entity(b, field) }
    }

    /// Every pair of one entity. The score is how alike the two names are written, for information.
    pub(super) fn matches(
        &self,
        left: &[Compared],
        right: &[Compared],
    ) -> Result<Vec<Match>, KnowledgeError> {
        let mut matches = Vec::new();
        for (entity, ours) in &self.left {
            let theirs = self.right.get(entity).map_or(&[][..], Vec::as_slice);
            for (i, j) in ours.iter().flat_map(|i| theirs.iter().map(move |j| (*i, *j))) {
                if !self.is_pair(i, j) || self.itself && j < i {
                    continue;
                }
                let judgement = left[i].judge(&right[j]);
                let score = (judgement.score * 10_000.0).round() / 10_000.0;
                matches.push(Match { a: i, b: j, score, method: judgement.method });
                KnowledgeError::at_most("matches", matches.len(), MAX_MATCHES)?;
            }
        }
        Ok(matches)
    }

    /// The first pair of each doubt, whichever side its entities are on.
    pub(super) fn doubtful(&self, doubts: &[Doubt]) -> Vec<Doubtful> {
        let of = |side: &BTreeMap<&str, Vec<usize>>, entity: &str| {
            side.get(entity).cloned().unwrap_or_default()
        };
        let first = |one: &str, other: &str| {
            let theirs = of(&self.right, other);
            let pairs =
                of(&self.left, one).into_iter().flat_map(|i| theirs.iter().map(move |j| (i, *j)));
            pairs.into_iter().find(|(i, j)| self.is_pair(*i, *j))
        };
        let pair = |doubt: &Doubt| {
            let (one, other) = (doubt.entity_id.as_str(), doubt.candidate_id.as_str());
            let (a, b) = first(one, other).or_else(|| first(other, one))?;
            Some(Doubtful { a, b, why: doubt.why.clone() })
        };
        doubts.iter().filter_map(pair).collect()
    }

    fn is_pair(&self, i: usize, j: usize) -> bool {
        let same = self.itself && (i == j || self.a[i] == self.b[j]);
        !same && !self.distinct.is_some_and(|field| agree(&self.a[i], &self.b[j], field))
    }
}

fn by_entity<'r>(records: &'r [Value], field: &str) -> BTreeMap<&'r str, Vec<usize>> {
    let mut all: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, record) in records.iter().enumerate() {
        if let Some(entity) = lookup(record, field).and_then(Value::as_str) {
            all.entry(entity).or_default().push(index);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::cross::{Doubt, MatchStrategy, Question, Side, cross};

    fn row(name: &str, ein: &str, entity: &str) -> Value {
        json!({"name": name, "ein": ein, "_entity_id": entity})
    }

    /// Matches and doubts as `index-index`.
    fn check(a: &[Value], b: &[Value], matches: &[&str], doubtful: &[&str]) {
        let doubt =
            Doubt { entity_id: "one".into(), candidate_id: "two".into(), why: "why".into() };
        let question = Question {
            strategy: MatchStrategy::FuzzyName,
            threshold: 0.8,
            a: Side::default(),
            b: Side::default(),
            entity_type: None,
            distinct_field: Some("ein".to_owned()),
            entity_field: Some("_entity_id".to_owned()),
            doubts: vec![doubt],
        };
        let crossing = cross(a, b, &question).unwrap();
        let found: Vec<String> =
            crossing.matches.iter().map(|found| format!("{}-{}", found.a, found.b)).collect();
        assert_eq!(found, matches);
        let found: Vec<String> =
            crossing.doubtful.iter().map(|found| format!("{}-{}", found.a, found.b)).collect();
        assert_eq!(found, doubtful);
    }

    #[test]
    fn f_049_whom_the_resolver_keeps_apart_is_not_joined_by_a_name() {
        let people = [
            row("MARTIN HALLOWELL", "1", "one"),
            row("MARTIN HALLOWELL", "2", "two"),
            row("M HALLOWELL", "3", "one"),
            row("PEGGY THORNQUIST", "4", "three"),
            row("MARGARET E THORNQUIST", "5", "three"),
            row("MARTIN HALLOWELL", "1", "one"),
        ];
        check(&people, &people, &["0-2", "2-5", "3-4"], &["0-1"]);
        check(&people[..1], &people[1..3], &["0-1"], &["0-0"]);
        // A doubt within one organisation is not a finding across organisations.
        let same = [row("J DOE", "1", "one"), row("JANE DOE", "1", "two")];
        check(&same, &same, &[], &[]);
        check(&[json!({"name": "A B"})], &[json!({"name": "A B"})], &[], &[]);
    }
}

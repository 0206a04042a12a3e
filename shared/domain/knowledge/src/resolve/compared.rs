//! What is compared: a kind, the readings of its names, its ids and its company.

use std::collections::BTreeSet;

use super::{Known, Mention, NEVER_BELOW};
use crate::compare::{Reading, compare};
use crate::evidence::Evidence;
use crate::model::{EntityType, ExternalId};
use crate::rows::MatchMethod;

/// A thing to compare.
#[derive(Debug, Clone)]
pub(crate) struct Compared {
    pub(crate) kind: EntityType,
    pub(crate) readings: BTreeSet<Reading>,
    pub(crate) ids: BTreeSet<ExternalId>,
    pub(crate) context: BTreeSet<String>,
    pub(crate) places: BTreeSet<String>,
    pub(crate) is_known: bool,
}

/// What the comparison of two subjects says.
#[derive(Debug, Clone)]
pub(crate) struct Judgement {
    pub(crate) score: f64,
    /// The lowest score across all readings; an exact hit on one of them counts for all.
    pub(crate) weakest: f64,
    pub(crate) method: MatchMethod,
    pub(crate) jaro_winkler: f64,
    pub(crate) shared_id: bool,
    pub(crate) exact: bool,
    /// They can never be one.
    pub(crate) conflict: bool,
    /// They are reached in different towns, so that a name alone does not make them one.
    pub(crate) elsewhere: bool,
}

/// What a shared acquaintance adds, and how far it can lift.
const CONTEXT_LIFT: f64 = 0.08;
const CONTEXT_CEILING: f64 = 0.9;
/// How far a name alone goes for people of different towns: a person is asked.
const ELSEWHERE_CEILING: f64 = 0.84;

impl Compared {
    pub(crate) fn new(kind: EntityType, name: &str, ids: BTreeSet<ExternalId>) -> Self {
        let readings = BTreeSet::from([Reading::of(name, &kind)]);
        let (context, places) = (BTreeSet::new(), BTreeSet::new());
        Self { kind, readings, ids, context, places, is_known: false }
    }

    pub(crate) fn of_mention(mention: &Mention) -> Self {
        let subject =
            Self::new(mention.entity_type.clone(), &mention.name, mention.external_ids.clone());
        Self { context: mention.context.clone(), places: mention.places.clone(), ..subject }
    }

    pub(crate) fn of_known(known: &Known) -> Self {
        Self {
            kind: known.entity_type.clone(),
            readings: known
                .names
                .iter()
                .map(|name| Reading::of(name, &known.entity_type))
                .filter(|r| !r.is_empty())
                .collect(),
            ids: known.external_ids.clone(),
            context: known.context.clone(),
            places: known.places.clone(),
            is_known: true,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.readings.iter().all(Reading::is_empty)
    }

    /// The key of the first reading; all readings of a mention share it.
    pub(crate) fn key(&self) -> String {
        self.readings.first().map(Reading::key).unwrap_or_default()
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.readings.extend(other.readings);
        self.context.extend(other.context);
        self.places.extend(other.places);
    }

    /// How much there is to compare: about the characters of its names.
    pub(crate) fn size(&self) -> usize {
        self.readings.iter().map(Reading::size).sum()
    }

    fn evidence(&self) -> Evidence<'_> {
        Evidence { ids: &self.ids, places: &self.places, context: &self.context }
    }

    /// Whether they are two whatever they are called.
    fn cannot_be_one(&self, other: &Self) -> bool {
        self.is_known && other.is_known
            || self.kind != other.kind
            || self.evidence().contradicts(&other.evidence())
    }

    /// Whether the two may stand in one group: nothing contradicts it, and no two names of theirs are too unlike.
    pub(crate) fn may_be_one(&self, other: &Self) -> bool {
        if self.cannot_be_one(other) {
            return false;
        }
        let judgement = self.judge(other);
        !judgement.conflict && judgement.weakest >= NEVER_BELOW
    }

    /// Compares two subjects of the same kind.
    pub(crate) fn judge(&self, other: &Self) -> Judgement {
        let mut judgement = self.judge_names(other);
        judgement.conflict |= self.cannot_be_one(other);
        judgement.shared_id = self.evidence().shares_id(&other.evidence());
        if judgement.shared_id {
            judgement = Judgement {
                score: 1.0,
                weakest: 1.0,
                method: MatchMethod::ExternalId,
                ..judgement
            };
        } else if self.evidence().is_elsewhere(&other.evidence()) {
            judgement.elsewhere = true;
            judgement.score = judgement.score.min(ELSEWHERE_CEILING);
            judgement.weakest = 0.0;
        }
        judgement
    }

    fn judge_names(&self, other: &Self) -> Judgement {
        let mut best = Judgement {
            score: 0.0,
            weakest: 1.0,
            method: MatchMethod::FuzzyName,
            jaro_winkler: 0.0,
            shared_id: false,
            exact: false,
            conflict: false,
            elsewhere: false,
        };
        let mut context_helps = false;
        for a in &self.readings {
            for b in &other.readings {
                let like = compare(a, b);
                best.conflict |= like.conflict;
                best.exact |= like.exact;
                best.weakest = best.weakest.min(like.score);
                if like.score > best.score {
                    (best.score, best.jaro_winkler, context_helps) =
                        (like.score, like.jaro_winkler, like.context_helps);
                }
            }
        }
        if best.exact {
            best.weakest = best.score;
            best.method = MatchMethod::ExactName;
        } else if context_helps
            && best.score >= NEVER_BELOW
            && best.score < CONTEXT_CEILING
            && self.evidence().shares_context(&other.evidence())
        {
            best.score = (best.score + CONTEXT_LIFT).min(CONTEXT_CEILING);
            best.method = MatchMethod::ContextOverlap;
        }
        best
    }
}

//! What speaks for one thing or for two beside the names: identifiers, towns, company.
//!
//! The same rule is asked before mentions are joined, and again where a write meets an entity that somebody else has made.

use std::collections::BTreeSet;

use crate::model::{Entity, ExternalId};

/// What is known of a thing beside its names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub(crate) ids: &'a BTreeSet<ExternalId>,
    pub(crate) places: &'a BTreeSet<String>,
    pub(crate) context: &'a BTreeSet<String>,
}

impl<'a> From<&'a Entity> for Evidence<'a> {
    fn from(entity: &'a Entity) -> Self {
        Self { ids: &entity.external_ids, places: &entity.places, context: &entity.context }
    }
}

impl Evidence<'_> {
    /// Whether the same name does not make them one: their identifiers contradict each other, or they are elsewhere.
    pub(crate) fn are_two(&self, other: &Evidence<'_>) -> bool {
        self.contradicts(other) || !self.shares_id(other) && self.is_elsewhere(other)
    }

    /// Two values of one scheme, none in common: two things.
    pub(crate) fn contradicts(&self, other: &Evidence<'_>) -> bool {
        if self.ids.is_empty() || other.ids.is_empty() {
            return false;
        }
        let theirs = schemes(other.ids.iter());
        let agreed = schemes(self.ids.intersection(other.ids));
        schemes(self.ids.iter()).difference(&agreed).any(|scheme| theirs.contains(scheme))
    }

    /// Whether an identifier is of both.
    pub(crate) fn shares_id(&self, other: &Evidence<'_>) -> bool {
        !self.ids.is_disjoint(other.ids)
    }

    /// Both have towns, none in common, and nothing else was seen with both: the same board in two years, one move in
    /// between, is still the same person.
    pub(crate) fn is_elsewhere(&self, other: &Evidence<'_>) -> bool {
        !self.places.is_empty()
            && !other.places.is_empty()
            && self.places.is_disjoint(other.places)
            && !self.shares_context(other)
    }

    /// Whether something was seen with both.
    pub(crate) fn shares_context(&self, other: &Evidence<'_>) -> bool {
        !self.context.is_disjoint(other.context)
    }
}

fn schemes<'i>(ids: impl Iterator<Item = &'i ExternalId>) -> BTreeSet<&'i str> {
    ids.map(|id| id.scheme.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Identifiers as `scheme:value`, towns, company.
    type Known = (&'static [&'static str], &'static [&'static str], &'static [&'static str]);

    #[track_caller]
    fn check(one: Known, other: Known, expect: bool) {
        let texts = |all: &[&str]| -> BTreeSet<String> { all.iter().map(|&t| t.into()).collect() };
        let ids = |all: &[&str]| -> BTreeSet<ExternalId> {
            all.iter().filter_map(|id| ExternalId::parse(id)).collect()
        };
        let [a, b] = [one, other].map(|one| (ids(one.0), texts(one.1), texts(one.2)));
        let a = Evidence { ids: &a.0, places: &a.1, context: &a.2 };
        let b = Evidence { ids: &b.0, places: &b.1, context: &b.2 };
        assert_eq!((a.are_two(&b), b.are_two(&a)), (expect, expect), "{a:?} {b:?}");
    }

    #[test]
    fn k_71_ids_of_one_scheme_without_a_common_one_are_of_two() {
        check((&["npi:1"], &[], &[]), (&["npi:2"], &[], &[]), true);
        check((&["npi:1", "npi:2"], &[], &[]), (&["npi:2", "npi:3"], &[], &[]), false);
        check((&["npi:1"], &[], &[]), (&["orcid:2"], &[], &[]), false);
        check((&["npi:1", "orcid:7"], &[], &[]), (&["npi:1", "orcid:8"], &[], &[]), true);
        check((&[], &[], &[]), (&["npi:2"], &[], &[]), false);
    }

    #[test]
    fn k_71_towns_without_a_common_one_are_of_two_unless_something_else_is_common() {
        check((&[], &["Brannoc"], &[]), (&[], &["Ellery"], &[]), true);
        check((&[], &["Brannoc"], &[]), (&[], &["Ellery", "Brannoc"], &[]), false);
        check((&[], &["Brannoc"], &["OWL FUND"]), (&[], &["Ellery"], &["OWL FUND"]), false);
        check((&["npi:1"], &["Brannoc"], &[]), (&["npi:1"], &["Ellery"], &[]), false);
        check((&[], &["Brannoc"], &[]), (&[], &[], &[]), false);
    }
}

//! The paths of an endpoint, found by the name of the element they end in.

use crate::model::{FieldRule, ParseRules, ValueType};
use crate::reading::Reading;
use crate::xpath::{Alternative, XPath};

/// What an alternative of a path leads to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Aim {
    Root,
    List,
    /// A field by its index; those of the context follow those of the record.
    Field(usize),
}

#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) aim: Aim,
    pub(super) rank: usize,
    pub(super) alternative: Alternative,
}

/// What ends in one name.
#[derive(Debug, Default)]
pub(super) struct Aims {
    /// Roots and lists.
    pub(super) places: Vec<Target>,
    pub(super) fields: Vec<Target>,
}

impl Aims {
    fn add(&mut self, target: Target) {
        match target.aim {
            Aim::Field(_) => self.fields.push(target),
            Aim::Root | Aim::List => self.places.push(target),
        }
    }
}

/// The paths of an endpoint, found by the name of the element they end in.
pub(super) struct Targets {
    /// By the length of the name: few names share one, and lengths are compared faster than texts are hashed.
    by_name: Vec<Vec<(String, Aims)>>,
    any_name: Aims,
    pub(super) has_root: bool,
    pub(super) has_list: bool,
    pub(super) own_fields: usize,
    pub(super) fields: usize,
    pub(super) lists: Vec<bool>,
    /// The type of each field that is one figure.
    figures: Vec<Option<ValueType>>,
    reading: Reading,
}

impl Targets {
    pub(super) fn new(rules: &ParseRules) -> Self {
        let all: Vec<&FieldRule> = rules.fields.iter().chain(&rules.context_fields).collect();
        let mut targets = Self {
            by_name: Vec::new(),
            any_name: Aims::default(),
            has_root: rules.root_element.is_some(),
            has_list: rules.list_element.is_some(),
            own_fields: rules.fields.len(),
            fields: all.len(),
            lists: all.iter().map(|rule| rule.value_type.is_list()).collect(),
            figures: all.iter().map(|rule| figure(rule)).collect(),
            reading: rules.reading.clone(),
        };
        if let Some(root) = &rules.root_element {
            targets.add(Aim::Root, &root.clone().rooted());
        }
        if let Some(list) = &rules.list_element {
            targets.add(Aim::List, list);
        }
        for (index, rule) in all.iter().enumerate() {
            targets.add(Aim::Field(index), &rule.xpath);
        }
        targets
    }

    /// Whether a field is one figure, and these are two of them.
    pub(super) fn are_two_figures(&self, field: usize, first: &str, other: &str) -> bool {
        let figure = self.figures.get(field).copied().flatten();
        figure.is_some_and(|value_type| !self.reading.is_same(first, other, value_type))
    }

    fn add(&mut self, aim: Aim, path: &XPath) {
        for (rank, alternative) in path.alternatives().iter().enumerate() {
            let target = Target { aim, rank, alternative: alternative.clone() };
            match alternative.steps.last() {
                Some(name) if name != "*" => {
                    self.named(name).add(target);
                }
                _ => self.any_name.add(target),
            }
        }
    }

    fn named(&mut self, name: &str) -> &mut Aims {
        if self.by_name.len() <= name.len() {
            self.by_name.resize_with(name.len() + 1, Vec::new);
        }
        let same = &mut self.by_name[name.len()];
        let at = same.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            same.push((name.to_owned(), Aims::default()));
            same.len() - 1
        });
        &mut same[at].1
    }

    /// What ends in a name, and what ends in any.
    #[inline]
    pub(super) fn ending_in(&self, name: &str) -> [Option<&Aims>; 2] {
        let same = self.by_name.get(name.len());
        let found = same.and_then(|same| same.iter().find(|(known, _)| known == name));
        [found.map(|(_, aims)| aims), Some(&self.any_name)]
    }
}

fn figure(rule: &FieldRule) -> Option<ValueType> {
    Some(rule.value_type).filter(|value_type| value_type.is_figure())
}

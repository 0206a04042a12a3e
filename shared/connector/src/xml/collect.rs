//! Which elements become which fields, decided while they stream by.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::value::convert;
use crate::model::{FieldRule, ParseRules};
use crate::xpath::{Alternative, XPath};

/// Values kept of one repeated field in one record.
const MAX_VALUES: usize = 10_000;

/// A value that is not of its field's type: left null, and said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueWarning {
    /// The record's index.
    pub record: usize,
    /// The field.
    pub field: String,
    /// Why.
    pub message: String,
}

/// What an alternative of a path leads to.
#[derive(Debug, Clone, Copy)]
enum Aim {
    Root,
    List,
    /// A field by its index; those of the context follow those of the record.
    Field(usize),
}

#[derive(Debug, Clone)]
struct Target {
    aim: Aim,
    rank: usize,
    alternative: Alternative,
}

/// The paths of an endpoint, found by the name of the element they end in.
pub(super) struct Targets {
    by_name: HashMap<String, Vec<Target>>,
    any_name: Vec<Target>,
    has_root: bool,
    has_list: bool,
    own_fields: usize,
    fields: usize,
    lists: Vec<bool>,
}

impl Targets {
    pub(super) fn new(rules: &ParseRules) -> Self {
        let all: Vec<&FieldRule> = rules.fields.iter().chain(&rules.context_fields).collect();
        let mut targets = Self {
            by_name: HashMap::new(),
            any_name: Vec::new(),
            has_root: rules.root_element.is_some(),
            has_list: rules.list_element.is_some(),
            own_fields: rules.fields.len(),
            fields: all.len(),
            lists: all.iter().map(|rule| rule.value_type.is_list()).collect(),
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

    fn add(&mut self, aim: Aim, path: &XPath) {
        for (rank, alternative) in path.alternatives().iter().enumerate() {
            let target = Target { aim, rank, alternative: alternative.clone() };
            match alternative.steps.last() {
                Some(name) if name != "*" => {
                    self.by_name.entry(name.clone()).or_default().push(target);
                }
                _ => self.any_name.push(target),
            }
        }
    }

    fn ending_in(&self, name: &str) -> impl Iterator<Item = &Target> {
        self.by_name.get(name).into_iter().flatten().chain(&self.any_name)
    }
}

/// The texts found for one field, and how preferred the path was that found them.
#[derive(Debug, Clone)]
struct Found {
    rank: usize,
    texts: Vec<String>,
}

type Fields = Vec<Option<Found>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Document,
    Record(usize),
}

struct Capture {
    depth: usize,
    owner: Owner,
    field: usize,
    rank: usize,
    text: String,
}

/// Everything found so far.
pub(super) struct Collector<'t> {
    targets: &'t Targets,
    roots: Vec<usize>,
    root_seen: bool,
    open_records: Vec<(usize, usize)>,
    records: Vec<Fields>,
    document: Fields,
    captures: Vec<Capture>,
    kept_bytes: u64,
}

impl<'t> Collector<'t> {
    pub(super) fn new(targets: &'t Targets) -> Self {
        Self {
            targets,
            roots: Vec::new(),
            root_seen: false,
            open_records: Vec::new(),
            records: Vec::new(),
            document: vec![None; targets.fields],
            captures: Vec::new(),
            kept_bytes: 0,
        }
    }

    pub(super) fn record_count(&self) -> usize {
        self.records.len()
    }

    pub(super) fn kept_bytes(&self) -> u64 {
        self.kept_bytes
    }

    pub(super) fn root_seen(&self) -> bool {
        self.root_seen
    }

    /// An element starts; `names` are those of its ancestors and its own.
    pub(super) fn start<S: AsRef<str>>(
        &mut self,
        names: &[S],
        attribute: impl Fn(&str) -> Option<String>,
    ) {
        self.boundary();
        let targets = self.targets;
        let Some(name) = names.last() else { return };
        let depth = names.len();
        let mut fields = Vec::new();
        for target in targets.ending_in(name.as_ref()) {
            match target.aim {
                Aim::Root
                    if target.alternative.matches(names, 0)
                        && self.roots.last() != Some(&depth) =>
                {
                    self.roots.push(depth);
                    self.root_seen = true;
                }
                Aim::List if self.opens_record(&target.alternative, names) => {
                    self.open_records.push((depth, self.records.len()));
                    self.records.push(vec![None; targets.own_fields]);
                }
                Aim::Field(field) => fields.push((field, target)),
                Aim::Root | Aim::List => {}
            }
        }
        for (field, target) in fields {
            let Some(owner) = self.owner(field, &target.alternative, names) else { continue };
            match &target.alternative.attribute {
                None => {
                    let capture =
                        Capture { depth, owner, field, rank: target.rank, text: String::new() };
                    self.captures.push(capture);
                }
                Some(name) => {
                    let text = attribute(name).unwrap_or_default();
                    self.keep(owner, field, target.rank, &text);
                }
            }
        }
    }

    fn opens_record<S: AsRef<str>>(&self, alternative: &Alternative, names: &[S]) -> bool {
        let already = self.open_records.last().is_some_and(|(depth, _)| *depth == names.len());
        !already && self.base().is_some_and(|base| alternative.matches(names, base))
    }

    /// The depth relative paths start from outside records: the root element's, or the document element's.
    fn base(&self) -> Option<usize> {
        if self.targets.has_root { self.roots.last().copied() } else { Some(1) }
    }

    /// Whose value an element is, if the alternative means it at all.
    fn owner<S: AsRef<str>>(
        &self,
        field: usize,
        alternative: &Alternative,
        names: &[S],
    ) -> Option<Owner> {
        let of_record = self.targets.has_list && field < self.targets.own_fields;
        if !alternative.is_relative() {
            return alternative.matches(names, 0).then_some(Owner::Document);
        }
        if of_record {
            let mut open = self.open_records.iter().rev();
            let record = open.find(|(depth, _)| alternative.matches(names, *depth));
            return record.map(|(_, index)| Owner::Record(*index));
        }
        self.base().filter(|base| alternative.matches(names, *base)).map(|_| Owner::Document)
    }

    /// Text inside the current element.
    pub(super) fn text(&mut self, text: &str) {
        for capture in &mut self.captures {
            capture.text.push_str(text);
        }
    }

    /// Bytes held for values that are still open.
    pub(super) fn open_bytes(&self) -> usize {
        self.captures.iter().map(|capture| capture.text.len()).sum()
    }

    /// The element at `depth` ends.
    pub(super) fn end(&mut self, depth: usize) {
        while self.captures.last().is_some_and(|capture| capture.depth == depth) {
            if let Some(capture) = self.captures.pop() {
                self.keep(capture.owner, capture.field, capture.rank, &capture.text);
            }
        }
        self.open_records.pop_if(|(open, _)| *open == depth);
        self.roots.pop_if(|open| *open == depth);
        self.boundary();
    }

    /// Two lines of a name in two elements are two words, however the file is laid out.
    fn boundary(&mut self) {
        for capture in &mut self.captures {
            capture.text.push(' ');
        }
    }

    fn keep(&mut self, owner: Owner, field: usize, rank: usize, text: &str) {
        let text = collapse(text);
        if text.is_empty() {
            return;
        }
        let is_list = self.targets.lists.get(field).copied().unwrap_or(false);
        let fields = match owner {
            Owner::Document => &mut self.document,
            Owner::Record(index) => match self.records.get_mut(index) {
                Some(fields) => fields,
                None => return,
            },
        };
        let Some(slot) = fields.get_mut(field) else { return };
        match slot {
            Some(found) if found.rank < rank => {}
            Some(found) if found.rank == rank => {
                if !is_list || found.texts.len() >= MAX_VALUES {
                    return;
                }
                self.kept_bytes += text.len() as u64;
                found.texts.push(text);
            }
            _ => {
                self.kept_bytes += text.len() as u64;
                *slot = Some(Found { rank, texts: vec![text] });
            }
        }
    }

    /// The records, typed, with the document's fields on each.
    pub(super) fn finish(self, rules: &ParseRules) -> (Vec<Map<String, Value>>, Vec<ValueWarning>) {
        let mut warnings = Vec::new();
        let mut out = Vec::new();
        let document = self.document;
        let own = if self.targets.has_list { self.records } else { vec![document.clone()] };
        for record in own.into_iter().filter(|record| record.iter().any(Option::is_some)) {
            let mut map = Map::new();
            for (index, rule) in rules.fields.iter().chain(&rules.context_fields).enumerate() {
                let here = record.get(index).and_then(Option::as_ref);
                let there = document.get(index).and_then(Option::as_ref);
                let (value, complaint) = convert(preferred(here, there), rule.value_type);
                if let Some(message) = complaint {
                    warnings.push(ValueWarning {
                        record: out.len(),
                        field: rule.field.clone(),
                        message,
                    });
                }
                map.insert(rule.field.clone(), value);
            }
            out.push(map);
        }
        (out, warnings)
    }
}

/// The texts of the more preferred path; the record's own when both are as good.
fn preferred<'f>(here: Option<&'f Found>, there: Option<&'f Found>) -> &'f [String] {
    let found = match (here, there) {
        (Some(here), Some(there)) if there.rank < here.rank => Some(there),
        (Some(here), _) => Some(here),
        (None, there) => there,
    };
    found.map_or(&[], |found| &found.texts)
}

/// White space becomes single spaces; control characters go.
fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().filter(|c| !c.is_control()));
    }
    out
}

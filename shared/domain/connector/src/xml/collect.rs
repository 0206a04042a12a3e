//! Which elements become which fields, decided while they stream by.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{FieldRule, ParseRules, ValueType};
use crate::reading::Reading;
use crate::records::{Cell, Records};
use crate::xpath::Alternative;

use super::of_document::{Found, OfDocument, second, shared, too_many};
use super::others::{MAX_WARNINGS, Others, Owner};
use super::targets::{Aim, Targets};
use super::white_space::collapse;

/// Values kept of one repeated field in one record.
pub(super) const MAX_VALUES: usize = 10_000;

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

/// The rank of a field that has no value yet.
const NONE: u8 = u8::MAX;

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
    /// All fields of one record after the other; those of the context stay empty until the end.
    cells: Vec<Cell>,
    /// How preferred the path was that found each of a record's own fields.
    ranks: Vec<u8>,
    /// Values that were not kept.
    others: Others,
    count: usize,
    document: Vec<Option<Found>>,
    captures: Vec<Capture>,
    /// Texts of earlier captures, whose memory is used again.
    spare: Vec<String>,
    kept_bytes: u64,
}

impl<'t> Collector<'t> {
    pub(super) fn new(targets: &'t Targets) -> Self {
        Self {
            targets,
            roots: Vec::new(),
            root_seen: false,
            open_records: Vec::new(),
            cells: Vec::new(),
            ranks: Vec::new(),
            others: Others::default(),
            count: 0,
            document: vec![None; targets.fields],
            captures: Vec::new(),
            spare: Vec::new(),
            kept_bytes: 0,
        }
    }

    pub(super) fn record_count(&self) -> usize {
        self.count
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
        // A record is opened before its own fields are looked for, so those come second.
        let aims = targets.ending_in(name.as_ref());
        for target in aims.iter().flatten().flat_map(|aims| &aims.places) {
            match target.aim {
                Aim::Root
                    if target.alternative.matches(names, 0)
                        && self.roots.last() != Some(&depth) =>
                {
                    self.roots.push(depth);
                    self.root_seen = true;
                }
                Aim::List if self.opens_record(&target.alternative, names) => {
                    self.open_records.push((depth, self.count));
                    self.count += 1;
                    self.cells.resize(self.count * targets.fields, Cell::Null);
                    self.ranks.resize(self.count * targets.own_fields, NONE);
                }
                Aim::Field(_) | Aim::Root | Aim::List => {}
            }
        }
        for target in aims.iter().flatten().flat_map(|aims| &aims.fields) {
            let Aim::Field(field) = target.aim else { continue };
            let Some(owner) = self.owner(field, &target.alternative, names) else { continue };
            match &target.alternative.attribute {
                None => {
                    let text = self.spare.pop().unwrap_or_default();
                    let capture = Capture { depth, owner, field, rank: target.rank, text };
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
                let mut text = capture.text;
                text.clear();
                self.spare.push(text);
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
        let kept = text.len() as u64;
        let is_new = match owner {
            Owner::Document => self.keep_of_document(field, rank, is_list, text),
            Owner::Record(record) => self.keep_of_record(record, field, rank, is_list, text),
        };
        if is_new == Some(true) {
            self.kept_bytes += kept;
        }
    }

    fn keep_of_document(
        &mut self,
        field: usize,
        rank: usize,
        is_list: bool,
        text: Cow<'_, str>,
    ) -> Option<bool> {
        let slot = self.document.get_mut(field)?;
        match slot {
            Some(found) if found.rank < rank => return Some(false),
            Some(found) if found.rank == rank => {
                if !is_list {
                    let first = found.texts.first()?;
                    let is_other = self.targets.are_two_figures(field, first, &text);
                    self.note_other(Owner::Document, field, &text, is_other);
                    return Some(false);
                }
                if found.texts.len() >= MAX_VALUES {
                    self.note_other(Owner::Document, field, &text, true);
                    return Some(false);
                }
                found.texts.push(text.into_owned());
            }
            _ => {
                *slot = Some(Found { rank, texts: vec![text.into_owned()] });
                self.others.forget(Owner::Document, field);
            }
        }
        Some(true)
    }

    /// Keeps the first value that is not in the record, for a warning.
    fn note_other(&mut self, owner: Owner, field: usize, text: &str, is_other: bool) {
        if is_other {
            self.others.note(owner, field, text);
        }
    }

    fn keep_of_record(
        &mut self,
        record: usize,
        field: usize,
        rank: usize,
        is_list: bool,
        text: Cow<'_, str>,
    ) -> Option<bool> {
        let known = self.ranks.get_mut(record * self.targets.own_fields + field)?;
        let cell = self.cells.get_mut(record * self.targets.fields + field)?;
        // A path has at most 32 alternatives.
        let rank = u8::try_from(rank).ok().filter(|rank| *rank < NONE)?;
        if *known < rank {
            return Some(false);
        }
        if *known == rank && !is_list {
            let Cell::Text(first) = &*cell else { return Some(false) };
            let is_other = self.targets.are_two_figures(field, first, &text);
            self.note_other(Owner::Record(record), field, &text, is_other);
            return Some(false);
        }
        match cell {
            Cell::Other(list) if *known == rank => match list.as_array_mut() {
                Some(list) if list.len() < MAX_VALUES => list.push(Value::from(&*text)),
                _ => {
                    self.note_other(Owner::Record(record), field, &text, true);
                    return Some(false);
                }
            },
            _ if is_list => *cell = Cell::Other(Box::new(Value::Array(vec![Value::from(&*text)]))),
            _ => *cell = Cell::Text(text.into()),
        }
        if *known != NONE && *known != rank {
            self.others.forget(Owner::Record(record), field);
        }
        *known = rank;
        Some(true)
    }

    /// About how much memory the document's values take on all records, which each get their own of them.
    pub(super) fn carried_bytes(&self) -> u64 {
        let size = |text: &String| (text.len() + size_of::<Value>()) as u64;
        let one: u64 =
            self.document.iter().flatten().flat_map(|found| &found.texts).map(size).sum();
        let records = (0..self.count).filter(|record| self.has_values(*record)).count();
        one.saturating_mul(records as u64)
    }

    /// The records, typed, with the document's fields on each.
    pub(super) fn finish(
        mut self,
        rules: &ParseRules,
    ) -> (Records, Vec<ValueWarning>, BTreeMap<String, u64>) {
        let all: Vec<&FieldRule> = rules.fields.iter().chain(&rules.context_fields).collect();
        let document: Vec<_> = self
            .document
            .iter()
            .zip(&all)
            .enumerate()
            .map(|(field, (found, rule))| {
                let other = self.others.of(Owner::Document, field);
                shared(found.as_ref(), rule, &rules.reading, other)
            })
            .collect();
        if !self.targets.has_list {
            // The document is the one record, if it has a value.
            self.count = 1;
            self.cells.resize(self.targets.fields, Cell::Null);
            self.ranks.resize(self.targets.own_fields, NONE);
        }
        let (mut warnings, mut more) = (Vec::new(), BTreeMap::new());
        let mut kept = 0;
        for record in 0..self.count {
            if !self.has_values(record) {
                continue;
            }
            for (field, rule) in all.iter().enumerate() {
                let (cell, said) = self.typed((record, field), rule, &document, &rules.reading);
                let name = || rule.field.clone();
                match said {
                    Some(message) if warnings.len() < MAX_WARNINGS => {
                        warnings.push(ValueWarning { record: kept, field: name(), message });
                    }
                    None if !self.others.has_more(record, field) => {}
                    _ => *more.entry(name()).or_default() += 1,
                }
                self.cells[kept * self.targets.fields + field] = cell;
            }
            kept += 1;
        }
        self.cells.truncate(kept * self.targets.fields);
        let names = all.iter().map(|rule| rule.field.clone()).collect();
        (Records::Rows { names, cells: self.cells }, warnings, more)
    }

    fn has_values(&self, record: usize) -> bool {
        if !self.targets.has_list {
            return self.document.iter().any(Option::is_some);
        }
        let start = record * self.targets.own_fields;
        self.ranks[start..start + self.targets.own_fields].iter().any(|rank| *rank != NONE)
    }

    /// One field of one record: its own value, or the document's when that is more preferred or the only one.
    fn typed(
        &mut self,
        (record, field): (usize, usize),
        rule: &FieldRule,
        document: &[OfDocument],
        reading: &Reading,
    ) -> (Cell, Option<String>) {
        let own = field < self.targets.own_fields;
        let rank = if own { self.ranks[record * self.targets.own_fields + field] } else { NONE };
        let there = &document[field];
        if there.rank.is_some_and(|there| there < usize::from(rank)) || rank == NONE {
            return (there.cell.clone(), there.complaint.clone());
        }
        let other = self.others.of(Owner::Record(record), field);
        match std::mem::take(&mut self.cells[record * self.targets.fields + field]) {
            Cell::Text(text) => {
                let other = other.map(|other| second(&text, other));
                let (cell, complaint) = reading.typed(text, rule.value_type);
                (cell, complaint.or(other))
            }
            Cell::Other(list) if rule.value_type == ValueType::NumberList => {
                let texts: Vec<String> = list
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|text| text.as_str().map(str::to_owned))
                    .collect();
                let (value, complaint) = reading.convert(&texts, rule.value_type);
                (Cell::from(value), complaint.or(other.map(|_| too_many())))
            }
            cell => (cell, other.map(|_| too_many())),
        }
    }
}

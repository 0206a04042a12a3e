//! The values of a request, each under its part and name, to be compared with those of others.

use std::collections::HashMap;

use countersign_effect::view::{Content, EffectView, Field, Section, SectionPart, ValueKind};

use crate::effect::values::is_json;

/// A value of a request and where it is: part, name, and which of several of that name.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// None of the path of the address, where requests differ in it.
    pub(super) part: Option<SectionPart>,
    pub(super) name: String,
    nth: usize,
}

pub(super) struct Sent {
    pub(super) field: Field,
    pub(super) in_json: bool,
    pub(super) is_block: bool,
}

impl Key {
    pub(super) fn is_header(&self) -> bool {
        self.part == Some(SectionPart::Headers)
    }

    /// Where the value is, `query` or `body, value 2`, when its name says too little: when `all` have it in several parts, or several
    /// times in one. Headers are shown apart, and are not taken for others.
    pub(super) fn place(&self, all: &[&Self]) -> Option<String> {
        let same = |other: &&&Self| {
            other.name == self.name && other.is_header() == self.is_header() && **other != self
        };
        let others: Vec<&Self> = all.iter().filter(same).copied().collect();
        let part = others.iter().any(|other| other.part != self.part);
        let nth = others.iter().any(|other| other.part == self.part);
        let part = part.then(|| self.part.map_or("address", SectionPart::as_str).to_owned());
        let nth = nth.then(|| format!("value {}", self.nth + 1));
        let place: Vec<String> = part.into_iter().chain(nth).collect();
        (!place.is_empty()).then(|| place.join(", "))
    }
}

/// Every value of a request under its key, in order.
pub(super) fn values(view: &EffectView, with_path: bool) -> Vec<(Key, Sent)> {
    let mut all = Vec::new();
    if with_path {
        let field = Field {
            name: "path".to_owned(),
            value: view.target.path.clone(),
            kind: ValueKind::Text,
        };
        all.push((
            Key { part: None, name: "path".to_owned(), nth: 0 },
            Sent { field, in_json: false, is_block: false },
        ));
    }
    all.extend(view.sections.iter().flat_map(of_section));
    all
}

fn of_section(section: &Section) -> Vec<(Key, Sent)> {
    let (fields, is_block) = match &section.content {
        Content::Fields(fields) => (fields.clone(), false),
        Content::Text(text) => (
            vec![Field { name: "body".to_owned(), value: text.clone(), kind: ValueKind::Text }],
            true,
        ),
    };
    let in_json = is_json(section) && !is_block;
    let mut count: HashMap<String, usize> = HashMap::new();
    let one = |field: Field| {
        let nth = count.entry(field.name.clone()).or_default();
        let key = Key { part: Some(section.part), name: field.name.clone(), nth: *nth };
        *nth += 1;
        (key, Sent { field, in_json, is_block })
    };
    fields.into_iter().map(one).collect()
}

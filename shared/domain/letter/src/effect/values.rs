//! The values of a section, formatted as the layout of the gate says.

use std::borrow::Cow;

use countersign_approval::{Column, Format, Layout};
use countersign_effect::view::{Content, EffectView, Field, Section, SectionPart, ValueKind};
use serde_json::Value;

use crate::currency::agreeing;
use crate::format::formatted;
use crate::preview::Cell;
use crate::text::Shown;

use super::extent::Extent;
use super::{FieldView, Weight};

/// The fields of a section, those of the layout in its order.
pub(super) fn fields(section: &Section, layout: &Layout, extent: Extent) -> Vec<FieldView> {
    let in_json = is_json(section);
    match &section.content {
        Content::Text(text) => {
            let raw = Shown::new(text, extent.room().of(text));
            let cell = Cell { raw, ..Cell::default() };
            vec![FieldView::of(&Column::of("text"), cell, Weight::Block, extent.name())]
        }
        Content::Fields(all) => {
            let own =
                if section.part == SectionPart::Headers { &Layout::default() } else { layout };
            let place = |field: &&Field| {
                own.columns.iter().position(|c| c.field == field.name).unwrap_or(usize::MAX)
            };
            let mut all: Vec<&Field> = all.iter().collect();
            all.sort_by_key(place);
            all.into_iter().map(|field| one(field, in_json, own, extent)).collect()
        }
    }
}

fn one(field: &Field, in_json: bool, layout: &Layout, extent: Extent) -> FieldView {
    let column = column(layout, &field.name);
    let cell = cell(field, in_json, &column, extent);
    FieldView::of(&column, cell, weight(layout, &field.name), extent.name())
}

pub(super) fn is_json(section: &Section) -> bool {
    section.media.as_deref().is_some_and(|media| media.contains("json"))
}

/// The value of a field. In JSON, a text that would be another kind of value without its quotes keeps them.
pub(super) fn cell(field: &Field, in_json: bool, column: &Column, extent: Extent) -> Cell {
    let looks_other =
        || serde_json::from_str::<Value>(&field.value).is_ok() || field.value.is_empty();
    let quoted = in_json && field.kind == ValueKind::Text && looks_other();
    let raw =
        if quoted { Value::from(field.value.as_str()).to_string() } else { field.value.clone() };
    let known = matches!(field.kind, ValueKind::Text | ValueKind::Number);
    Cell {
        // Data that reads like the place of a secret must not look like one.
        raw: match field.kind {
            ValueKind::Secret => Shown::secret(&raw),
            _ => Shown::new(&raw, extent.room().of(&raw)),
        },
        formatted: if known { formatted(&field.value, column) } else { None },
        ..Cell::default()
    }
}

/// The layout as far as it agrees with the currencies that the requests send.
pub(super) fn with_sent_currency<'l>(layout: &'l Layout, views: &[&EffectView]) -> Cow<'l, Layout> {
    let sections = views.iter().flat_map(|view| &view.sections);
    let fields = sections.flat_map(|section| match &section.content {
        Content::Fields(fields) => fields.as_slice(),
        Content::Text(_) => &[],
    });
    agreeing(layout, fields.map(|field| (&field.name, &field.value)))
}

pub(super) fn column(layout: &Layout, name: &str) -> Column {
    layout.column(name).cloned().unwrap_or_else(|| Column::of(name))
}

pub(super) fn weight(layout: &Layout, name: &str) -> Weight {
    let first_money = layout.columns.iter().find(|column| column.format == Format::Money);
    match layout.column(name) {
        None => Weight::Plain,
        Some(column) if first_money == Some(column) => Weight::Amount,
        Some(_) => Weight::Headline,
    }
}

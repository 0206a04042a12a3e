//! What an irreversible step will do, as a page shows it: the target first, then every value that is sent.

mod extent;
mod group;
mod strike;
mod sum;
mod values;

use countersign_approval::{Column, Layout};
use countersign_effect::view::{Account, EffectView, SectionPart};
use serde_json::Value;

use crate::preview::{Cell, StrikeMark, Table, flat, named};
use crate::text::{MAX_SHOWN, Room, Shown, share};

use self::extent::Extent;
use self::values::{column, fields, weight, with_sent_currency};

pub use group::{Requests, amounts};
pub use strike::{StrikeForm, Strikes};

/// Values of one request that are shown at once.
pub(crate) const MAX_FIELD: usize = 60;

/// Characters of the arguments of a step whose request is not known yet.
const ARGUMENT_CHARACTERS: usize = 30_000;

/// Requests of one step to one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EffectGroup {
    /// The step's name.
    pub step: Shown,
    /// What the step does, in the author's words; its name, where there are none.
    pub what: Shown,
    /// The action.
    pub action: Shown,
    /// Where it goes; none while only the step's arguments are known.
    pub target: Option<TargetView>,
    /// What is sent: of several requests, what they have in common.
    pub sections: Vec<SectionView>,
    /// What differs from request to request; none for a single one.
    pub table: Option<Table>,
    /// The headers that differ.
    pub header_table: Option<Table>,
    /// The amounts of all requests together.
    pub sum: Option<(Shown, String)>,
    /// How many requests there are in this group, shown or not.
    pub count: u64,
    /// How many of them are struck out.
    pub struck: u64,
    /// The mark of a single request among several of its step.
    pub mark: Option<StrikeMark>,
    /// The form for the marks of the step, after its last group.
    pub form: Option<StrikeForm>,
    /// Values that are left out.
    pub left_out: usize,
    /// Where all of it is: the page of the first request.
    pub url: Option<String>,
    /// Whether it cannot be undone.
    pub irreversible: bool,
}

/// Where requests go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetView {
    /// `POST`, …
    pub method: Shown,
    /// The host as it is dialled.
    pub host: Shown,
    /// The host in its own script, where that differs.
    pub unicode_host: Option<Shown>,
    /// The port, when it is not the scheme's own.
    pub port: Option<u16>,
    /// The path, where all requests have the same.
    pub path: Option<Shown>,
    /// Whether it is sent without encryption.
    pub in_clear: bool,
    /// The credential and how it is used.
    pub account: Option<Shown>,
    /// Further facts of the credential.
    pub account_details: Vec<(Shown, Shown)>,
    /// The connector and its endpoint.
    pub via: Shown,
}

/// One part of what is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionView {
    /// `Body`, `Query`, `Headers`.
    pub title: &'static str,
    /// The media type of a body.
    pub media: Option<Shown>,
    /// Its values.
    pub fields: Vec<FieldView>,
}

/// A value under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldView {
    /// What people read: the label, else the name.
    pub label: Shown,
    /// The name as it is sent, where the label differs.
    pub wire: Option<Shown>,
    /// The value.
    pub cell: Cell,
    /// How prominent it is.
    pub weight: Weight,
}

/// How prominent a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// The amount.
    Amount,
    /// A column of the gate's layout.
    Headline,
    /// Any other value.
    Plain,
    /// A text in lines, such as a body that is not made of fields.
    Block,
}

/// The step that a request belongs to.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// Its name.
    pub step: &'a str,
    /// Its description; may be empty.
    pub description: &'a str,
    /// Its action.
    pub action: &'a str,
    /// Whether it cannot be undone.
    pub irreversible: bool,
}

impl Weight {
    /// The class of the style sheet.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::Headline => "headline",
            Self::Plain => "plain",
            Self::Block => "block",
        }
    }
}

impl EffectGroup {
    /// What is known of a step before its request is: its arguments.
    #[must_use]
    pub fn stated(about: About<'_>, arguments: &Value, layout: &Layout) -> Self {
        let mut group = Self::about(about, 1);
        let paths = flat::paths(&[arguments]);
        let value = |path: &flat::Path| flat::at(arguments, &path.name).unwrap_or(&Value::Null);
        let limit = share(ARGUMENT_CHARACTERS, paths.len().min(MAX_FIELD));
        let field = |path: &flat::Path| {
            let column = column(layout, &path.name);
            let cell = Cell::head(Some(value(path)), &column, Room::Each(limit));
            FieldView::of(&column, cell, weight(layout, &path.name), limit)
        };
        let mut fields: Vec<FieldView> = paths.iter().map(field).collect();
        if paths.is_empty()
            && !arguments.is_null()
            && *arguments != Value::Object(serde_json::Map::new())
        {
            let column = Column::of("value");
            let cell = Cell::head(Some(arguments), &column, Room::Each(MAX_SHOWN));
            fields.push(FieldView::of(&column, cell, Weight::Plain, MAX_SHOWN));
        }
        group.push("Arguments", None, fields, MAX_FIELD);
        group
    }

    /// All of one request. Only of one that is full of marks, or of thousands of values, something is left out.
    #[must_use]
    pub fn whole(about: About<'_>, view: &EffectView, layout: &Layout) -> Self {
        Self::single(about, view, layout, Extent::whole(view))
    }

    pub(crate) fn single(
        about: About<'_>,
        view: &EffectView,
        layout: &Layout,
        extent: Extent,
    ) -> Self {
        let layout = &*with_sent_currency(layout, &[view]);
        let mut group = Self::about(about, 1);
        group.target = Some(TargetView::of(view, true, extent));
        for section in &view.sections {
            let fields = fields(section, layout, extent);
            let media = section.media.as_deref().map(Shown::line);
            group.push(title(section.part), media, fields, extent.fields());
        }
        group
    }

    fn about(about: About<'_>, count: u64) -> Self {
        let what = if about.description.trim().is_empty() { about.step } else { about.description };
        Self {
            step: Shown::line(about.step),
            what: Shown::prose(what, MAX_SHOWN),
            action: Shown::line(about.action),
            irreversible: about.irreversible,
            count,
            ..Self::default()
        }
    }

    /// Adds a part; what is beyond the limit of the whole request is counted.
    fn push(
        &mut self,
        title: &'static str,
        media: Option<Shown>,
        mut fields: Vec<FieldView>,
        limit: usize,
    ) {
        // Columns of the layout come first, in the order of the layout.
        fields.sort_by_key(|field| !field.is_headline());
        let shown: usize = self.sections.iter().map(|section| section.fields.len()).sum();
        let room = limit.saturating_sub(shown);
        self.left_out += fields.len().saturating_sub(room);
        fields.truncate(room);
        if !fields.is_empty() || media.is_some() {
            self.sections.push(SectionView { title, media, fields });
        }
    }

    /// Whether several requests are shown as rows.
    #[must_use]
    pub fn is_many(&self) -> bool {
        self.count > 1
    }

    /// `40 × `, of many.
    #[must_use]
    pub fn times(&self) -> String {
        if self.is_many() { format!("{} × ", self.left()) } else { String::new() }
    }

    /// Whether any value is cut.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        let media = self.sections.iter().filter_map(|section| section.media.as_ref());
        let mut values = self.sections.iter().flat_map(|section| &section.fields);
        self.left_out > 0
            || self.target.as_ref().is_some_and(TargetView::is_cut)
            || media.map(Shown::cut).any(|cut| cut > 0)
            || values.any(|field| field.label.cut() > 0 || field.cell.is_cut())
    }

    /// What it takes of a page, in characters.
    fn weight(&self) -> usize {
        let field = |field: &FieldView| {
            let wire = field.wire.as_ref().map_or(0, Shown::weight);
            field.label.weight() + wire + field.cell.raw.weight()
        };
        let rows = |table: &Table| {
            let cells = table.rows.iter().flat_map(|row| &row.cells);
            cells.map(|cell| cell.raw.weight()).sum::<usize>()
        };
        let fields = self.sections.iter().flat_map(|section| &section.fields).map(field);
        fields.sum::<usize>() + self.table.iter().chain(&self.header_table).map(rows).sum::<usize>()
    }
}

impl TargetView {
    fn of(view: &EffectView, same_path: bool, extent: Extent) -> Self {
        let target = &view.target;
        let account =
            |account: &Account| Shown::line(&format!("{} ({})", account.credential, account.auth));
        let details = |account: &Account| {
            account
                .details
                .iter()
                .map(|(name, value)| (Shown::line(name), Shown::line(value)))
                .collect()
        };
        Self {
            method: Shown::line(&target.method),
            host: Shown::line(&target.host),
            unicode_host: target.unicode_host.as_deref().map(Shown::line),
            port: target.port,
            path: same_path.then(|| Shown::new(&target.path, extent.path(&target.path))),
            in_clear: target.url.starts_with("http://"),
            account: view.account.as_ref().map(account),
            account_details: view.account.as_ref().map(details).unwrap_or_default(),
            via: Shown::line(&view.via),
        }
    }

    /// Whether some characters of it are left out.
    fn is_cut(&self) -> bool {
        let details = self.account_details.iter().flat_map(|(name, value)| [name, value]);
        let mut lines = [&self.method, &self.host, &self.via]
            .into_iter()
            .chain(&self.unicode_host)
            .chain(&self.path)
            .chain(&self.account)
            .chain(details);
        lines.any(|line| line.cut() > 0)
    }
}

impl FieldView {
    fn of(column: &Column, cell: Cell, weight: Weight, name: usize) -> Self {
        let (label, wire) = named(column, name);
        Self { label, wire, cell, weight }
    }

    /// Whether the layout names it.
    #[must_use]
    pub fn is_headline(&self) -> bool {
        matches!(self.weight, Weight::Amount | Weight::Headline)
    }
}

fn title(part: SectionPart) -> &'static str {
    match part {
        SectionPart::Body => "Body",
        SectionPart::Query => "Query",
        SectionPart::Headers => "Headers",
        SectionPart::Path => "Path",
    }
}

#[cfg(test)]
mod tests;

//! Several requests of a step: what they have in common is said once, what differs are rows.

mod amounts;
mod sent;

use std::collections::HashMap;

use countersign_approval::{Column, Layout};
use countersign_effect::view::{Content, EffectView, Section, SectionPart};
use strum::VariantArray as _;

use self::sent::{Key, Sent, values};
use super::extent::Extent;
use super::values::{cell, column, weight, with_sent_currency};
use super::{About, EffectGroup, FieldView, Strikes, TargetView, Weight, title};
use crate::preview::{Cell, HEADING_CHARACTERS, Row, Table, headings};
use crate::text::{MAX_CELL, Shown, share};

pub use amounts::amounts;

/// Requests that are shown at once.
const MAX_EFFECT: usize = 50;

/// Characters of all requests on one page.
const REQUEST_CHARACTERS: usize = 150_000;

/// All requests that one signature covers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    /// The requests by step and place.
    pub groups: Vec<EffectGroup>,
    /// How many are not shown.
    pub left_out: u64,
    /// How many of these are struck out.
    pub left_out_struck: u64,
    /// For each step with requests that are not shown, the page of the first of them.
    pub rest_urls: Vec<(Shown, String)>,
    /// What those so far take of the page, in characters.
    used: usize,
}

impl Requests {
    /// Adds the requests of a step; `total` counts those that are not among the views, too. With the address of the
    /// decision page, everything that is left out has a link.
    pub fn push(
        &mut self,
        about: About<'_>,
        views: &[EffectView],
        total: u64,
        layout: &Layout,
        page: Option<&str>,
    ) {
        self.push_struck(about, views, total, layout, page, &Strikes::default());
    }

    /// As [`Requests::push`], of a step from which requests can be struck out, or were.
    pub fn push_struck(
        &mut self,
        about: About<'_>,
        views: &[EffectView],
        total: u64,
        layout: &Layout,
        page: Option<&str>,
        strikes: &Strikes,
    ) {
        let form = format!("strike-{}", self.groups.len());
        let layout = &*with_sent_currency(layout, &views.iter().collect::<Vec<_>>());
        let room = MAX_EFFECT.saturating_sub(self.shown());
        let url = |n: usize| page.map(|page| format!("{page}/effects/{}/{n}", about.step));
        let shown = room.min(views.len());
        let numbered: Vec<(usize, &EffectView)> = (1..).zip(views).collect();
        let values: usize = views.iter().take(shown).map(value_count).sum();
        let extent = Extent::Head(share(REQUEST_CHARACTERS.saturating_sub(self.used), values));
        for (key, all) in by_place(&numbered) {
            let kept: Vec<(usize, &EffectView)> =
                all.iter().copied().filter(|(n, _)| *n <= shown).collect();
            let Some(&(first, view)) = kept.first() else { continue };
            let mut group = match all.len() {
                1 => EffectGroup::single(about, view, layout, extent),
                _ => many(about, &kept, &all, layout, &url, (key.same_path, extent), strikes),
            };
            group.url = url(first);
            group.struck = strikes.among(all.iter().map(|(n, _)| *n as u64));
            if total > 1 {
                group.mark(first as u64, strikes, &form);
            }
            self.used += group.weight();
            self.groups.push(group);
        }
        if let Some(page) = page.filter(|_| strikes.open && total > 1 && shown > 0) {
            self.add_form(&form, about.step, shown as u64, page);
        }
        let left_out = total.saturating_sub(shown as u64);
        if left_out > 0 {
            self.rest_urls.extend(url(shown + 1).map(|url| (Shown::line(about.step), url)));
        }
        self.left_out += left_out;
        self.left_out_struck += strikes.among((shown as u64 + 1)..=total);
    }

    /// Adds what is known of a step before its request is.
    pub fn state(&mut self, group: EffectGroup) {
        self.groups.push(group);
    }

    /// How many are neither shown nor struck out, in groups of three digits.
    #[must_use]
    pub fn rest(&self) -> String {
        crate::text::grouped(&self.left_out.saturating_sub(self.left_out_struck).to_string())
    }

    /// Whether nothing irreversible is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.left_out == 0
    }

    /// How many requests are left that cannot be undone.
    #[must_use]
    pub fn irreversible(&self) -> u64 {
        let shown = self.groups.iter().filter(|group| group.irreversible);
        let shown: u64 = shown.map(EffectGroup::shown_left).sum();
        shown + self.left_out.saturating_sub(self.left_out_struck)
    }

    /// How many requests are struck out.
    #[must_use]
    pub fn struck(&self) -> u64 {
        let shown: u64 = self.groups.iter().map(EffectGroup::shown_struck).sum();
        shown + self.left_out_struck
    }

    fn shown(&self) -> usize {
        self.groups.iter().map(|group| usize::try_from(group.rows()).unwrap_or(usize::MAX)).sum()
    }
}

impl EffectGroup {
    /// How many requests it shows.
    fn rows(&self) -> u64 {
        self.table.as_ref().map_or(1, |table| table.rows.len() as u64)
    }
}

/// How many values of a request can be shown.
fn value_count(view: &EffectView) -> usize {
    let count = |section: &Section| match &section.content {
        Content::Fields(fields) => fields.len(),
        Content::Text(_) => 1,
    };
    view.sections.iter().map(count).sum::<usize>().min(super::MAX_FIELD)
}

/// What requests of one group have in common.
struct Place {
    same_path: bool,
}

type Numbered<'v> = Vec<(usize, &'v EffectView)>;

/// The requests by method, host, credential and endpoint, in the order the places are first met.
fn by_place<'v>(views: &[(usize, &'v EffectView)]) -> Vec<(Place, Numbered<'v>)> {
    let mut groups: Vec<(String, Numbered<'v>)> = Vec::new();
    let mut at: HashMap<String, usize> = HashMap::new();
    for &(n, view) in views {
        let key = place(view);
        let index = *at.entry(key.clone()).or_insert(groups.len());
        if index == groups.len() {
            groups.push((key, Vec::new()));
        }
        if let Some((_, members)) = groups.get_mut(index) {
            members.push((n, view));
        }
    }
    let done = |(_, members): (String, Numbered<'v>)| {
        let mut paths = members.iter().map(|(_, view)| &view.target.path);
        let first = paths.next();
        let same_path = paths.all(|path| Some(path) == first);
        (Place { same_path }, members)
    };
    groups.into_iter().map(done).collect()
}

fn place(view: &EffectView) -> String {
    let target = &view.target;
    let scheme = target.url.split("://").next().unwrap_or_default();
    // The boundary of a body of several parts is made of what they hold.
    let media = view.sections.iter().find_map(|section| section.media.as_deref());
    let media = media.map(|media| media.split("; boundary=").next());
    format!(
        "{:?}",
        (scheme, &target.method, &target.host, target.port, &view.account, &view.via, media)
    )
}

fn many(
    about: About<'_>,
    kept: &[(usize, &EffectView)],
    all: &[(usize, &EffectView)],
    layout: &Layout,
    url: &dyn Fn(usize) -> Option<String>,
    (same_path, extent): (bool, Extent),
    strikes: &Strikes,
) -> EffectGroup {
    let mut group = EffectGroup::about(about, all.len() as u64);
    group.target = all.first().map(|(_, view)| TargetView::of(view, same_path, extent));
    let sent: Vec<HashMap<Key, Sent>> =
        all.iter().map(|(_, view)| values(view, !same_path).into_iter().collect()).collect();
    let (common, differing) = split(all, &sent, same_path, layout);
    for &part in SectionPart::VARIANTS {
        let fields = common.iter().filter(|key| key.part == Some(part));
        let fields: Vec<FieldView> = fields
            .filter_map(|key| Some(common_field(key, sent.first()?.get(key)?, layout, extent)))
            .collect();
        let media = all.first().and_then(|(_, view)| media(view, part));
        if !fields.is_empty() {
            group.push(title(part), media, fields, super::MAX_FIELD);
        }
    }
    let (headers, rest): (Vec<&Key>, Vec<&Key>) = differing.iter().partition(|key| key.is_header());
    group.sum = amounts::total(&rest, &amounts::left(all, &sent, strikes), layout);
    let names: Vec<&Key> = common.iter().chain(&differing).collect();
    let rows = Rows { kept, all, sent: &sent, names: &names, layout, url, extent };
    let columns = (MAX_CELL / kept.len().max(1)).min(super::MAX_FIELD);
    let most = |keys: &[&Key]| columns.min(keys.len());
    group.left_out += rest.len() - most(&rest) + headers.len() - most(&headers);
    group.table = Some(rows.table(rest.get(..most(&rest)).unwrap_or_default()));
    let headers = headers.get(..most(&headers)).unwrap_or_default();
    group.header_table = (!headers.is_empty()).then(|| rows.table(headers));
    group
}

fn media(view: &EffectView, part: SectionPart) -> Option<Shown> {
    let section = view.sections.iter().find(|section| section.part == part)?;
    section.media.as_deref().map(Shown::line)
}

/// The keys whose values are equal in all requests, and the others; those of the layout first.
fn split(
    all: &[(usize, &EffectView)],
    sent: &[HashMap<Key, Sent>],
    same_path: bool,
    layout: &Layout,
) -> (Vec<Key>, Vec<Key>) {
    let mut seen = std::collections::HashSet::new();
    let keys = all.iter().flat_map(|(_, view)| values(view, !same_path)).map(|(key, _)| key);
    let mut keys: Vec<Key> = keys.filter(|key| seen.insert(key.clone())).collect();
    let place = |key: &Key| {
        let named = layout.columns.iter().position(|column| column.field == key.name);
        named.filter(|_| !key.is_header()).unwrap_or(usize::MAX)
    };
    keys.sort_by_key(place);
    let is_common = |key: &Key| {
        let mut fields = sent.iter().map(|request| request.get(key).map(|sent| &sent.field));
        let first = fields.next().flatten();
        first.is_some() && fields.all(|field| field == first)
    };
    keys.into_iter().partition(is_common)
}

fn common_field(key: &Key, sent: &Sent, layout: &Layout, extent: Extent) -> FieldView {
    let is_header = key.is_header();
    let column = if is_header { Column::of(&key.name) } else { column(layout, &key.name) };
    let weight = match (is_header, sent.is_block) {
        (_, true) => Weight::Block,
        (true, _) => Weight::Plain,
        _ => weight(layout, &key.name),
    };
    let cell = cell(&sent.field, sent.in_json, &column, extent);
    FieldView::of(&column, cell, weight, extent.name())
}

struct Rows<'r> {
    kept: &'r [(usize, &'r EffectView)],
    all: &'r [(usize, &'r EffectView)],
    sent: &'r [HashMap<Key, Sent>],
    /// Every value of the requests, shown here or not.
    names: &'r [&'r Key],
    layout: &'r Layout,
    url: &'r dyn Fn(usize) -> Option<String>,
    extent: Extent,
}

impl Rows<'_> {
    fn table(&self, keys: &[&Key]) -> Table {
        let columns: Vec<Column> = keys.iter().map(|key| column(self.layout, &key.name)).collect();
        let columns: Vec<&Column> = columns.iter().collect();
        // A small screen repeats the heading in each row.
        let heading = share(HEADING_CHARACTERS, columns.len() * self.kept.len());
        let mut headings = headings(&columns, heading);
        for (heading, key) in headings.iter_mut().zip(keys) {
            heading.place = key.place(self.names);
        }
        let row = |&(n, _): &(usize, &EffectView)| Row {
            number: n as u64,
            cells: keys
                .iter()
                .zip(&columns)
                .map(|(key, column)| self.cell(n, key, column))
                .collect(),
            url: (self.url)(n),
            ..Row::default()
        };
        Table { headings, rows: self.kept.iter().map(row).collect(), ..Table::default() }
    }

    fn cell(&self, n: usize, key: &Key, column: &Column) -> Cell {
        let at = self.all.iter().position(|(number, _)| *number == n);
        match at.and_then(|at| self.sent.get(at)).and_then(|request| request.get(key)) {
            Some(sent) if sent.is_block => {
                let value = &sent.field.value;
                let raw = Shown::new(value, self.extent.room().of(value));
                Cell { raw, ..Cell::default() }
            }
            Some(sent) => cell(&sent.field, sent.in_json, column, self.extent),
            None => Cell { missing: true, ..Cell::default() },
        }
    }
}

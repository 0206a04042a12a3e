//! Rows as a table: chosen columns, or all of them by rule; two records of a row side by side.

use std::borrow::Cow;

use countersign_approval::{Column, Format, Layout, is_doubtful};
use serde_json::Value;

use super::cell::Cell;
use super::flat::Path;
use super::strike_mark::StrikeMark;
use super::{flat, pair};
use crate::currency::agreeing;
use crate::text::{MAX_CELL, Room, Shown, share};

/// Columns of a preview that nobody laid out.
const MAX_COLUMN: usize = 60;
/// So many cards repeat the names of their fields on a small screen.
const LABELLED: usize = 12;
/// Cards of more fields repeat their names, however many cards there are.
const COMPACT_COLUMNS: usize = 5;
/// Characters of a preview on the page of the decision.
const HEAD_CHARACTERS: usize = 100_000;
/// Characters of one page of all rows.
const WHOLE_CHARACTERS: usize = 300_000;
/// Cells of one page of all rows.
const WHOLE_CELLS: usize = 10_000;
/// Characters of all headings of a table, one for each cell.
pub(crate) const HEADING_CHARACTERS: usize = 50_000;

/// The heading of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// What people read: the label, else the field.
    pub label: Shown,
    /// The field, where the label differs.
    pub field: Option<Shown>,
    /// Where the value is, when several have this name.
    pub place: Option<String>,
    /// What the column is on a small screen.
    pub role: Role,
}

/// What a column is on a small screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Begins the card.
    Lead,
    /// The amount: ends the first line of the card.
    Amount,
    /// Follows below.
    Rest,
}

/// A row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Its number in what is signed, from 1.
    pub number: u64,
    /// Whether it asks for a look.
    pub doubtful: bool,
    /// Its cells, one for each heading.
    pub cells: Vec<Cell>,
    /// The lines of a comparison.
    pub lines: Vec<Line>,
    /// Where all of it is.
    pub url: Option<String>,
    /// Whether it can be struck out, or was.
    pub mark: Option<StrikeMark>,
}

/// One field of both records compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The field's heading.
    pub heading: Heading,
    /// The value on the left.
    pub left: Cell,
    /// The value on the right.
    pub right: Cell,
    /// Whether both sides have the same value, the part that is not shown too.
    pub is_same: bool,
}

/// Rows of equal width.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The headings; those of a comparison stand at its lines.
    pub headings: Vec<Heading>,
    /// The names of the two sides, where every row compares two records.
    pub sides: Option<(Shown, Shown)>,
    /// The rows, in the order they are shown.
    pub rows: Vec<Row>,
    /// Fields that are not shown.
    pub fields_left_out: usize,
    /// Fields that begin with `_` and are not shown.
    pub internal_left_out: usize,
    /// Whether doubtful rows were moved to the front.
    pub reordered: bool,
}

impl Role {
    /// The class of the style sheet.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Lead => "lead-cell",
            Self::Amount => "amount-cell",
            Self::Rest => "rest-cell",
        }
    }
}

impl Row {
    /// Who struck it out, and when.
    #[must_use]
    pub fn struck_by(&self) -> Option<&Shown> {
        self.mark.as_ref()?.by.as_ref()
    }
}

impl Heading {
    pub(crate) fn of(column: &Column, limit: usize) -> Self {
        let (label, field) = named(column, limit);
        Self { label, field, place: None, role: Role::Rest }
    }

    /// The label with the place, without markup: for attributes.
    #[must_use]
    pub fn plain(&self) -> String {
        let label = self.label.plain();
        match &self.place {
            Some(place) => format!("{label} ({place})"),
            None => label,
        }
    }
}

/// What a column is called, and its field where that has another name.
pub(crate) fn named(column: &Column, limit: usize) -> (Shown, Option<Shown>) {
    let label = column.label.as_deref().filter(|label| *label != column.field);
    let field = label.map(|_| Shown::new(&column.field, limit));
    (Shown::new(label.unwrap_or(&column.field), limit), field)
}

/// The headings of these columns; the first amount and the first other column have their roles.
pub(crate) fn headings(columns: &[&Column], limit: usize) -> Vec<Heading> {
    let mut headings: Vec<Heading> =
        columns.iter().map(|column| Heading::of(column, limit)).collect();
    let money = |column: &&&Column| column.format == Format::Money;
    let amount = columns.iter().position(|column| money(&column));
    let lead = columns.iter().position(|column| !money(&column));
    for (at, role) in [(amount, Role::Amount), (lead, Role::Lead)] {
        if let Some(heading) = at.and_then(|at| headings.get_mut(at)) {
            heading.role = role;
        }
    }
    headings
}

/// How much of each row a table shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What fits a decision: chosen columns, cut cells, doubtful rows first.
    Head,
    /// Every field, in the order that is signed.
    Whole,
}

impl Table {
    /// The table of some rows, of which the first has this number.
    pub(super) fn of(rows: &[&Value], first: u64, layout: &Layout, extent: Extent) -> Self {
        let paths = flat::paths(rows);
        let layout = &*agreed(rows, &paths, layout);
        let chosen = Chosen::of(rows, layout, extent, paths);
        let cells = rows.len() * chosen.columns.len();
        let room = match extent {
            Extent::Head => Room::Each(share(HEAD_CHARACTERS, cells)),
            Extent::Whole => Room::Part { page: WHOLE_CHARACTERS, all: characters(rows) },
        };
        let values = Values { extent, room };
        let name = share(HEADING_CHARACTERS, cells);
        let sides = pair::sides(rows);
        let (pairs, single) = match &sides {
            Some((left, right)) => paired(&chosen.columns, left, right),
            None => (Vec::new(), chosen.columns.iter().collect()),
        };
        let sides = sides.filter(|_| !pairs.is_empty());
        let headings = headings(&single, name);
        let row = |(n, row): (u64, &&Value)| Row {
            number: first + n,
            doubtful: is_doubtful(row),
            cells: single.iter().map(|column| values.in_row(row, column)).collect(),
            lines: pairs.iter().map(|pair| values.line(row, pair, name)).collect(),
            url: None,
            mark: None,
        };
        let mut table = Self {
            headings,
            sides: sides.map(|(left, right)| (Shown::line(&left), Shown::line(&right))),
            rows: (0..).zip(rows).map(row).collect(),
            fields_left_out: chosen.left_out,
            internal_left_out: chosen.internal,
            reordered: false,
        };
        if extent == Extent::Head {
            table.doubtful_first();
        }
        table
    }

    /// Whether a small screen names the fields once, above the cards, instead of in each.
    #[must_use]
    pub fn is_compact(&self) -> bool {
        self.rows.len() > LABELLED && self.headings.len() <= COMPACT_COLUMNS
    }

    /// The cells of a row under their headings.
    pub fn cells<'t>(&'t self, row: &'t Row) -> impl Iterator<Item = (&'t Heading, &'t Cell)> {
        self.headings.iter().zip(&row.cells)
    }

    /// The column that says who struck a row out: the one a small screen begins with.
    #[must_use]
    pub fn lead(&self) -> usize {
        self.headings.iter().position(|heading| heading.role == Role::Lead).unwrap_or_default()
    }

    /// Whether the reader may mark rows.
    #[must_use]
    pub fn has_boxes(&self) -> bool {
        let mut marks = self.rows.iter().filter_map(|row| row.mark.as_ref());
        marks.any(|mark| mark.form.is_some())
    }

    fn doubtful_first(&mut self) {
        self.reordered = !self.rows.is_sorted_by_key(|row| !row.doubtful);
        self.rows.sort_by_key(|row| !row.doubtful);
    }
}

/// The layout, without its currencies where a row names another one.
pub(super) fn agreed<'l>(rows: &[&Value], paths: &[Path], layout: &'l Layout) -> Cow<'l, Layout> {
    agreeing(layout, paths.iter().flat_map(|path| texts(rows, path)))
}

/// The texts of all rows in this field, each with its name.
fn texts<'v>(rows: &[&'v Value], path: &'v Path) -> impl Iterator<Item = (&'v str, &'v str)> {
    let texts = rows.iter().filter_map(|row| flat::at(row, &path.name)?.as_str());
    texts.map(|text| (path.name.as_str(), text))
}

/// The characters of rows, as JSON: at least those of their values.
fn characters(rows: &[&Value]) -> usize {
    rows.iter().map(|row| row.to_string().chars().count()).sum()
}

/// The columns of a table and how many fields are none.
struct Chosen {
    columns: Vec<Column>,
    left_out: usize,
    internal: usize,
}

impl Chosen {
    fn of(rows: &[&Value], layout: &Layout, extent: Extent, paths: Vec<Path>) -> Self {
        if paths.is_empty() {
            return Self { columns: vec![Column::of("value")], left_out: 0, internal: 0 };
        }
        let known =
            |column: &&Column| rows.iter().any(|row| flat::at(row, &column.field).is_some());
        let mut columns: Vec<Column> = layout.columns.iter().filter(known).cloned().collect();
        let laid_out = !columns.is_empty();
        let (mut left_out, mut internal) = (0, 0);
        let most = match extent {
            Extent::Head => MAX_COLUMN.min(MAX_CELL / rows.len().max(1)),
            Extent::Whole => WHOLE_CELLS / rows.len().max(1),
        };
        for path in paths {
            if layout.column(&path.name).is_some() {
                continue;
            }
            match extent {
                Extent::Head if path.internal => internal += 1,
                Extent::Head if laid_out => left_out += 1,
                _ if columns.len() >= most => left_out += 1,
                _ => columns.push(Column::of(&path.name)),
            }
        }
        Self { columns, left_out, internal }
    }
}

/// A field of both sides, or of one.
type Pair<'c> = (Column, String, String, Option<&'c Column>);

/// Columns of both sides as pairs, and the rest.
fn paired<'c>(columns: &'c [Column], left: &str, right: &str) -> (Vec<Pair<'c>>, Vec<&'c Column>) {
    let below = |column: &Column, side: &str| -> Option<String> {
        column
            .field
            .strip_prefix(side)
            .filter(|rest| rest.starts_with(['.', '[']))
            .map(str::to_owned)
    };
    let named =
        |side: &str, rest: &str| columns.iter().find(|c| c.field == format!("{side}{rest}"));
    let (mut pairs, mut single) = (Vec::<Pair<'_>>::new(), Vec::new());
    for column in columns {
        match (below(column, left), below(column, right)) {
            (Some(rest), _) => pairs.push(pair_of(column, named(right, &rest), left, right, &rest)),
            (_, Some(rest)) if named(left, &rest).is_none() => {
                pairs.push(pair_of(column, None, left, right, &rest));
            }
            (_, Some(_)) => {}
            (None, None) => single.push(column),
        }
    }
    (pairs, single)
}

fn pair_of<'c>(
    column: &Column,
    other: Option<&'c Column>,
    left: &str,
    right: &str,
    rest: &str,
) -> Pair<'c> {
    let field = rest.strip_prefix('.').unwrap_or(rest).to_owned();
    let label = match (&column.label, other.and_then(|other| other.label.as_ref())) {
        (Some(own), Some(other)) if own != other => Some(format!("{own} / {other}")),
        (own, _) => own.clone(),
    };
    (
        Column { field, label, ..column.clone() },
        format!("{left}{rest}"),
        format!("{right}{rest}"),
        other,
    )
}

/// How the values of a table are written.
#[derive(Debug, Clone, Copy)]
struct Values {
    extent: Extent,
    room: Room,
}

impl Values {
    fn cell(self, value: Option<&Value>, column: &Column) -> Cell {
        match self.extent {
            Extent::Head => Cell::head(value, column, self.room),
            Extent::Whole => Cell::whole(value, column, self.room),
        }
    }

    /// The cell of a row; a row that is not a record among records is told in the first column.
    fn in_row(self, row: &Value, column: &Column) -> Cell {
        if row.is_object() {
            return self.cell(flat::at(row, &column.field), column);
        }
        self.cell(Some(row), &Column::of(""))
    }

    fn line(self, row: &Value, (column, left, right, other): &Pair<'_>, name: usize) -> Line {
        let (left, right) = (flat::at(row, left), flat::at(row, right));
        Line {
            heading: Heading::of(column, name),
            left: self.cell(left, column),
            right: self.cell(right, other.unwrap_or(column)),
            is_same: left == right,
        }
    }
}

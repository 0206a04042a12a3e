//! Tables of HTML pages. The page's whole tree is held, so pages are bounded in size, and the tree while it grows.

use std::collections::HashMap;
use std::io::Read;
use std::rc::Rc;

use countersign_connector::{HtmlRules, Pick};
use countersign_pages::{Bounds, PageLimit, Stopped, is_apart, is_unread, tree};
use scraper::{ElementRef, Html, Node, Selector};
use serde_json::Value;

use crate::Extraction;
use crate::error::FormatError;
use crate::limits::{Limits, Stop};
use crate::table::{Row, Table};
use crate::text::Text;
use crate::whole;

/// How large the tree of a page may grow.
const BOUNDS: Bounds = Bounds { nodes: 3_000_000, attributes: 6_000_000, levels: 512 };
/// Columns or rows one cell may span.
const MAX_SPAN: usize = 1_000;
/// Elements that end a word. A footnote's mark is not part of the amount before it.
const BLOCKS: [&str; 19] = [
    "br", "p", "div", "li", "ul", "ol", "tr", "td", "th", "table", "h1", "h2", "h3", "h4", "h5",
    "h6", "hr", "dd", "sup",
];

pub(crate) fn read(
    rules: &HtmlRules,
    source: impl Read,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let bytes = whole::bytes(source, limits.max_bytes)?;
    FormatError::bound(bytes.len() as u64, limits.max_page_bytes, "bytes of one page", || {
        "its end".to_owned()
    })?;
    let declared = declared_encoding(&bytes);
    let encoding = declared.as_deref().or(rules.encoding.as_deref());
    let mut text = Text::new(&bytes[..], encoding, limits.max_bytes);
    let mut page = String::new();
    while text.append(&mut page)? {}
    if page.trim().is_empty() {
        return Err(FormatError::Empty);
    }
    let page =
        tree(&page, &BOUNDS, &|| !stop.is_set()).map_err(|stopped| refused(&page, stopped))?;
    let element = chosen(rules.pick.as_ref(), &page)?;
    let mut table = Table::new(&rules.table, limits);
    let mut carried: HashMap<usize, (Rc<str>, usize)> = HashMap::new();
    for (index, row) in rows(element).enumerate() {
        stop.check()?;
        let number = index as u64 + 1;
        let cells = Cells(cells(row, &mut carried, limits.max_columns));
        table.row(number, &cells, || format!("row {number} of the table"))?;
    }
    if let Some(message) = others(rules.pick.as_ref(), &page, element) {
        table.warn_last(message);
    }
    table.finish()
}

/// That other tables have rows of data, when nobody has chosen the one that was read. Tables inside it belong to it, and a table
/// around others only places them.
fn others(pick: Option<&Pick>, page: &Html, read: ElementRef<'_>) -> Option<String> {
    let tables = Selector::parse("table").ok().filter(|_| pick.is_none())?;
    let is_seen = |table: &ElementRef<'_>| {
        let above = table.ancestors().filter_map(ElementRef::wrap);
        !above
            .chain([*table])
            .any(|element| element.id() == read.id() || is_unread(element.value()))
    };
    let is_other = |table: &ElementRef<'_>| {
        is_seen(table)
            && table.select(&tables).next().is_none()
            && rows(*table).filter(has_data).nth(1).is_some()
    };
    let count = page.select(&tables).filter(is_other).count();
    (count > 0).then(|| {
        let (others, have) = if count == 1 { ("1 other".to_owned(), "has") } else { (format!("{count} others"), "have") };
        format!("only the first table was read, and {others} of the page {have} rows too; `table` in the connector chooses one")
    })
}

fn has_data(row: &ElementRef<'_>) -> bool {
    row.child_elements()
        .filter(|cell| cell.value().name() == "td")
        .any(|cell| cell.text().any(|text| !text.trim().is_empty()))
}

/// The `charset` a page names in its first bytes.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    let (_, after) = head.split_once("charset")?;
    let value = after.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end = value.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | ':'))?;
    let name = &value[..end];
    // The bytes of the declaration could not be read if it were wide.
    let label = encoding_rs::Encoding::for_label_no_replacement(name.as_bytes())?;
    label.is_ascii_compatible().then(|| label.name().to_owned())
}

/// What is too much of a page, and where.
fn refused(page: &str, stopped: Stopped) -> FormatError {
    let (what, limit) = match stopped.why {
        PageLimit::Time => return FormatError::Time,
        PageLimit::Nodes => ("elements and texts", BOUNDS.nodes),
        PageLimit::Attributes => ("attributes in all, or 1000 in one element,", BOUNDS.attributes),
        PageLimit::Levels => ("elements inside each other", BOUNDS.levels),
    };
    let line = memchr::memchr_iter(b'\n', &page.as_bytes()[..stopped.at]).count() + 1;
    FormatError::Limit { place: format!("line {line}"), what: what.into(), limit: limit as u64 }
}

/// The table that is meant.
fn chosen<'p>(pick: Option<&Pick>, page: &'p Html) -> Result<ElementRef<'p>, FormatError> {
    let parse = |text: &str| {
        Selector::parse(text)
            .map_err(|_| FormatError::WrongKind(format!("`table` is not a CSS selector: `{text}`")))
    };
    let tables = parse("table")?;
    let (found, wanted) = match pick {
        None => (page.select(&tables).next(), "no table".to_owned()),
        Some(Pick::Number(number)) => {
            (page.select(&tables).nth(*number as usize - 1), format!("no table {number}"))
        }
        Some(Pick::Name(text)) => {
            let selector = parse(text)?;
            let inside = |element: ElementRef<'p>| {
                if element.value().name() == "table" {
                    Some(element)
                } else {
                    element.select(&tables).next()
                }
            };
            (page.select(&selector).find_map(inside), format!("no table at `{text}`"))
        }
    };
    found.ok_or_else(|| {
        let count = page.select(&tables).count();
        FormatError::WrongKind(format!("the page has {wanted}; it has {count} tables"))
    })
}

/// The rows of a table, without those of tables inside it.
fn rows(table: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    table.child_elements().flat_map(|child| {
        let is_row = child.value().name() == "tr";
        let group = matches!(child.value().name(), "thead" | "tbody" | "tfoot");
        let own = is_row.then_some(child);
        let inner = group.then(|| child.child_elements()).into_iter().flatten();
        own.into_iter().chain(inner.filter(|row| row.value().name() == "tr"))
    })
}

/// The texts of a row, where each cell stands as often as it spans columns and rows, and whether it is such a copy.
fn cells(
    row: ElementRef<'_>,
    carried: &mut HashMap<usize, (Rc<str>, usize)>,
    max_columns: usize,
) -> Vec<(Rc<str>, bool)> {
    let mut all = Vec::new();
    for cell in row.child_elements().filter(|one| matches!(one.value().name(), "td" | "th")) {
        from_above(&mut all, carried);
        let span = |name| {
            let asked = cell.attr(name).and_then(|text| text.trim().parse::<usize>().ok());
            asked.unwrap_or(1).clamp(1, MAX_SPAN)
        };
        let (wide, high, text) = (span("colspan"), span("rowspan"), Rc::<str>::from(text(cell)));
        for nth in 0..wide {
            if high > 1 {
                carried.insert(all.len(), (text.clone(), high - 1));
            }
            all.push((text.clone(), nth > 0));
        }
        // One more than is allowed is enough for the table to refuse the row.
        if all.len() > max_columns {
            break;
        }
    }
    from_above(&mut all, carried);
    all
}

/// Adds the cells of rows above that span this row and come next.
fn from_above(all: &mut Vec<(Rc<str>, bool)>, carried: &mut HashMap<usize, (Rc<str>, usize)>) {
    while let Some((text, left)) = carried.get_mut(&all.len()) {
        let (text, last) = (text.clone(), *left == 1);
        *left -= 1;
        if last {
            carried.remove(&all.len());
        }
        all.push((text, true));
    }
}

/// The text of a cell: a line break ends a word, emphasis does not.
fn text(cell: ElementRef<'_>) -> String {
    let mut out = String::new();
    let mut skipped = None;
    for edge in cell.traverse() {
        let (node, opens) = match edge {
            ego_tree::iter::Edge::Open(node) => (node, true),
            ego_tree::iter::Edge::Close(node) => (node, false),
        };
        if skipped.is_some() {
            if !opens && skipped == Some(node.id()) {
                skipped = None;
            }
            continue;
        }
        match node.value() {
            Node::Text(text) if opens => out.push_str(text),
            Node::Element(element) if opens && is_unread(element) => skipped = Some(node.id()),
            Node::Element(element) if opens && is_apart(element, &out) => out.push(' '),
            Node::Element(element) if BLOCKS.contains(&element.name()) => out.push(' '),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts of a row, and whether each is a copy.
struct Cells(Vec<(Rc<str>, bool)>);

impl Row for Cells {
    fn width(&self) -> usize {
        self.0.len()
    }

    fn text(&self, index: usize) -> String {
        self.0.get(index).map(|(text, _)| text.to_string()).unwrap_or_default()
    }

    fn value(&self, index: usize) -> Value {
        match self.0.get(index) {
            Some((text, _)) if !text.is_empty() => Value::from(&**text),
            _ => Value::Null,
        }
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|(text, _)| text.is_empty())
    }

    fn is_copy(&self, index: usize) -> bool {
        self.0.get(index).is_some_and(|(_, is_copy)| *is_copy)
    }
}

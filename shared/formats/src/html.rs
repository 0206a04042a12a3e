//! Tables of HTML pages. The page's whole tree is held, so pages are bounded in size and in nesting before that.

use std::collections::HashMap;
use std::io::Read;
use std::rc::Rc;

use countersign_connector::{HtmlRules, Pick};
use scraper::{ElementRef, Html, Node, Selector};
use serde_json::Value;

use crate::Extraction;
use crate::error::FormatError;
use crate::limits::{Limits, Stop};
use crate::table::{Row, Table};
use crate::text::Text;
use crate::whole;

/// Elements that may be open inside each other; the parser's work grows with the square of it.
const MAX_OPEN: usize = 2_000;
/// Columns or rows one cell may span.
const MAX_SPAN: usize = 1_000;
/// Elements a page may leave open without nesting.
const CLOSED_BY_NEXT: [&str; 13] = [
    "p", "li", "td", "th", "tr", "tbody", "thead", "tfoot", "option", "dt", "dd", "colgroup",
    "optgroup",
];
/// Elements that hold nothing.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// Elements that end a word.
const BLOCKS: [&str; 18] = [
    "br", "p", "div", "li", "ul", "ol", "tr", "td", "th", "table", "h1", "h2", "h3", "h4", "h5",
    "h6", "hr", "dd",
];

pub(crate) fn read(
    rules: &HtmlRules,
    source: impl Read,
    limits: &Limits,
    stop: &Stop,
) -> Result<Extraction, FormatError> {
    let bytes = whole::bytes(source, limits.max_bytes)?;
    if bytes.len() as u64 > limits.max_page_bytes {
        let (what, limit) = ("bytes of one page", limits.max_page_bytes);
        return Err(FormatError::Limit { place: "its end".to_owned(), what, limit });
    }
    let declared = declared_encoding(&bytes);
    let encoding = declared.as_deref().or(rules.encoding.as_deref());
    let mut text = Text::new(&bytes[..], encoding, limits.max_bytes);
    let mut page = String::new();
    while text.append(&mut page)? {}
    if page.trim().is_empty() {
        return Err(FormatError::Empty);
    }
    check_nesting(&page)?;
    stop.check()?;
    let page = Html::parse_document(&page);
    let element = chosen(rules.pick.as_ref(), &page)?;
    let mut table = Table::new(&rules.table, limits);
    let mut carried: HashMap<usize, (Rc<str>, usize)> = HashMap::new();
    for (index, row) in rows(element).enumerate() {
        stop.check()?;
        let number = index as u64 + 1;
        let cells = Cells(cells(row, &mut carried, limits.max_columns));
        table.row(number, &cells, || format!("row {number} of the table"))?;
    }
    table.finish()
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

/// Counts elements that are open at the same time, as far as that can be seen without parsing.
fn check_nesting(page: &str) -> Result<(), FormatError> {
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut all, mut line) = (0, 1);
    let mut rest = page;
    while let Some(at) = memchr::memchr2(b'<', b'\n', rest.as_bytes()) {
        let is_line = rest.as_bytes()[at] == b'\n';
        rest = &rest[at + 1..];
        if is_line {
            line += 1;
            continue;
        }
        let (closes, tag) = rest.strip_prefix('/').map_or((false, rest), |tag| (true, tag));
        let end = tag.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>' | '<'));
        let Some(name) = tag.get(..end.unwrap_or(tag.len()).min(32)).map(str::to_ascii_lowercase)
        else {
            continue;
        };
        let nests = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && !CLOSED_BY_NEXT.contains(&name.as_str())
            && !VOID.contains(&name.as_str());
        if !nests {
            continue;
        }
        let count = open.entry(name).or_default();
        if !closes {
            *count += 1;
            all += 1;
        } else if *count > 0 {
            *count -= 1;
            all -= 1;
        }
        if all > MAX_OPEN || open.len() > MAX_OPEN {
            let (what, limit) = ("elements inside each other", MAX_OPEN as u64);
            return Err(FormatError::Limit { place: format!("line {line}"), what, limit });
        }
    }
    Ok(())
}

/// The table that is meant.
fn chosen<'p>(pick: Option<&Pick>, page: &'p Html) -> Result<ElementRef<'p>, FormatError> {
    let parse = |text: &str| {
        Selector::parse(text).map_err(|error| {
            FormatError::WrongKind(format!("`table` is not a CSS selector: `{text}`: {error}"))
        })
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

/// The texts of a row, where each cell stands as often as it spans columns and rows.
fn cells(
    row: ElementRef<'_>,
    carried: &mut HashMap<usize, (Rc<str>, usize)>,
    max_columns: usize,
) -> Vec<Rc<str>> {
    let mut all: Vec<Rc<str>> = Vec::new();
    let from_above = |all: &mut Vec<Rc<str>>, carried: &mut HashMap<usize, (Rc<str>, usize)>| {
        while let Some((text, left)) = carried.get_mut(&all.len()) {
            let (text, last) = (text.clone(), *left == 1);
            *left -= 1;
            if last {
                carried.remove(&all.len());
            }
            all.push(text);
        }
    };
    for cell in row.child_elements().filter(|one| matches!(one.value().name(), "td" | "th")) {
        from_above(&mut all, carried);
        let span = |name| {
            let asked = cell.attr(name).and_then(|text| text.trim().parse::<usize>().ok());
            asked.unwrap_or(1).clamp(1, MAX_SPAN)
        };
        let (wide, high, text) = (span("colspan"), span("rowspan"), Rc::<str>::from(text(cell)));
        for _ in 0..wide {
            if high > 1 {
                carried.insert(all.len(), (text.clone(), high - 1));
            }
            all.push(text.clone());
        }
        // One more than is allowed is enough for the table to refuse the row.
        if all.len() > max_columns {
            break;
        }
    }
    from_above(&mut all, carried);
    all
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
            Node::Element(element) if matches!(element.name(), "script" | "style") && opens => {
                skipped = Some(node.id());
            }
            Node::Element(element) if BLOCKS.contains(&element.name()) => out.push(' '),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Cells(Vec<Rc<str>>);

impl Row for Cells {
    fn width(&self) -> usize {
        self.0.len()
    }

    fn text(&self, index: usize) -> String {
        self.0.get(index).map(ToString::to_string).unwrap_or_default()
    }

    fn value(&self, index: usize) -> Value {
        match self.0.get(index) {
            Some(text) if !text.is_empty() => Value::from(&**text),
            _ => Value::Null,
        }
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|text| text.is_empty())
    }
}

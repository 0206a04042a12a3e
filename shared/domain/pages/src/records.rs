//! Records of a page by CSS selectors (F-098).

use countersign_connector::answer::Unreachable;
use countersign_connector::{CssSelector, Reading, ScrapeField, ScrapeRules, is_same_figure};
use scraper::{ElementRef, Selector};
use serde_json::{Map, Value};
use url::Url;

use crate::document::Document;
use crate::error::PageError;
use crate::kind::{Kind, media_type};
use crate::{Body, KeepGoing, decode, text};

/// Values of one list field.
const MAX_VALUES: usize = 1_000;
/// Bytes of one value.
const MAX_VALUE: usize = 100_000;
/// Characters of a value that a warning shows.
const SHOWN: usize = 60;
/// Attributes that hold an address.
const ADDRESSES: [&str; 7] = ["href", "src", "action", "data-src", "data-href", "poster", "cite"];

/// What one page gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageRecords {
    /// The records, at most as many as were asked for.
    pub records: Vec<Map<String, Value>>,
    /// Whether the page has more than were asked for, or leads to another that is not of its site.
    pub more: bool,
    /// Values that are not of their field's type, left null: record, field and what is wrong.
    pub warnings: Vec<String>,
    /// The next page, when there is a link to one of the same origin.
    pub next: Option<Url>,
}

/// Reads the records of a page.
///
/// # Errors
/// [`PageError`] when it is not HTML, beyond the bounds, or `keep_going` says no.
pub fn read_records(
    rules: &ScrapeRules,
    body: &Body<'_>,
    most: usize,
    keep_going: KeepGoing<'_>,
) -> Result<PageRecords, PageError> {
    match Kind::of(body) {
        Kind::Html => {}
        Kind::Pdf => return Err(PageError::Pdf),
        _ => return Err(PageError::NotHtml(media_type(body.content_type))),
    }
    let fields = compiled(rules)?;
    let list = rules.list.as_ref().map(compile).transpose()?;
    let next = rules.next_page.as_ref().map(compile).transpose()?;
    let decoded = decode(body.bytes, body.content_type);
    let document = Document::parse(&decoded.text, body.url, keep_going)?;
    let next = next.and_then(|selector| next_page(&document, &selector, body.url));
    // What is sent with a request is for the site that was asked.
    let (next, elsewhere): (Option<Url>, Option<Url>) = match next {
        Some(url) if url.origin() != body.url.origin() => (None, Some(url)),
        next => (next, None),
    };
    let mut found = PageRecords { next, ..PageRecords::default() };
    let mut elements: Box<dyn Iterator<Item = ElementRef<'_>>> = match &list {
        Some(selector) => Box::new(document.html.select(selector)),
        None => Box::new(std::iter::once(document.html.root_element())),
    };
    for element in elements.by_ref().take(most) {
        if !keep_going() {
            return Err(PageError::Time);
        }
        let number = found.records.len() + 1;
        let record = record(&document, element, &fields, number, &mut found.warnings);
        found.records.push(record);
    }
    found.more = elements.next().is_some() || elsewhere.is_some();
    found.warnings.extend(elsewhere.map(|url| {
        Unreachable::Elsewhere(url.origin().ascii_serialization().chars().take(SHOWN).collect())
            .to_string()
    }));
    Ok(found)
}

struct Field<'r> {
    rule: &'r ScrapeField,
    reading: &'r Reading,
    selector: Option<Selector>,
}

fn compiled<'r>(rules: &'r ScrapeRules) -> Result<Vec<Field<'r>>, PageError> {
    let field = |rule: &'r ScrapeField| {
        let selector = rule.selector.as_ref().map(compile).transpose()?;
        Ok(Field { rule, reading: &rules.reading, selector })
    };
    rules.fields.iter().map(field).collect()
}

fn compile(selector: &CssSelector) -> Result<Selector, PageError> {
    Selector::parse(selector.as_str())
        .map_err(|_| PageError::Selector(selector.as_str().to_owned()))
}

fn record(
    document: &Document,
    element: ElementRef<'_>,
    fields: &[Field<'_>],
    number: usize,
    warnings: &mut Vec<String>,
) -> Map<String, Value> {
    let mut record = Map::new();
    for field in fields {
        let mut texts = values(document, element, field);
        let dropped = dropped(&mut texts, field);
        let shortened = shortened(&mut texts);
        let (value, complaint) = field.reading.convert(&texts, field.rule.value_type);
        for said in complaint.or(dropped).into_iter().chain(shortened) {
            warnings.push(format!("record {number}, field `{}`: {said}", field.rule.field));
        }
        record.insert(field.rule.field.clone(), value);
    }
    record
}

/// The texts found: of a list one more than is kept, of a figure all that are looked at for others, of anything else the first.
fn values(document: &Document, element: ElementRef<'_>, field: &Field<'_>) -> Vec<String> {
    let value_type = field.rule.value_type;
    let several = value_type.is_list() || value_type.is_figure();
    let most = if several { MAX_VALUES + 1 } else { 1 };
    let value = |element: ElementRef<'_>| value(document, element, field.rule.attr.as_deref());
    match &field.selector {
        None => value(element).into_iter().collect(),
        Some(selector) => element.select(selector).filter_map(value).take(most).collect(),
    }
}

/// Takes away what a field does not keep, and says what is lost with it.
fn dropped(texts: &mut Vec<String>, field: &Field<'_>) -> Option<String> {
    if field.rule.value_type.is_list() {
        let is_over = texts.len() > MAX_VALUES;
        texts.truncate(MAX_VALUES);
        return is_over
            .then(|| format!("there are more than {MAX_VALUES} values; the rest is left out"));
    }
    let others = texts.split_off(texts.len().min(1));
    let first = texts.first()?;
    let other = others.iter().find(|other| is_other(first, other, field))?;
    let shown = |text: &str| text.chars().take(SHOWN).collect::<String>();
    let (first, other) = (shown(first), shown(other));
    Some(format!(
        "another element of this selector has `{other}`; only the first, `{first}`, counts"
    ))
}

/// Shortens the texts that are too long, and says so.
fn shortened(texts: &mut [String]) -> Option<String> {
    let mut count = 0;
    for text in texts.iter_mut().filter(|text| text.len() > MAX_VALUE) {
        text.truncate(text.floor_char_boundary(MAX_VALUE));
        count += 1;
    }
    match count {
        0 => None,
        1 => Some(format!("a value has more than {MAX_VALUE} bytes; the rest of it is left out")),
        _ => Some(format!(
            "{count} values have more than {MAX_VALUE} bytes; the rest of each is left out"
        )),
    }
}

/// Whether two texts are not the same figure.
fn is_other(first: &str, other: &str, field: &Field<'_>) -> bool {
    let read = |text: &str| field.reading.convert(&[text.to_owned()], field.rule.value_type);
    first != other
        && match (read(first), read(other)) {
            ((first, None), (other, None)) => !is_same_figure(&first, &other),
            _ => true,
        }
}

/// An attribute or the text; an empty one is none, so that a later match can hold the value.
fn value(document: &Document, element: ElementRef<'_>, attr: Option<&str>) -> Option<String> {
    let found = match attr {
        None => text::line(element),
        Some(name) => {
            let raw = element.attr(name)?.trim();
            match document.resolve(raw).filter(|_| ADDRESSES.contains(&name) && !raw.is_empty()) {
                Some(url) => url.to_string(),
                None => raw.to_owned(),
            }
        }
    };
    (!found.is_empty()).then_some(found)
}

/// The link to the next page, when it leads on.
fn next_page(document: &Document, selector: &Selector, url: &Url) -> Option<Url> {
    let element = document.html.select(selector).next()?;
    let inside = || {
        let link = crate::document::selector("a[href]")?;
        element.select(&link).next()?.attr("href")
    };
    let next = document.resolve(element.attr("href").or_else(inside)?)?;
    (next != *url).then_some(next)
}

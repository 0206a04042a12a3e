//! Feeds: RSS, Atom and JSON Feed (F-101).

use countersign_failure::json_problem;
use feed_rs::model::{Entry, Feed, Text};
use feed_rs::parser::{Builder, ParseErrorKind, ParseFeedError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::error::PageError;
use crate::feed_xml::cleaned;
use crate::text::{fragment, words};
use crate::{Body, decode, document};

/// Items of one feed.
const MAX_ITEMS: usize = 2_000;
/// Characters of a title, a category list or an author.
const MAX_LINE: usize = 1_000;
/// Characters of a summary.
const MAX_SUMMARY: usize = 10_000;
/// Bytes of markup that are read for a summary.
const MAX_MARKUP: usize = 64 * 1024;

/// One item of a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The same whenever the feed is read: its own id, else its link, else a digest of title and date.
    pub id: String,
    /// The headline, without markup.
    pub title: String,
    /// What it says of itself, without markup.
    pub summary: String,
    /// When it was published, or last changed when that is all it says.
    pub published: Option<Timestamp>,
    /// Its address.
    pub link: Option<String>,
    /// Its categories, with commas between them.
    pub category: String,
    /// Who wrote it.
    pub author: String,
}

/// What was read of a feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedItems {
    /// Its items, in the order it has; the first 2,000.
    pub items: Vec<Item>,
    /// What is missing in them.
    pub missed: Missed,
}

/// What could not be read of a feed, or was not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missed {
    /// How many items have a date that could not be read.
    pub dates: usize,
    /// How many items stand behind the first 2,000.
    pub items: usize,
}

/// Reads a feed.
///
/// # Errors
/// [`PageError::Feed`] when it is none.
pub fn read_feed(body: &Body<'_>) -> Result<FeedItems, PageError> {
    let decoded = decode(body.bytes, body.content_type);
    let text = decoded.text.trim_start_matches('\u{feff}').trim_start();
    let bytes = if text.starts_with('<') { cleaned(text)? } else { text.as_bytes().to_vec() };
    let feed = parsed(builder(body), &bytes)?;
    let entries = || feed.entries.iter().take(MAX_ITEMS);
    let items = entries().map(|entry| item(entry, body.url)).collect();
    let dates = if entries().any(|entry| !is_dated(entry)) {
        // Of a date that cannot be read and of none the same is left. With a reader to which every text is a date, only an
        // item that has none has none.
        let dated = parsed(builder(body).timestamp_parser(|_| Some(Default::default())), &bytes)?;
        let both = entries().zip(&dated.entries);
        both.filter(|(entry, dated)| !is_dated(entry) && is_dated(dated)).count()
    } else {
        0
    };
    let missed = Missed { dates, items: feed.entries.len().saturating_sub(MAX_ITEMS) };
    Ok(FeedItems { items, missed })
}

fn builder(body: &Body<'_>) -> Builder {
    Builder::new()
        .base_uri(Some(body.url.as_str()))
        .id_generator(|_, _, _| String::new())
        .sanitize_content(false)
}

fn parsed(builder: Builder, bytes: &[u8]) -> Result<Feed, PageError> {
    let feed = builder.build().parse(bytes);
    feed.map_err(|error| PageError::Feed(problem(&error)))
}

/// What the library could not read, without its words.
fn problem(error: &ParseFeedError) -> String {
    match error {
        ParseFeedError::JsonSerde(error) => json_problem(&error.to_string()),
        ParseFeedError::JsonUnsupportedVersion(_) => {
            "its version of JSON Feed is not known".to_owned()
        }
        ParseFeedError::ParseError(ParseErrorKind::NoFeedRoot) => {
            "it is neither RSS, Atom nor JSON Feed".to_owned()
        }
        _ => "it is damaged".to_owned(),
    }
}

fn is_dated(entry: &Entry) -> bool {
    entry.published.or(entry.updated).is_some()
}

fn item(entry: &Entry, feed: &Url) -> Item {
    let published = entry.published.or(entry.updated).and_then(|time| {
        Timestamp::new(time.timestamp(), time.timestamp_subsec_nanos().try_into().ok()?).ok()
    });
    let title = entry.title.as_ref().map(|text| readable(&text.content, MAX_LINE));
    let title = title.unwrap_or_default();
    let link = link(entry, feed);
    let id = match (entry.id.trim(), &link) {
        ("", Some(link)) => link.clone(),
        ("", None) => digest(&title, published),
        (own, _) => own.chars().take(MAX_LINE).collect(),
    };
    let categories: Vec<String> = entry
        .categories
        .iter()
        .map(|category| words(category.label.as_deref().unwrap_or(&category.term)))
        .filter(|category| !category.is_empty())
        .collect();
    let authors: Vec<String> = entry
        .authors
        .iter()
        .map(|person| words(person.name.as_deref().unwrap_or_default()))
        .filter(|name| !name.is_empty())
        .collect();
    Item {
        id,
        title,
        summary: summary(entry),
        published,
        link,
        category: categories.join(", ").chars().take(MAX_LINE).collect(),
        author: authors.join(", ").chars().take(MAX_LINE).collect(),
    }
}

/// What is said in short, or the content when nothing else is there.
fn summary(entry: &Entry) -> String {
    let short = entry.summary.as_ref().map(|text: &Text| text.content.as_str());
    let content = || entry.content.as_ref().and_then(|content| content.body.as_deref());
    let text = short.filter(|text| !text.trim().is_empty()).or_else(content);
    readable(text.unwrap_or_default(), MAX_SUMMARY)
}

/// The link for people: `alternate`, else the first that is not about the feed's machinery.
fn link(entry: &Entry, feed: &Url) -> Option<String> {
    let by = |rel: &str| entry.links.iter().find(|link| link.rel.as_deref() == Some(rel));
    let plain = || entry.links.iter().find(|link| link.rel.is_none());
    let found = by("alternate").or_else(plain).or_else(|| entry.links.first())?;
    let url = feed.join(found.href.trim()).ok()?;
    matches!(url.scheme(), "https" | "http").then(|| url.to_string())
}

/// Feeds hold text, markup, and markup that was escaped twice.
fn readable(text: &str, longest: usize) -> String {
    let text = &text[..text.floor_char_boundary(MAX_MARKUP)];
    let markup = if text.contains(['<', '&']) { document::fragment(text) } else { None };
    let plain = markup.map_or_else(|| words(text), |markup| fragment(&markup));
    plain.chars().take(longest).collect()
}

fn digest(title: &str, published: Option<Timestamp>) -> String {
    let when = published.map(|time| time.to_string()).unwrap_or_default();
    hex::encode(Sha256::digest(format!("{title}\n{when}")))
}

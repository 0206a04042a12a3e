//! One page for `crawl_url` (F-046): content, title, metadata, links.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::article::{Article, article};
use crate::document::{Document, selector};
use crate::error::PageError;
use crate::kind::{Kind, media_type};
use crate::sections::structured;
use crate::text::{body, line, words};
use crate::{Body, Decoded, KeepGoing, decode};

/// Links of one page.
const MAX_LINKS: usize = 500;
/// Characters of a link's text, a title or a piece of metadata.
const MAX_LINE: usize = 500;

/// How content is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExtractMode {
    /// Paragraphs.
    Text,
    /// Markdown.
    Markdown,
    /// Sections and tables, or a JSON document as it is.
    Structured,
}

/// One link of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where to, absolute, without fragment.
    pub url: String,
    /// What it says.
    pub text: String,
}

/// What a page says.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its content in the mode that was asked for.
    pub content: Value,
    /// Its title; empty when it has none.
    pub title: String,
    /// What it says of itself, and `truncated`.
    pub metadata: Map<String, Value>,
    /// Where it leads.
    pub links: Vec<Link>,
}

/// Reads a page, a text or a JSON document. Content longer than `longest` characters is cut, and `metadata.truncated`
/// says so.
///
/// # Errors
/// [`PageError`] when it is none of these, beyond the bounds, or `keep_going` says no.
pub fn read_page(
    body: &Body<'_>,
    mode: ExtractMode,
    longest: usize,
    keep_going: KeepGoing<'_>,
) -> Result<Page, PageError> {
    let kind = Kind::of(body);
    match kind {
        Kind::Pdf => return Err(PageError::Pdf),
        Kind::Other(media_type) => return Err(PageError::Format(media_type)),
        Kind::Html | Kind::Json | Kind::Text => {}
    }
    let decoded = decode(body.bytes, body.content_type);
    let mut page = match kind {
        Kind::Html => html(&decoded.text, body.url, mode, longest, keep_going)?,
        Kind::Json => json(&decoded.text, mode, longest),
        _ => plain(decoded.text.trim(), longest),
    };
    describe(&mut page.metadata, body, &decoded);
    Ok(page)
}

fn describe(metadata: &mut Map<String, Value>, body: &Body<'_>, decoded: &Decoded<'_>) {
    metadata.insert("content_type".to_owned(), media_type(body.content_type).into());
    metadata.insert("encoding".to_owned(), decoded.encoding.into());
    metadata.insert("encoding_damaged".to_owned(), decoded.damaged.into());
    metadata.insert("bytes".to_owned(), body.bytes.len().into());
}

/// A text within `longest` characters, and whether it was cut.
fn cut(text: &str, longest: usize) -> (String, bool) {
    match text.char_indices().nth(longest) {
        None => (text.to_owned(), false),
        Some((end, _)) => (text[..end].trim_end().to_owned(), true),
    }
}

fn plain(text: &str, longest: usize) -> Page {
    let (content, truncated) = cut(text, longest);
    let metadata = [("truncated".to_owned(), truncated.into())].into_iter().collect();
    Page { content: content.into(), title: String::new(), metadata, links: Vec::new() }
}

/// JSON is its own structure, when all of it fits.
fn json(text: &str, mode: ExtractMode, longest: usize) -> Page {
    let mut page = plain(text.trim(), longest);
    let whole = page.metadata.get("truncated") == Some(&Value::Bool(false));
    match mode {
        ExtractMode::Structured if whole => {
            if let Ok(value) = serde_json::from_str(text.trim_start_matches('\u{feff}')) {
                page.content = value;
            }
        }
        ExtractMode::Markdown => {
            let fenced = format!("```json\n{}\n```", page.content.as_str().unwrap_or_default());
            page.content = fenced.into();
        }
        ExtractMode::Structured | ExtractMode::Text => {}
    }
    page
}

fn html(
    text: &str,
    url: &Url,
    mode: ExtractMode,
    longest: usize,
    keep_going: KeepGoing<'_>,
) -> Result<Page, PageError> {
    let document = Document::parse(text, url, keep_going)?;
    let mut found = article(text, url, mode == ExtractMode::Markdown).unwrap_or_default();
    let (content, truncated) = match mode {
        ExtractMode::Structured => structure(&document, &found, url, longest, keep_going)?,
        ExtractMode::Text | ExtractMode::Markdown => {
            let own = std::mem::take(&mut found.text);
            let readable = if own.is_empty() { body(&document.html) } else { own };
            let (content, truncated) = cut(&readable, longest);
            (content.into(), truncated)
        }
    };
    let mut metadata = metadata(&document, &found);
    metadata.insert("truncated".to_owned(), truncated.into());
    let (links, more) = links(&document);
    metadata.insert("links_truncated".to_owned(), more.into());
    Ok(Page { content, title: title(&document, &found), metadata, links })
}

/// Sections of the article, or of the whole page when it has none.
fn structure(
    document: &Document,
    found: &Article,
    url: &Url,
    longest: usize,
    keep_going: KeepGoing<'_>,
) -> Result<(Value, bool), PageError> {
    if found.html.is_empty() {
        return Ok(structured(&document.html, longest));
    }
    let article = Document::parse(&found.html, url, keep_going)?;
    Ok(structured(&article.html, longest))
}

fn title(document: &Document, found: &Article) -> String {
    let own = || first(document, "title").or_else(|| first(document, "h1"));
    let text = Some(words(&found.title)).filter(|title| !title.is_empty()).or_else(own);
    cut(&text.unwrap_or_default(), MAX_LINE).0
}

fn first(document: &Document, css: &str) -> Option<String> {
    let selector = selector(css)?;
    let element = document.html.select(&selector).next()?;
    // The text of `title` is in the head, which readers do not see.
    let text =
        if css == "title" { words(&element.text().collect::<String>()) } else { line(element) };
    (!text.is_empty()).then_some(text)
}

fn metadata(document: &Document, found: &Article) -> Map<String, Value> {
    let attribute = |css: &str, name: &str| -> Option<String> {
        let selector = selector(css)?;
        let value = words(document.html.select(&selector).next()?.attr(name)?);
        (!value.is_empty()).then_some(value)
    };
    let meta = |css: &str| attribute(css, "content");
    let address = |text: Option<String>| text.and_then(|text| document.resolve(&text));
    let described = [
        (
            "description",
            meta("meta[name='description' i], meta[property='og:description']")
                .or_else(|| found.excerpt.clone()),
        ),
        ("author", meta("meta[name='author' i]").or_else(|| found.author.clone())),
        ("site_name", meta("meta[property='og:site_name']").or_else(|| found.site_name.clone())),
        (
            "published",
            meta("meta[property='article:published_time']").or_else(|| found.published.clone()),
        ),
        (
            "modified",
            meta("meta[property='article:modified_time']").or_else(|| found.modified.clone()),
        ),
        ("language", attribute("html[lang]", "lang")),
        ("canonical_url", address(attribute("link[rel='canonical']", "href")).map(String::from)),
        (
            "image",
            address(meta("meta[property='og:image']").or_else(|| found.image.clone()))
                .map(String::from),
        ),
    ];
    let known = described
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), Value::from(cut(&value?, MAX_LINE).0))));
    known.collect()
}

/// Every address once, in the order of the page, and whether there are more.
fn links(document: &Document) -> (Vec<Link>, bool) {
    let Some(anchors) = selector("a[href]") else { return (Vec::new(), false) };
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for anchor in document.html.select(&anchors) {
        let Some(url) = anchor.attr("href").and_then(|href| document.resolve(href)) else {
            continue;
        };
        if !seen.insert(url.clone()) {
            continue;
        }
        if found.len() == MAX_LINKS {
            return (found, true);
        }
        let text = cut(&line(anchor), MAX_LINE).0;
        found.push(Link { url: url.into(), text });
    }
    (found, false)
}

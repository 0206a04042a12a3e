//! HTML as a tree, within bounds.

use html5ever::driver::{Parser, parse_document, parse_fragment};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{ParseOpts, QualName, local_name, ns};
use scraper::{Html, HtmlTreeSink, Selector};
use url::Url;

use crate::KeepGoing;
use crate::error::PageError;

/// Nodes of a page: elements, texts and comments.
const MOST_NODES: usize = 300_000;
/// Elements inside each other. What reads a tree recursively needs the bound.
const DEEPEST: usize = 256;
/// Bytes parsed before the bounds are looked at: markup can make a parser repeat all open elements for every tag, so
/// a tree may grow much faster than its text.
const PIECE: usize = 512;

/// A page.
pub(crate) struct Document {
    pub(crate) html: Html,
    base: Url,
}

impl Document {
    pub(crate) fn parse(
        text: &str,
        url: &Url,
        keep_going: KeepGoing<'_>,
    ) -> Result<Self, PageError> {
        let sink = HtmlTreeSink::new(Html::new_document());
        let html = bounded(parse_document(sink, ParseOpts::default()), text, keep_going)?;
        let base = base(&html, url);
        Ok(Self { html, base })
    }

    /// An address in the page as a whole one; only HTTP and HTTPS lead anywhere.
    pub(crate) fn resolve(&self, reference: &str) -> Option<Url> {
        let mut url = self.base.join(reference.trim()).ok()?;
        url.set_fragment(None);
        matches!(url.scheme(), "https" | "http").then_some(url)
    }
}

/// A piece of markup, or `None` when it is beyond the bounds.
pub(crate) fn fragment(text: &str) -> Option<Html> {
    let sink = HtmlTreeSink::new(Html::new_fragment());
    let body = QualName::new(None, ns!(html), local_name!("body"));
    let parser = parse_fragment(sink, ParseOpts::default(), body, Vec::new(), false);
    bounded(parser, text, &|| true).ok()
}

/// Parses piece by piece and looks at the bounds between.
fn bounded(
    mut parser: Parser<HtmlTreeSink>,
    text: &str,
    keep_going: KeepGoing<'_>,
) -> Result<Html, PageError> {
    let mut rest = text;
    while !rest.is_empty() {
        if !keep_going() {
            return Err(PageError::Time);
        }
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        parser.process(StrTendril::from(piece));
        growing(&parser)?;
        rest = after;
    }
    let html = parser.finish();
    shallow(&html)?;
    Ok(html)
}

/// The newest node is where a tree that gets too deep is deep.
fn growing(parser: &Parser<HtmlTreeSink>) -> Result<(), PageError> {
    let html = parser.tokenizer.sink.sink.0.borrow();
    let mut nodes = html.tree.nodes();
    if nodes.len() > MOST_NODES {
        return Err(PageError::Limit("more than 300,000 elements and texts"));
    }
    let newest = nodes.next_back();
    not_too_deep(newest.map_or(0, |node| node.ancestors().take(DEEPEST + 1).count()))
}

fn shallow(html: &Html) -> Result<(), PageError> {
    let depth = html.tree.nodes().map(|node| node.ancestors().take(DEEPEST + 1).count()).max();
    not_too_deep(depth.unwrap_or(0))
}

fn not_too_deep(depth: usize) -> Result<(), PageError> {
    if depth > DEEPEST {
        return Err(PageError::Limit("elements nested more than 256 levels deep"));
    }
    Ok(())
}

/// `<base href>`, or the page's own address.
fn base(html: &Html, url: &Url) -> Url {
    let given = selector("base[href]")
        .and_then(|selector| html.select(&selector).next()?.attr("href").map(str::to_owned));
    given.and_then(|href| url.join(href.trim()).ok()).unwrap_or_else(|| url.clone())
}

/// A selector of this crate; each is used by a test.
pub(crate) fn selector(text: &str) -> Option<Selector> {
    Selector::parse(text).ok()
}

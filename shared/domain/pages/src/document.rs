//! HTML as a tree, within bounds.

use ego_tree::iter::Edge;
use html5ever::driver::{Parser, parse_document, parse_fragment};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{ParseOpts, QualName, local_name, ns};
use scraper::{Html, HtmlTreeSink, Selector};
use url::Url;

use crate::KeepGoing;
use crate::error::PageError;

/// How large a tree may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Elements, texts and comments.
    pub nodes: usize,
    /// Attributes of all elements.
    pub attributes: usize,
    /// Elements inside each other. What reads a tree recursively needs the bound.
    pub levels: usize,
}

/// Why a text did not become a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageLimit {
    /// Nobody waits any more.
    Time,
    /// Too many elements, texts and comments.
    Nodes,
    /// Too many attributes, in all or in one element.
    Attributes,
    /// Elements too deep inside each other.
    Levels,
}

/// A text whose tree was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// Why.
    pub why: PageLimit,
    /// How many of its bytes were read.
    pub at: usize,
}

/// Of a page; [`PageError`] names them.
const PAGE: Bounds = Bounds { nodes: 300_000, attributes: 600_000, levels: 256 };
/// Attributes of one element: a parser copies them with the element.
const MAX_OF_ONE: usize = 1_000;
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
        let html = tree(text, &PAGE, keep_going).map_err(|stopped| match stopped.why {
            PageLimit::Time => PageError::Time,
            PageLimit::Nodes => PageError::Limit("more than 300,000 elements and texts".into()),
            PageLimit::Attributes => PageError::Limit(
                "more than 600,000 attributes, or more than 1,000 in one element".into(),
            ),
            PageLimit::Levels => {
                PageError::Limit("elements nested more than 256 levels deep".into())
            }
        })?;
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

/// The tree of a document.
///
/// # Errors
/// [`Stopped`] when it grows beyond the bounds, or `keep_going` says no.
pub fn tree(text: &str, bounds: &Bounds, keep_going: KeepGoing<'_>) -> Result<Html, Stopped> {
    let sink = HtmlTreeSink::new(Html::new_document());
    bounded(parse_document(sink, ParseOpts::default()), text, bounds, keep_going)
}

/// A piece of markup, or `None` when it is beyond the bounds.
pub(crate) fn fragment(text: &str) -> Option<Html> {
    let sink = HtmlTreeSink::new(Html::new_fragment());
    let body = QualName::new(None, ns!(html), local_name!("body"));
    let parser = parse_fragment(sink, ParseOpts::default(), body, Vec::new(), false);
    bounded(parser, text, &PAGE, &|| true).ok()
}

/// Parses piece by piece and looks at the bounds between.
fn bounded(
    mut parser: Parser<HtmlTreeSink>,
    text: &str,
    bounds: &Bounds,
    keep_going: KeepGoing<'_>,
) -> Result<Html, Stopped> {
    let mut seen = Seen::default();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(piece(rest));
        let at = text.len() - after.len();
        let stopped = |why| Stopped { why, at };
        if !keep_going() {
            return Err(stopped(PageLimit::Time));
        }
        parser.process(StrTendril::from(piece));
        seen.look(&parser.tokenizer.sink.sink.0.borrow(), piece.len(), bounds).map_err(stopped)?;
        rest = after;
    }
    let html = parser.finish();
    let stopped = |why| Stopped { why, at: text.len() };
    let mut end = Seen { checked: PIECE, ..seen };
    end.look(&html, 0, bounds).map_err(stopped)?;
    if deepest(&html) > bounds.levels {
        return Err(stopped(PageLimit::Levels));
    }
    Ok(html)
}

/// Up to the end of a tag, so that an element is looked at before what follows makes the parser copy it.
fn piece(rest: &str) -> usize {
    let most = rest.floor_char_boundary(PIECE);
    rest.as_bytes()[..most].iter().position(|byte| *byte == b'>').map_or(most, |at| at + 1)
}

/// What was seen of a growing tree.
#[derive(Default)]
struct Seen {
    nodes: usize,
    attributes: usize,
    /// Bytes since the depth was looked at.
    checked: usize,
}

impl Seen {
    fn look(&mut self, html: &Html, bytes: usize, bounds: &Bounds) -> Result<(), PageLimit> {
        let nodes = html.tree.nodes().len();
        if nodes > bounds.nodes {
            return Err(PageLimit::Nodes);
        }
        let new = html.tree.nodes().rev().take(nodes.saturating_sub(self.nodes));
        for node in new {
            let count = node.value().as_element().map_or(0, |element| element.attrs.len());
            self.attributes += count;
            if count > MAX_OF_ONE || self.attributes > bounds.attributes {
                return Err(PageLimit::Attributes);
            }
        }
        self.nodes = nodes;
        self.checked += bytes;
        if self.checked < PIECE {
            return Ok(());
        }
        self.checked = 0;
        // The newest node is where a tree that gets too deep is deep.
        let newest = html.tree.nodes().next_back();
        let depth = newest.map_or(0, |node| node.ancestors().take(bounds.levels + 1).count());
        if depth > bounds.levels { Err(PageLimit::Levels) } else { Ok(()) }
    }
}

/// The depth of the whole tree, without a look at any node twice.
fn deepest(html: &Html) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for edge in html.tree.root().traverse() {
        match edge {
            Edge::Open(_) => {
                deepest = deepest.max(depth);
                depth += 1;
            }
            Edge::Close(_) => depth -= 1,
        }
    }
    deepest
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

//! The text of an element as a reader sees it.

use ego_tree::iter::Edge;
use scraper::{ElementRef, Html, Node};

use crate::seen::{is_apart, is_unread};

/// Elements that begin a new line.
const BLOCKS: [&str; 36] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "caption",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tr",
    "ul",
    "option",
];

/// The text in one line, with single spaces.
pub(crate) fn line(element: ElementRef<'_>) -> String {
    words(&raw(element))
}

/// White space becomes single spaces.
pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with a line per block.
pub(crate) fn lines(element: ElementRef<'_>) -> String {
    let raw = raw(element);
    let lines: Vec<String> = raw.lines().map(words).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

/// The text of a whole page's body.
pub(crate) fn body(html: &Html) -> String {
    html.tree.root().children().filter_map(ElementRef::wrap).map(lines).collect()
}

/// The text of a piece of markup.
pub(crate) fn fragment(html: &Html) -> String {
    let roots = html.tree.root().children().filter_map(ElementRef::wrap);
    roots.map(line).collect::<Vec<_>>().join(" ")
}

/// Walks without recursion; blocks are lines, cells are apart.
fn raw(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    let mut hidden = 0_usize;
    for edge in element.traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Element(found) if is_unread(found) => hidden += 1,
                Node::Element(found) if hidden == 0 && is_apart(found, &text) => text.push(' '),
                Node::Element(found) if hidden == 0 => separate(&mut text, found.name()),
                Node::Text(found) if hidden == 0 => text.push_str(found),
                _ => {}
            },
            Edge::Close(node) => match node.value() {
                Node::Element(found) if is_unread(found) => hidden -= 1,
                Node::Element(found) if hidden == 0 => separate(&mut text, found.name()),
                _ => {}
            },
        }
    }
    text
}

fn separate(text: &mut String, name: &str) {
    if BLOCKS.contains(&name) {
        text.push('\n');
    } else if matches!(name, "td" | "th") {
        text.push(' ');
    }
}

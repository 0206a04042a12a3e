//! What a reader of a page sees of an element, and what stands apart from the text before it.

use scraper::node::Element;

/// Elements whose text nobody reads.
const UNREAD: [&str; 9] =
    ["script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "head"];

/// Whether nobody sees the text of this element: its kind has none that is shown, or it is hidden where it stands. What a style
/// sheet hides is not known.
#[must_use]
pub fn is_unread(element: &Element) -> bool {
    UNREAD.contains(&element.name())
        || element.attr("hidden").is_some()
        || element.attr("style").is_some_and(hides)
}

fn hides(style: &str) -> bool {
    style.split(';').any(|one| {
        let one: String = one.split_whitespace().collect::<String>().to_lowercase();
        matches!(one.trim_end_matches("!important"), "display:none" | "visibility:hidden")
    })
}

/// Whether this element begins something that is not part of the figure before it: a footnote's mark, an exponent, an index.
#[must_use]
pub fn is_apart(element: &Element, before: &str) -> bool {
    let is_mark = match element.name() {
        "sup" | "sub" => true,
        "a" => element.attr("href").is_some_and(|href| href.starts_with('#')),
        _ => false,
    };
    is_mark && before.ends_with(|c: char| c.is_ascii_digit())
}

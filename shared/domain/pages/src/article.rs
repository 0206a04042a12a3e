//! What a page is about, without navigation, advertisements and footers.

use dom_smoothie::{Config, Readability, TextMode};
use url::Url;

/// Pages larger than this are read as they stand: finding their article would take too long.
const LARGEST: usize = 2 * 1024 * 1024;
/// The same in elements.
const MAX_ELEMENTS: usize = 30_000;

/// The article of a page.
#[derive(Debug, Default)]
pub(crate) struct Article {
    /// Its text, in paragraphs or Markdown.
    pub(crate) text: String,
    /// Its markup.
    pub(crate) html: String,
    pub(crate) title: String,
    pub(crate) author: Option<String>,
    pub(crate) published: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) site_name: Option<String>,
    pub(crate) image: Option<String>,
    pub(crate) excerpt: Option<String>,
}

/// The article, or `None` when the page has none or is too large to look for it. The page must have passed
/// [`crate::document::Document::parse`]: this reader has no bounds of its own.
pub(crate) fn article(html: &str, url: &Url, markdown: bool) -> Option<Article> {
    if html.len() > LARGEST {
        return None;
    }
    let config = Config {
        max_elements_to_parse: MAX_ELEMENTS,
        // Its reader of embedded JSON is not made for hostile input; the page's meta elements say the same.
        disable_json_ld: true,
        text_mode: if markdown { TextMode::Markdown } else { TextMode::Formatted },
        ..Config::default()
    };
    let found = Readability::new(html, Some(url.as_str()), Some(config)).ok()?.parse().ok()?;
    Some(Article {
        text: found.text_content.trim().to_owned(),
        html: found.content.to_string(),
        title: found.title,
        author: found.byline,
        published: found.published_time,
        modified: found.modified_time,
        site_name: found.site_name,
        image: found.image,
        excerpt: found.excerpt,
    })
}

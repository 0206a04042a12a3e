//! Web pages, feeds and robots.txt, read from bytes: nothing here fetches.
//!
//! Whatever comes from outside is bounded: nodes, depth, items, characters. Reading stops when its caller says so
//! ([`KeepGoing`]), because a page can be built to be slow.

mod article;
mod charset;
mod document;
mod error;
mod feed;
mod feed_xml;
mod kind;
mod page;
mod records;
mod robots;
mod sections;
mod seen;
mod text;

pub use charset::{Decoded, decode};
pub use document::{Bounds, PageLimit, Stopped, tree};
pub use error::PageError;
pub use feed::{FeedItems, Item, Missed, read_feed};
pub use kind::Kind;
pub use page::{ExtractMode, Link, Page, read_page};
pub use records::{PageRecords, read_records};
pub use robots::{AGENT, RobotsTxt, robots_address};
pub use seen::{is_apart, is_unread};

/// Asked between pieces of a page: whether reading may go on.
pub type KeepGoing<'k> = &'k dyn Fn() -> bool;

/// What came over HTTP.
#[derive(Debug, Clone, Copy)]
pub struct Body<'b> {
    /// Where it came from, after redirects: links are relative to it.
    pub url: &'b url::Url,
    /// The header `Content-Type`.
    pub content_type: Option<&'b str>,
    /// The bytes.
    pub bytes: &'b [u8],
}

#[cfg(test)]
mod tests;

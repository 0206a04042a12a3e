//! What is particular to a `web_scraper` (F-098): where the pages are, how politely they are asked for, and what is
//! read from them.

use countersign_registry::Field;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::JsonMapping;
use super::ValueType;
use super::pages::{PageBounds, Pagination};
use super::rest::{Auth, BodyFormat, Method, RateLimit, RequestRules, RestConnection};
use crate::css::CssSelector;
use crate::reading::Reading;

/// The connection of a `web_scraper`. That robots.txt is honoured is not a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScraperConnection {
    /// Prefix of every path.
    pub base_url: String,
    /// Headers sent with every request.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// Seconds between two requests of a call; default 1. The site's own `Crawl-delay` holds when it is longer.
    pub delay_seconds: u32,
    /// Seconds one request may take; default 30.
    pub timeout_seconds: u32,
    /// How often it may be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
}

/// How records are read from pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScrapeRules {
    /// Appended to the base URL; `{name}` is replaced by a parameter, percent-encoded.
    pub path: String,
    /// Fixed query parameters; a value that is wholly `{name}` takes the parameter's.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub query: IndexMap<String, String>,
    /// One record per element; without it a page is one record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<CssSelector>,
    /// The record's fields.
    pub fields: Vec<ScrapeField>,
    /// The link to the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page: Option<CssSelector>,
    /// Bounds.
    pub bounds: PageBounds,
    /// How texts are read as numbers and dates.
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
}

/// One field read from a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScrapeField {
    /// Its name in the record.
    pub field: String,
    /// Where its value stands, inside the record's element; without it the element itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<CssSelector>,
    /// The attribute that holds it; without it the element's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attr: Option<String>,
    /// What its text is read as.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// One sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

impl ScrapeField {
    /// The field of a record.
    pub(crate) fn described(&self) -> Field {
        Field::described(&self.field, self.value_type.data_type(), &self.description)
    }
}

impl ScraperConnection {
    /// The connection as its requests are built from: a scraper's first request is an API's GET for HTML.
    #[must_use]
    pub fn as_rest(&self) -> RestConnection {
        let mut headers = self.headers.clone();
        headers
            .entry("accept".to_owned())
            .or_insert_with(|| "text/html,application/xhtml+xml;q=0.9".to_owned());
        RestConnection {
            base_url: self.base_url.clone(),
            auth: Auth::None,
            rate_limit: self.rate_limit,
            timeout_seconds: self.timeout_seconds,
            headers,
            idempotency: None,
        }
    }
}

impl ScrapeRules {
    /// The first request, as the requests of an API are written.
    #[must_use]
    pub fn as_request(&self) -> RequestRules {
        RequestRules {
            method: Method::Get,
            safe: false,
            path: self.path.clone(),
            query: self.query.clone(),
            headers: IndexMap::new(),
            body: None,
            body_format: BodyFormat::Json,
            pagination: Pagination::None,
            mapping: JsonMapping::default(),
            verdict: None,
            details: None,
        }
    }
}

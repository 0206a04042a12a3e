//! How the pages of an answer follow each other (K-76).

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json_path::JsonPath;

/// How many pages a call may fetch, and records it may return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageBounds {
    /// Pages in one call; default 1, at most 100.
    pub max_pages: u32,
    /// Records in one call; default 1,000, at most 10,000.
    pub max_records: u32,
    /// Whether only the beginning of the list is wanted, so that a bound that ends it is not a warning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first_only: bool,
}

impl Default for PageBounds {
    fn default() -> Self {
        Self { max_pages: 1, max_records: 1_000, first_only: false }
    }
}

/// Where the parameters that turn pages stand in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "pagination"))]
pub enum PagePlace {
    /// In the query.
    #[default]
    Query,
    /// In the body, beside its other keys.
    Body,
}

impl PagePlace {
    pub(crate) fn is_query(&self) -> bool {
        *self == Self::Query
    }
}

/// How pages follow each other (K-76).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Pagination {
    /// One answer is all.
    #[default]
    None,
    /// `?page=1`, `?page=2`, …
    Page {
        /// The page parameter; default `page`.
        page_param: String,
        /// The page size parameter.
        #[serde(default)]
        size_param: Option<String>,
        /// Records on a page.
        page_size: u32,
        /// The first page's number; default 1.
        first_page: u32,
        /// Where page and size stand.
        #[serde(default, skip_serializing_if = "PagePlace::is_query")]
        place: PagePlace,
        /// Where the answer says that there is another page; without it a full page is followed by another.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        more_path: Option<JsonPath>,
        /// Bounds.
        bounds: PageBounds,
    },
    /// `?offset=0`, `?offset=100`, …
    Offset {
        /// The offset parameter; default `offset`.
        offset_param: String,
        /// The size parameter; default `limit`.
        limit_param: String,
        /// Records on a page.
        page_size: u32,
        /// Where offset and size stand.
        #[serde(default, skip_serializing_if = "PagePlace::is_query")]
        place: PagePlace,
        /// Where the answer says that there is another page; without it a full page is followed by another.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        more_path: Option<JsonPath>,
        /// Bounds.
        bounds: PageBounds,
    },
    /// The answer names the next page.
    Cursor {
        /// The cursor parameter; default `cursor`.
        cursor_param: String,
        /// Where the next cursor stands in the answer, or an address that holds it.
        cursor_path: JsonPath,
        /// Parameters that go with the cursor, and where their values stand in the answer.
        #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
        also: IndexMap<String, JsonPath>,
        /// Where the cursor stands in the request.
        #[serde(default, skip_serializing_if = "PagePlace::is_query")]
        place: PagePlace,
        /// Bounds.
        bounds: PageBounds,
    },
    /// A `Link: <…>; rel="next"` header names the next page.
    LinkHeader {
        /// Bounds.
        bounds: PageBounds,
    },
}

impl Pagination {
    /// Its bounds.
    #[must_use]
    pub fn bounds(&self) -> PageBounds {
        match self {
            Self::None => PageBounds::default(),
            Self::Page { bounds, .. }
            | Self::Offset { bounds, .. }
            | Self::Cursor { bounds, .. }
            | Self::LinkHeader { bounds } => *bounds,
        }
    }
}

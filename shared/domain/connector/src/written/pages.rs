//! How pages follow each other (K-76).

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounds::{FirstPage, MaxPages, MaxRecords, PageSize};
use crate::json_path::JsonPath;
use crate::model::{PageBounds, PagePlace, Pagination};

/// How pages follow each other; `link_header` follows `Link: <…>; rel="next"`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(extend("x-code" = "pagination"))]
pub(super) enum Pages {
    /// One answer is all.
    None {
        /// Pages in one call.
        #[serde(default)]
        #[expect(dead_code, reason = "one answer has no bounds")]
        max_pages: MaxPages,
        /// Records in one call.
        #[serde(default)]
        #[expect(dead_code, reason = "one answer has no bounds")]
        max_records: MaxRecords,
    },
    /// `?page=1`, `?page=2`, …
    Page {
        /// The parameter with the page's number; `page` when left out.
        page_param: Option<String>,
        /// The parameter with the page's size.
        size_param: Option<String>,
        /// Records on a page.
        #[serde(default)]
        page_size: PageSize,
        /// The first page's number.
        #[serde(default)]
        first_page: FirstPage,
        /// Where the parameters that turn pages are in a request.
        #[serde(default, rename = "in")]
        place: PagePlace,
        /// Where the answer says that there is another page; without it a full page is followed by another.
        more_path: Option<JsonPath>,
        /// Pages in one call.
        #[serde(default)]
        max_pages: MaxPages,
        /// Records in one call.
        #[serde(default)]
        max_records: MaxRecords,
        /// Only the beginning of the list is wanted: that the source has more is in `has_more`, and not a warning.
        #[serde(default)]
        first_only: bool,
    },
    /// `?offset=0`, `?offset=100`, …
    Offset {
        /// The parameter with the offset; `offset` when left out.
        offset_param: Option<String>,
        /// The parameter with the page's size; `limit` when left out.
        limit_param: Option<String>,
        /// Records on a page.
        #[serde(default)]
        page_size: PageSize,
        /// Where the parameters that turn pages are in a request.
        #[serde(default, rename = "in")]
        place: PagePlace,
        /// Where the answer says that there is another page; without it a full page is followed by another.
        more_path: Option<JsonPath>,
        /// Pages in one call.
        #[serde(default)]
        max_pages: MaxPages,
        /// Records in one call.
        #[serde(default)]
        max_records: MaxRecords,
        /// Only the beginning of the list is wanted: that the source has more is in `has_more`, and not a warning.
        #[serde(default)]
        first_only: bool,
    },
    /// The answer names the next page.
    Cursor {
        /// The parameter with the cursor; `cursor` when left out.
        cursor_param: Option<String>,
        /// Where the next cursor, or an address that holds it, is in the answer.
        cursor_path: JsonPath,
        /// Other parameters that go with the cursor, and where in the answer each is.
        #[serde(default)]
        also: IndexMap<String, JsonPath>,
        /// Where the parameters that turn pages are in a request.
        #[serde(default, rename = "in")]
        place: PagePlace,
        /// Pages in one call.
        #[serde(default)]
        max_pages: MaxPages,
        /// Records in one call.
        #[serde(default)]
        max_records: MaxRecords,
        /// Only the beginning of the list is wanted: that the source has more is in `has_more`, and not a warning.
        #[serde(default)]
        first_only: bool,
    },
    /// A `Link` header names the next page.
    LinkHeader {
        /// Pages in one call.
        #[serde(default)]
        max_pages: MaxPages,
        /// Records in one call.
        #[serde(default)]
        max_records: MaxRecords,
        /// Only the beginning of the list is wanted: that the source has more is in `has_more`, and not a warning.
        #[serde(default)]
        first_only: bool,
    },
}

impl Default for Pages {
    fn default() -> Self {
        Self::None { max_pages: MaxPages::default(), max_records: MaxRecords::default() }
    }
}

pub(super) fn bounds(max_pages: MaxPages, max_records: MaxRecords, first_only: bool) -> PageBounds {
    PageBounds { max_pages: max_pages.to(), max_records: max_records.to(), first_only }
}

impl Pages {
    /// Where the parameters that turn pages are.
    pub(super) fn place(&self) -> PagePlace {
        match self {
            Self::Page { place, .. } | Self::Offset { place, .. } | Self::Cursor { place, .. } => {
                *place
            }
            Self::None { .. } | Self::LinkHeader { .. } => PagePlace::Query,
        }
    }

    pub(super) fn model(&self) -> Pagination {
        let or = |name: &Option<String>, default: &str| {
            name.clone().unwrap_or_else(|| default.to_owned())
        };
        match self {
            Self::None { .. } => Pagination::None,
            Self::Page {
                page_param,
                size_param,
                page_size,
                first_page,
                place,
                more_path,
                max_pages,
                max_records,
                first_only,
            } => Pagination::Page {
                page_param: or(page_param, "page"),
                size_param: size_param.clone(),
                page_size: page_size.to(),
                first_page: first_page.to(),
                place: *place,
                more_path: more_path.clone(),
                bounds: bounds(*max_pages, *max_records, *first_only),
            },
            Self::Offset {
                offset_param,
                limit_param,
                page_size,
                place,
                more_path,
                max_pages,
                max_records,
                first_only,
            } => Pagination::Offset {
                offset_param: or(offset_param, "offset"),
                limit_param: or(limit_param, "limit"),
                page_size: page_size.to(),
                place: *place,
                more_path: more_path.clone(),
                bounds: bounds(*max_pages, *max_records, *first_only),
            },
            Self::Cursor {
                cursor_param,
                cursor_path,
                also,
                place,
                max_pages,
                max_records,
                first_only,
            } => Pagination::Cursor {
                cursor_param: or(cursor_param, "cursor"),
                cursor_path: cursor_path.clone(),
                also: also.clone(),
                place: *place,
                bounds: bounds(*max_pages, *max_records, *first_only),
            },
            Self::LinkHeader { max_pages, max_records, first_only } => {
                Pagination::LinkHeader { bounds: bounds(*max_pages, *max_records, *first_only) }
            }
        }
    }
}

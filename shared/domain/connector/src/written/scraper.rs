//! Connection and endpoint of a `web_scraper` (F-098, K-76).

use countersign_document::{List, Rules};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::always::Always;
use super::connection::{Connects, RateLimit, base};
use super::egress::check_public;
use super::endpoint::{Ends, Shared, endpoint};
use super::fields::unique;
use super::headers::{Headers, check_free, headers};
use super::mapping::{RecordMapping, RecordOutput};
use super::pages::bounds;
use super::placeholders::{self, Scalar};
use super::text::{Address, Attribute, FieldName, UrlPath};
use crate::bounds::{DelaySeconds, MaxPages, MaxRecords, TimeoutSeconds};
use crate::css::CssSelector;
use crate::model::{
    self, Connection, Operation, OutputSchema, ScrapeField, ScrapeRules, ValueType,
};
use crate::reading::Reading;

/// A site whose pages are read with CSS selectors, over plain HTTP.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScraperConnection {
    /// Prefix of every path; HTTPS, without query, fragment, user and password.
    #[schemars(extend("x-code" = "base_url"))]
    base_url: Address,
    /// Headers sent with every request.
    #[serde(default)]
    headers: Headers,
    /// Seconds between two requests of a call; the site's own Crawl-delay holds when it is longer.
    #[serde(default)]
    delay_seconds: DelaySeconds,
    /// Seconds one request may take.
    #[serde(default)]
    timeout_seconds: TimeoutSeconds,
    /// How often the source may be called.
    rate_limit: Option<RateLimit>,
    /// robots.txt is always honoured; leave this out.
    #[schemars(extend("x-code" = "respect_robots", "x-hint" = "robots.txt is always honoured: remove the line"))]
    #[serde(default)]
    #[expect(dead_code, reason = "its only value changes nothing")]
    respect_robots: Always,
}

impl Connects for ScraperConnection {
    fn model(&self) -> Option<Connection> {
        Some(Connection::WebScraper(model::ScraperConnection {
            base_url: base(&self.base_url),
            headers: headers(&self.headers),
            delay_seconds: self.delay_seconds.to(),
            timeout_seconds: self.timeout_seconds.to(),
            rate_limit: self.rate_limit.as_ref().map(|limit| limit.0),
        }))
    }

    fn rules(&self, rules: &mut Rules<'_>) {
        check_public("base_url", self.base_url.as_str(), rules);
        rules.within("headers", |rules| check_free(&self.headers, None, None, rules));
    }
}

endpoint! {
    /// Pages, and what is read from them.
    ScraperEndpoint, parameters: "parameters", mapping: RecordMapping, output: RecordOutput,
    {
        /// Appended to the base URL; `{name}` is replaced by a parameter, percent-encoded.
        path: UrlPath,
        /// Fixed query parameters; a value that is wholly `{name}` takes the parameter's.
        #[serde(default)]
        query: IndexMap<String, Scalar>,
        /// One record per element; without it a page is one record.
        list: Option<CssSelector>,
        /// The record's fields.
        fields: List<PageField, 1, { usize::MAX }>,
        /// The link to the next page, or an element with one inside.
        next_page: Option<CssSelector>,
        /// Pages in one call.
        #[serde(default)]
        max_pages: MaxPages,
        /// Records in one call.
        #[serde(default)]
        max_records: MaxRecords,
        /// Only the beginning of the list is wanted: that the site has more is in `has_more`, and not a warning.
        #[serde(default)]
        first_only: bool,
    }
}

/// A field read from a page.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageField {
    /// Its name in the record.
    field: FieldName,
    /// Where its value is, inside the record's element; without it the element itself.
    selector: Option<CssSelector>,
    /// The attribute that holds it; without it the element's text.
    attr: Option<Attribute>,
    /// What its text is read as; `string` when left out.
    #[serde(rename = "type")]
    value_type: Option<ValueType>,
    /// One sentence.
    #[serde(default)]
    description: String,
}

impl PageField {
    fn model(&self) -> ScrapeField {
        ScrapeField {
            field: self.field.as_str().to_owned(),
            selector: self.selector.clone(),
            // Attributes of HTML are lower case.
            attr: self.attr.as_ref().map(|attr| attr.as_str().to_ascii_lowercase()),
            value_type: self.value_type.unwrap_or(ValueType::String),
            description: self.description.trim().to_owned(),
        }
    }
}

impl Ends for ScraperEndpoint {
    fn shared(&self) -> Shared<'_> {
        self.shared_keys()
    }

    fn operation(&self, _: &[model::Parameter]) -> Option<(Operation, OutputSchema)> {
        let fields: Vec<ScrapeField> = self.fields.iter().map(PageField::model).collect();
        let output = fields.iter().map(ScrapeField::described).collect();
        let output = OutputSchema::inferred_records(output);
        let rules = ScrapeRules {
            path: self.path.as_str().to_owned(),
            query: placeholders::texts(&self.query),
            list: self.list.clone(),
            fields,
            next_page: self.next_page.clone(),
            bounds: bounds(self.max_pages, self.max_records, self.first_only),
            reading: Reading::default(),
        };
        Some((Operation::Scrape(Box::new(rules)), output))
    }

    fn rules(
        &self,
        parameters: &[model::Parameter],
        _: Option<&Connection>,
        rules: &mut Rules<'_>,
    ) {
        placeholders::path(self.path.as_str(), parameters, rules);
        placeholders::query(&self.query, parameters, None, rules);
        unique("fields", self.fields.iter().map(|field| field.field.as_str()), &[], rules);
        if self.max_pages.get() > 1 && self.next_page.is_none() && rules.is_sound("/next_page") {
            let message = "`max_pages` needs `next_page`, the selector of its link";
            rules.error("max_pages", "", message);
        }
    }
}

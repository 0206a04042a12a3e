//! Reads one web page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Action;

/// The declaration.
#[derive(Debug)]
pub struct CrawlUrl;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The page's public HTTPS address.
    #[schemars(length(min = 1))]
    pub url: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// How the content is returned.
    #[serde(default)]
    pub extract_mode: ExtractMode,
}

/// How the content of a page is returned.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExtractMode {
    /// Plain text.
    #[default]
    Text,
    /// Text with headings, links and lists.
    Markdown,
    /// Sections and tables.
    Structured,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What the page is about: a text; sections and tables when structured.
    pub content: Value,
    /// The page's title; empty without one.
    pub title: String,
    /// What the page says of itself, where it was found, and whether it was cut.
    pub metadata: Map<String, Value>,
    /// Where the page leads.
    pub links: Vec<Link>,
}

/// Where a page leads.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Link {
    pub url: String,
    pub text: String,
}

impl Action for CrawlUrl {
    const NAME: &'static str = "crawl_url";
    const FUNCTION: &'static str = "tool-web";
    const DESCRIPTION: &'static str = "Reads one web page.";
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;
}

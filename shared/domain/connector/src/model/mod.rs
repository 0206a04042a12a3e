//! What a connector is: the stored, validated form of its YAML.

use countersign_registry::{DataType, Field};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bounds::TimeoutSeconds;
use crate::reading::Reading;

mod category;
mod database;
mod declared_types;
mod feed;
mod format;
mod graphql;
mod id;
mod idempotency;
mod mapping;
mod pages;
mod rest;
mod scraper;
mod success_rule;
mod tool;
mod xml;

pub use category::{Category, InvalidTag, Tag};
pub use database::{DatabaseConnection, Driver, QueryRules, SslMode, StatementSource};
pub use feed::{Feed, FeedConnection, FeedOperation};
pub use format::{
    ColumnRule, CsvRules, FormatRules, HtmlRules, JsonRules, MAX_FILE_SIZE_MB, PARSERS, PathRule,
    PdfRecords, PdfRules, Pick, TableRules, XlsxRules, endings, media_type,
};
pub use graphql::{GraphqlConnection, GraphqlEffect, GraphqlRules, RelayPages};
pub use id::{ConnectorId, InvalidConnectorId, RESERVED_IDS};
pub use idempotency::{Idempotency, KEY_HEADER};
pub use mapping::{JsonMapping, Layout, MetadataField};
pub use pages::{PageBounds, PagePlace, Pagination};
pub(crate) use rest::ACCESS_TOKEN;
pub use rest::{
    Auth, AuthField, BodyFormat, ClientAuth, DATABASE_PARTS, DetailRules, MAX_DETAILS, Method,
    RateLimit, RequestRules, RestConnection, TokenServer,
};
pub use scraper::{ScrapeField, ScrapeRules, ScraperConnection};
pub use success_rule::{Said, SuccessRule};
pub use tool::{ToolConnection, ToolId, ToolRules};
pub use xml::{FieldRule, ParseRules, ValueType};

/// A validated connector (F-087…F-092). Made by [`crate::parse`]; stored as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConnectorDefinition {
    /// Its name among the owner's connectors and the system's.
    pub id: ConnectorId,
    /// For people.
    pub name: String,
    /// Semantic version, `1.2.3`.
    pub version: String,
    /// One or two sentences.
    pub description: String,
    /// What the source is about (F-106).
    #[serde(default, skip_serializing_if = "Category::is_general")]
    pub category: Category,
    /// Words to find it by (F-106).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// What kind it is, and how it connects.
    pub connection: Connection,
    /// The credential form's fields (F-103), empty when the auth kind's own are enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub auth_fields: Vec<AuthField>,
    /// Named operations, in the order of the YAML.
    pub endpoints: IndexMap<String, Endpoint>,
}

impl ConnectorDefinition {
    /// The names of all types.
    pub const KINDS: [&'static str; 7] = [
        "file_parser",
        "rest_api",
        "graphql",
        "existing_tool",
        "web_scraper",
        "rss_feed",
        "database",
    ];

    /// The name of its type, as in the YAML.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        (&self.connection).into()
    }

    /// Names of the credential's parts that a call needs: `api_key`, `token`, or `username` and `password`.
    #[must_use]
    pub fn credential_fields(&self) -> Vec<&'static str> {
        // A form that asks for the host asks for the parts of a connection string; `port` may be left out.
        if self.auth_fields.iter().any(|field| field.name == "host")
            && matches!(self.connection, Connection::Database(_))
        {
            return vec!["host", "database", "user", "password"];
        }
        self.connection.auth().map(|auth| auth.credential_fields().to_vec()).unwrap_or_default()
    }
}

/// How a connector reaches its source, by type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Connection {
    /// Reads files.
    FileParser(FileConnection),
    /// Calls an HTTP API that answers JSON.
    RestApi(RestConnection),
    /// Queries a GraphQL API.
    Graphql(GraphqlConnection),
    /// Uses an action of this system.
    ExistingTool(ToolConnection),
    /// Reads web pages.
    WebScraper(ScraperConnection),
    /// Reads feeds.
    RssFeed(FeedConnection),
    /// Asks a database.
    Database(DatabaseConnection),
}

impl Connection {
    /// How its calls are authenticated, when they can be.
    #[must_use]
    pub fn auth(&self) -> Option<&Auth> {
        match self {
            Self::RestApi(rest) => Some(&rest.auth),
            Self::Graphql(graphql) => Some(&graphql.auth),
            Self::Database(_) => Some(&Auth::ConnectionString),
            Self::FileParser(_)
            | Self::ExistingTool(_)
            | Self::WebScraper(_)
            | Self::RssFeed(_) => None,
        }
    }

    /// Whether a call asks a source outside; uploaded files and actions of this system are within.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        match self {
            Self::FileParser(files) => files.source == FileSource::Url,
            Self::ExistingTool(_) => false,
            Self::RestApi(_)
            | Self::Graphql(_)
            | Self::WebScraper(_)
            | Self::RssFeed(_)
            | Self::Database(_) => true,
        }
    }

    /// How often its source may be called.
    #[must_use]
    pub fn rate_limit(&self) -> Option<RateLimit> {
        match self {
            Self::RestApi(rest) => rest.rate_limit,
            Self::Graphql(graphql) => graphql.rate_limit,
            Self::WebScraper(scraper) => scraper.rate_limit,
            Self::Database(database) => database.rate_limit,
            Self::RssFeed(feeds) => feeds.rate_limit,
            Self::FileParser(files) => files.rate_limit,
            Self::ExistingTool(_) => None,
        }
    }
}

/// Where a file parser's files come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "source"))]
pub enum FileSource {
    /// Files the owner uploaded, by id.
    Upload,
    /// A file behind an HTTPS address.
    Url,
    /// Every file of one of the owner's upload folders.
    Directory,
}

/// The connection of a `file_parser`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileConnection {
    /// Where files come from.
    pub source: FileSource,
    /// File name endings, lower case, without the dot: those of [`PARSERS`].
    pub accepted_formats: Vec<String>,
    /// No larger file is read; default 50.
    pub max_file_size_mb: u32,
    /// Seconds one request may take, its body included; default 30. Only addresses are requested.
    #[serde(default = "FileConnection::usual_timeout")]
    pub timeout_seconds: u32,
    /// How often addresses may be requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
}

impl FileConnection {
    /// What holds when the YAML does not say.
    pub(crate) fn usual_timeout() -> u32 {
        TimeoutSeconds::default().to()
    }
}

/// One named operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Endpoint {
    /// One sentence for people and models (F-093).
    pub description: String,
    /// What a call passes, besides a file parser's `source`.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// What it does.
    pub operation: Operation,
    /// What the records stand for.
    pub entities: EntityRules,
    /// What comes back; inferred from the mapping when the YAML does not say (F-092).
    pub output: OutputSchema,
    /// Fields that some record of every answer has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_fields: Vec<String>,
}

/// One argument of an endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: DataType,
    /// One sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether a call without it is refused.
    #[serde(default)]
    pub required: bool,
    /// What holds when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

/// What an endpoint does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Reads XML.
    ParseXml(ParseRules),
    /// Reads files of another format.
    Parse(Box<FormatRules>),
    /// Calls HTTP.
    Request(Box<RequestRules>),
    /// Sends a GraphQL document.
    Graphql(Box<GraphqlRules>),
    /// Uses an action.
    Tool(Box<ToolRules>),
    /// Reads web pages.
    Scrape(Box<ScrapeRules>),
    /// Reads feeds.
    ReadFeeds(FeedOperation),
    /// Asks a database.
    Query(QueryRules),
}

impl Operation {
    /// How its answers become records, when they are JSON.
    #[must_use]
    pub fn json_mapping(&self) -> Option<&JsonMapping> {
        match self {
            Self::Request(rules) => Some(&rules.mapping),
            Self::Graphql(rules) => Some(&rules.mapping),
            Self::Tool(rules) => Some(&rules.mapping),
            Self::ParseXml(_)
            | Self::Parse(_)
            | Self::Scrape(_)
            | Self::ReadFeeds(_)
            | Self::Query(_) => None,
        }
    }

    /// How it reads texts as numbers and dates; `None` when it never does.
    pub(crate) fn reading_mut(&mut self) -> Option<&mut Reading> {
        match self {
            Self::ParseXml(rules) => Some(&mut rules.reading),
            Self::Parse(rules) => rules.reading_mut(),
            Self::Request(rules) => Some(&mut rules.mapping.reading),
            Self::Graphql(rules) => Some(&mut rules.mapping.reading),
            Self::Tool(rules) if rules.passthrough => None,
            Self::Tool(rules) => Some(&mut rules.mapping.reading),
            Self::Scrape(rules) => Some(&mut rules.reading),
            Self::Query(rules) => Some(&mut rules.reading),
            Self::ReadFeeds(_) => None,
        }
    }

    /// The name of the file parser that does it, or `None` when it reads no file.
    #[must_use]
    pub fn parser(&self) -> Option<&'static str> {
        match self {
            Self::ParseXml(_) => Some("xml"),
            Self::Parse(rules) => Some(rules.parser()),
            Self::Request(_)
            | Self::Graphql(_)
            | Self::Tool(_)
            | Self::Scrape(_)
            | Self::ReadFeeds(_)
            | Self::Query(_) => None,
        }
    }
}

/// What the records of an endpoint stand for (F-090).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EntityRules {
    /// What one record is, such as `nonprofit_officer`.
    #[serde(default)]
    pub entity_type: String,
    /// Entities named in a record's fields.
    #[serde(default)]
    pub extraction: Vec<EntityRule>,
}

/// One field that names an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityRule {
    /// The record's field.
    pub field: String,
    /// `PERSON`, `ORG`, `LOCATION`, … or `auto` (F-095).
    pub entity_type: String,
    /// How it relates to the record's subject, such as `OFFICER_OF`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relationship_type: Option<String>,
}

/// The shape of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "output_schema"))]
pub enum OutputShape {
    /// A list of records, in `results`.
    #[default]
    RecordSet,
    /// One record, its fields as outputs.
    Object,
    /// One value, in `value`.
    Scalar,
}

/// What comes back from an endpoint (F-091).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputSchema {
    /// The shape.
    #[serde(rename = "type")]
    pub shape: OutputShape,
    /// A record's fields.
    pub fields: Vec<Field>,
    /// Whether [`Self::fields`] was inferred from the mapping.
    #[serde(default)]
    pub inferred: bool,
}

impl OutputSchema {
    /// Records with these fields, which follow from the mapping.
    #[must_use]
    pub fn inferred_records(fields: Vec<Field>) -> Self {
        Self { shape: OutputShape::RecordSet, fields, inferred: true }
    }
}

//! Connectors: how an agent reads a source, as data instead of code.
//!
//! A connector is written in YAML ([`parse`] reports every problem with its position), bound to a profile
//! ([`Binding`]), and seen by playbooks as a typed contract per endpoint ([`endpoint_contract`]). This crate is
//! pure: it reads XML from any [`std::io::Read`] ([`xml`]), builds requests ([`request`]) and reads answers
//! ([`answer`]), and knows neither network nor store; `actions-connect` puts it to work.

mod address;
mod announce;
pub mod answer;
mod apply_binding;
mod base64_text;
mod binding;
mod binding_rules;
mod bounds;
mod coerce;
mod contract;
mod css;
mod deployment;
mod describe;
pub mod effect;
mod embed;
mod empty_fields;
mod files;
pub mod graphql;
mod header;
mod infer;
mod json_number;
mod json_path;
mod lookup;
pub mod mapping;
mod model;
pub mod oauth;
mod rate_keys;
mod reading;
mod records;
pub mod request;
pub mod schema;
mod secret;
mod send_problem;
mod sendable;
pub mod sql;
mod target;
mod tool_schema;
mod tools;
mod trust;
pub mod undecoded;
mod written;
pub mod xml;
mod xpath;

pub use announce::Announcer;
pub use binding::{
    AgentConnector, Binding, BindingId, ConfigOverrides, ConnectorSource, CredentialId,
    CredentialSource, FileId, Found, Health, HealthSink, Permissions, SourceError, SourceFuture,
    StoredConnector, keys,
};
pub use binding_rules::Refusal;
pub use coerce::{coerce, exact, uncertain};
pub use contract::{
    CURSOR_ARGUMENT, EndpointContract, FEEDS_FAILED, PROVENANCE_FIELDS, endpoint_contract,
    endpoint_contracts, has_pages, is_irreversible,
};
/// A problem of a connector's text, in the form of every kind of document.
pub use countersign_document::Problem as Diagnostic;
pub use countersign_document::{Severity, Span};
pub use css::{CssSelector, InvalidSelector};
pub use deployment::{DeploymentPart, DeploymentSecrets, deployment_parts};
pub use describe::{ConnectorEffects, described};
pub use empty_fields::empty_everywhere;
pub use files::{FileBody, FileEntry, Files, Listing};
pub use header::{HeaderOverrides, InvalidHeader};
pub use infer::infer_schema;
pub use json_number::{json_number, settled};
pub use json_path::{InvalidJsonPath, JsonPath, JsonStep};
pub use lookup::{Bound, LookupError, bound, find, named};
pub use model::{
    Auth, AuthField, BodyFormat, Category, ClientAuth, ColumnRule, Connection, ConnectorDefinition,
    ConnectorId, CsvRules, DATABASE_PARTS, DatabaseConnection, DetailRules, Driver, Endpoint,
    EntityRule, EntityRules, Feed, FeedConnection, FeedOperation, FieldRule, FileConnection,
    FileSource, FormatRules, GraphqlConnection, GraphqlEffect, GraphqlRules, HtmlRules,
    Idempotency, InvalidConnectorId, InvalidTag, JsonMapping, JsonRules, KEY_HEADER, Layout,
    MAX_DETAILS, MAX_FILE_SIZE_MB, MetadataField, Method, Operation, OutputSchema, OutputShape,
    PARSERS, PageBounds, PagePlace, Pagination, Parameter, ParseRules, PathRule, PdfRecords,
    PdfRules, Pick, QueryRules, RESERVED_IDS, RateLimit, RelayPages, RequestRules, RestConnection,
    Said, ScrapeField, ScrapeRules, ScraperConnection, SslMode, StatementSource, SuccessRule,
    TableRules, Tag, TokenServer, ToolConnection, ToolId, ToolRules, ValueType, XlsxRules, endings,
    media_type,
};
pub use rate_keys::{RatedBy, binding_subject};
pub use reading::{InvalidLocale, InvalidReading, Reading, is_same_figure};
pub use records::{Cell, Record, Records};
pub use secret::{Credential, Secret};
pub use send_problem::{AskedCall, IfApproved, SendProblem, send_problem, send_unknown};
pub use target::target_digest;
pub use tool_schema::{EndpointTool, tool_of};
pub use tools::Tools;
pub use trust::{AcceptedEndpoint, Claim, claims, definition_digest};
pub use written::{Parsed, parse, parse_template};
pub use xpath::{Alternative, Anchor, InvalidPath, XPath};

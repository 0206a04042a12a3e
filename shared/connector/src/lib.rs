//! Connectors: how an agent reads a source, as data instead of code.
//!
//! A connector is written in YAML ([`parse`] reports every problem with its place), bound to a profile
//! ([`Binding`]), and seen by playbooks as a typed contract per endpoint ([`endpoint_contract`]). This crate is
//! pure: it reads XML from any [`std::io::Read`] ([`xml`]), builds requests ([`request`]) and reads answers
//! ([`answer`]), and knows neither network nor store; `actions-connect` puts it to work.

pub mod answer;
mod binding;
mod contract;
mod diagnostic;
mod files;
mod json_path;
mod model;
mod parse;
mod records;
pub mod request;
mod secret;
mod target;
pub mod xml;
mod xpath;
mod yaml;

pub use binding::{
    Binding, BindingId, ConfigOverrides, ConnectorSource, CredentialId, CredentialSource, FileId,
    Health, HealthSink, Permissions, SourceError, StoredConnector, keys,
};
pub use contract::{EndpointContract, PROVENANCE_FIELDS, endpoint_contract, is_irreversible};
pub use diagnostic::{Diagnostic, Position, Severity};
pub use files::{FileBody, FileEntry, Files, Listing};
pub use json_path::{InvalidJsonPath, JsonPath};
pub use model::{
    Auth, AuthField, ColumnRule, Connection, ConnectorDefinition, ConnectorId, CsvRules, Endpoint,
    EntityRule, EntityRules, FieldRule, FileConnection, FileSource, FormatRules, HtmlRules,
    InvalidConnectorId, JsonRules, Method, Operation, OutputSchema, OutputShape, PARSERS,
    PageBounds, Pagination, Parameter, ParseRules, PathRule, PdfRecords, PdfRules, Pick, RateLimit,
    RequestRules, RestConnection, TableRules, ValueType, XlsxRules, endings,
};
pub use parse::{Parsed, parse};
pub use records::{Cell, Records};
pub use secret::{Credential, Secret};
pub use target::{TARGET_PARAM, target_digest};
pub use xpath::{Alternative, Anchor, InvalidPath, XPath};

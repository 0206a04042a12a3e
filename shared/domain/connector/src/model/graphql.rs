//! What is particular to a `graphql` connector (F-097).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::idempotency::Idempotency;
use super::mapping::JsonMapping;
use super::pages::PageBounds;
use super::rest::{Auth, RateLimit};
use crate::json_path::JsonPath;

/// The connection of a `graphql` connector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphqlConnection {
    /// The one address every document is sent to.
    pub endpoint: String,
    /// How calls are authenticated.
    pub auth: Auth,
    /// How often it may be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Seconds one request may take; default 30.
    pub timeout_seconds: u32,
    /// Headers sent with every request.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// How the source tells a repeated call from a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency: Option<Idempotency>,
}

/// What sending a document counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphqlEffect {
    /// A `query`: it reads.
    Query,
    /// A `mutation`, or a query of which nobody has accepted that it only reads: its effect cannot be taken back.
    Mutation,
}

/// How an endpoint queries. Its parameters are the document's variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphqlRules {
    /// The document: one query or mutation, and its fragments.
    pub query: String,
    /// As the document says when it is parsed and stored; [`crate::StoredConnector::trusted`] may take it for a mutation.
    pub effect: GraphqlEffect,
    /// How pages follow each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pagination: Option<RelayPages>,
    /// How records are read from the answer; every path begins with `data`.
    #[serde(flatten)]
    pub mapping: JsonMapping,
}

/// Pages as Relay's connections number them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelayPages {
    /// The variable that takes the cursor; default `after`.
    pub cursor_variable: String,
    /// Where the object with `hasNextPage` and `endCursor` stands.
    pub page_info_path: JsonPath,
    /// Bounds.
    pub bounds: PageBounds,
}

//! A connector as it is written: the one declaration of its shape, and how it becomes what is stored (F-087…F-092).

mod always;
mod auth;
mod connection;
mod database;
mod details;
mod egress;
mod endpoint;
mod feed;
mod fields;
mod file;
mod graphql;
mod graphql_document;
mod headers;
mod mail_body;
mod mapping;
pub(crate) mod names;
mod origin;
mod pages;
mod placeholders;
mod rest;
mod scraper;
mod success_rule;
mod table;
mod text;
mod tool;
mod xml;

#[cfg(test)]
mod tests;

use countersign_document::{Document, List, Named, Problem, Rules, Tagless, read_with};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use self::auth::AuthField;
use self::connection::{Connects, FileConnection, GraphqlConnection, RestConnection};
use self::database::{DatabaseConnection, DatabaseEndpoint};
use self::endpoint::Ends;
use self::feed::{FeedConnection, FeedEndpoint};
use self::file::FileEndpoint;
use self::graphql::GraphqlEndpoint;
use self::origin::Origin;
use self::rest::RestEndpoint;
use self::scraper::{ScraperConnection, ScraperEndpoint};
use self::text::{EndpointName, Id, Version};
use self::tool::{ToolConnection, ToolEndpoint};
use crate::model::{
    self, Category, Connection, ConnectorDefinition, ConnectorId, Endpoint, Tag, endings,
};

/// The outcome of reading a connector.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The connector, when there is no error.
    pub definition: Option<ConnectorDefinition>,
    /// Every error and warning, in the order of the text.
    pub diagnostics: Vec<Problem>,
}

/// Reads the YAML of a user's connector.
#[must_use]
pub fn parse(text: &str) -> Parsed {
    parse_as(text, Origin::User)
}

/// Reads the YAML of a system template: its `auth_fields` may name the environment (K-37).
#[must_use]
pub fn parse_template(text: &str) -> Parsed {
    parse_as(text, Origin::System)
}

fn parse_as(text: &str, origin: Origin) -> Parsed {
    let reading = read_with::<Connector>(text, |connector, rules| {
        connector.check_origin(origin, rules);
    });
    let definition = reading.value.and_then(|connector| connector.definition(origin));
    Parsed { definition, diagnostics: reading.problems }
}

/// A connector: how an agent reads a source, or acts on one. Written bare or under the one key `connector`. Countersign
/// checks more than a schema can: paths, selectors, GraphQL documents, placeholders, and what one part says of another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(extend("x-code" = "unknown_type"))]
pub(crate) enum Connector {
    /// Reads files.
    FileParser(Of<FileConnection, Tagless<FileEndpoint>>),
    /// Calls an HTTP API that answers JSON.
    RestApi(Of<RestConnection, RestEndpoint>),
    /// Queries a GraphQL API.
    Graphql(Of<GraphqlConnection, GraphqlEndpoint>),
    /// Reads web pages.
    WebScraper(Of<ScraperConnection, ScraperEndpoint>),
    /// Reads feeds.
    RssFeed(Of<FeedConnection, FeedEndpoint>),
    /// Uses an action of this system.
    ExistingTool(Of<ToolConnection, ToolEndpoint>),
    /// Asks a database.
    Database(Of<DatabaseConnection, DatabaseEndpoint>),
}

/// What connectors of every type have.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Of<C, E> {
    /// Its name among your connectors: lower-case words joined by hyphens.
    id: Id,
    /// What people read.
    name: String,
    /// Semantic version: three numbers, such as 1.0.0.
    version: Version,
    /// One or two sentences about the source.
    #[serde(default)]
    description: String,
    /// What the source is about.
    #[serde(default)]
    category: Category,
    /// Words to find the connector by.
    #[serde(default)]
    #[schemars(extend("x-code" = "tag"))]
    tags: List<Tag, 0, 20>,
    /// How the source is reached, by type.
    connection: C,
    /// The form in which the owner enters a credential. Left out, it asks for the parts that `auth` needs.
    #[serde(default)]
    #[schemars(extend("x-code" = "auth_fields"))]
    auth_fields: List<AuthField, 0, 20>,
    /// What can be asked of the source, by name. Every endpoint is an action of playbooks and a tool of models.
    #[schemars(extend("x-code" = "missing"))]
    endpoints: Named<EndpointName, E, 1>,
}

/// Does the same with the one connector that there is, whatever its type.
macro_rules! of {
    ($connector:expr, $one:ident => $result:expr) => {
        match $connector {
            Connector::FileParser($one) => $result,
            Connector::RestApi($one) => $result,
            Connector::Graphql($one) => $result,
            Connector::WebScraper($one) => $result,
            Connector::RssFeed($one) => $result,
            Connector::ExistingTool($one) => $result,
            Connector::Database($one) => $result,
        }
    };
}

impl Document for Connector {
    const KIND: &'static str = "connector";
    const WRAPPED: bool = true;

    fn rules(&self, rules: &mut Rules<'_>) {
        of!(self, one => one.rules(rules));
    }
}

impl Connector {
    fn check_origin(&self, origin: Origin, rules: &mut Rules<'_>) {
        let fields = of!(self, one => &one.auth_fields);
        rules.within("auth_fields", |rules| {
            for (n, field) in fields.iter().enumerate() {
                rules.within(n, |rules| field.rules(origin, rules));
            }
        });
    }

    fn definition(&self, origin: Origin) -> Option<ConnectorDefinition> {
        of!(self, one => one.definition(origin))
    }
}

impl<C: Connects, E: Ends> Of<C, E> {
    fn rules(&self, rules: &mut Rules<'_>) {
        rules.within("connection", |rules| self.connection.rules(rules));
        let is_sound = rules.is_sound("/connection");
        let connection = self.connection.model().filter(|_| is_sound);
        if rules.is_sound("/auth_fields") {
            let auth = connection.as_ref().and_then(Connection::auth);
            rules.within("auth_fields", |rules| auth::form(&self.auth_fields, auth, rules));
        }
        rules.within("endpoints", |rules| {
            for (name, endpoint) in self.endpoints.iter() {
                let check = |rules: &mut Rules<'_>| {
                    endpoint::check(name.as_str(), endpoint, connection.as_ref(), rules);
                };
                rules.within(name, check);
            }
        });
    }

    fn definition(&self, origin: Origin) -> Option<ConnectorDefinition> {
        let mut tags: Vec<Tag> = Vec::new();
        for tag in self.tags.iter() {
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        let endpoint = |(name, endpoint): (&EndpointName, &E)| {
            Some((name.as_str().to_owned(), endpoint::model(endpoint)?))
        };
        let endpoints: IndexMap<String, Endpoint> =
            self.endpoints.iter().map(endpoint).collect::<Option<_>>()?;
        Some(ConnectorDefinition {
            id: ConnectorId::parse(self.id.as_str()).ok()?,
            name: self.name.clone(),
            version: self.version.as_str().to_owned(),
            description: self.description.trim().to_owned(),
            category: self.category,
            tags,
            connection: with_formats(self.connection.model()?, &endpoints),
            auth_fields: self.auth_fields.iter().map(|field| field.model(origin)).collect(),
            endpoints,
        })
    }
}

/// A connection that names no formats accepts those its endpoints read.
fn with_formats(mut connection: Connection, all: &IndexMap<String, Endpoint>) -> Connection {
    if let Connection::FileParser(model::FileConnection { accepted_formats: accepted, .. }) =
        &mut connection
        && accepted.is_empty()
    {
        for ending in all.values().filter_map(|one| one.operation.parser()).flat_map(endings) {
            if !accepted.iter().any(|known| known == ending) {
                accepted.push((*ending).to_owned());
            }
        }
    }
    connection
}

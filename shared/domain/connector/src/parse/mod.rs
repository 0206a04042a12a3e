//! A connector's YAML becomes a [`ConnectorDefinition`], or every problem at once (F-087…F-092).

pub(crate) mod auth;
pub(crate) mod bounds;
pub(crate) mod category;
mod connection;
pub(crate) mod database;
mod document;
pub(crate) mod endpoint;
pub(crate) mod feed;
mod field;
mod file;
pub(crate) mod format;
mod graphql;
mod idempotency;
pub(crate) mod mapping;
mod reading;
mod rest;
mod scraper;
mod tool;

use indexmap::IndexMap;

use crate::diagnostic::{Diagnostic, Diagnostics, Position};
use crate::model::{
    Auth, AuthField, Connection, ConnectorDefinition, ConnectorId, Endpoint, RESERVED_IDS,
};
use crate::yaml::{Mapping, Node};

/// The outcome of reading a connector.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The connector, when there is no error.
    pub definition: Option<ConnectorDefinition>,
    /// Every error and warning, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Types this release runs.
pub(crate) const SUPPORTED: [&str; 7] =
    ["file_parser", "rest_api", "graphql", "web_scraper", "rss_feed", "existing_tool", "database"];

/// Who wrote a connector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// Anybody.
    User,
    /// The deployment: a shipped template.
    System,
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
    let mut out = Diagnostics::of(text);
    let definition = match Node::read(text) {
        Ok(node) => whole(&node, origin, &mut out),
        Err(diagnostic) => {
            out.push(diagnostic);
            None
        }
    };
    let definition = definition.filter(|_| !out.has_errors());
    #[cfg(test)]
    if definition.is_some() {
        crate::schema::takes(&Node::read(text).unwrap());
    }
    Parsed { definition, diagnostics: out.sorted() }
}

fn whole(node: &Node, origin: Origin, out: &mut Diagnostics) -> Option<ConnectorDefinition> {
    let mut outer = Mapping::of(node, "the connector", out)?;
    // Both `connector: {…}` and the bare mapping are read.
    if outer.entries().len() == 1
        && let Some(inner) = outer.get("connector")
    {
        return definition(Mapping::of(inner, "the connector", out)?, origin, out);
    }
    definition(outer, origin, out)
}

fn definition(
    mut map: Mapping<'_>,
    origin: Origin,
    out: &mut Diagnostics,
) -> Option<ConnectorDefinition> {
    let id = map.required_text("id", out).and_then(|(text, at)| connector_id(text, at, out));
    let name = map.required_text("name", out).map(|(text, _)| text.to_owned());
    let kind = map.required_text("type", out).and_then(|(text, at)| supported(text, at, out));
    let version = map.required_text("version", out).and_then(|(text, at)| version(text, at, out));
    let description =
        map.text("description", out).map(|(text, _)| text.trim().to_owned()).unwrap_or_default();
    let category = category::category(&mut map, out);
    let tags = category::tags(&mut map, out);
    let auth_fields = auth::auth_fields(&mut map, origin, out);
    let connection_node = map.get("connection");
    let endpoints_node = map.required("endpoints", out);
    let at = map.at;
    map.finish(out);
    let connection = connection::read(kind?, connection_node, at, out);
    let auth_fields = form(auth_fields, connection.as_ref(), out);
    let endpoints = endpoints(kind?, connection.as_ref(), endpoints_node?, out);
    let connection = connection.map(|connection| file::with_formats(connection, &endpoints));
    Some(ConnectorDefinition {
        id: id?,
        name: name?,
        version: version?,
        description,
        category,
        tags,
        connection: connection?,
        auth_fields,
        endpoints,
    })
}

fn connector_id(text: &str, at: Position, out: &mut Diagnostics) -> Option<ConnectorId> {
    if RESERVED_IDS.contains(&text) {
        let hint = format!("such as `{text}-of-mine`");
        out.hinted("id", at, format!("`{text}` is an address of its own: take another id"), hint);
        return None;
    }
    ConnectorId::parse(text).map_err(|error| out.error("id", at, error.to_string())).ok()
}

fn supported(text: &str, at: Position, out: &mut Diagnostics) -> Option<&'static str> {
    if let Some(kind) = SUPPORTED.into_iter().find(|kind| *kind == text) {
        return Some(kind);
    }
    let hint = crate::yaml::nearest(text, SUPPORTED.into_iter())
        .map_or_else(supported_types, |near| format!("did you mean `{near}`?"));
    out.hinted("unknown_type", at, format!("`{text}` is not a type of connector"), hint);
    None
}

fn version(text: &str, at: Position, out: &mut Diagnostics) -> Option<String> {
    let core = text.split(['-', '+']).next().unwrap_or_default();
    let number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    if core.split('.').count() == 3 && core.split('.').all(number) && text.len() <= 64 {
        return Some(text.to_owned());
    }
    out.hinted(
        "version",
        at,
        format!("`{text}` is not a semantic version"),
        "write three numbers, such as `1.0.0`",
    );
    None
}

fn supported_types() -> String {
    format!("supported are {}", SUPPORTED.map(|kind| format!("`{kind}`")).join(", "))
}

/// The form asks for the parts the calls need, and every one of them.
fn form(
    fields: Vec<(AuthField, Position)>,
    connection: Option<&Connection>,
    out: &mut Diagnostics,
) -> Vec<AuthField> {
    let auth = connection.and_then(Connection::auth);
    if let Some((needed, [(_, first), ..])) =
        auth.map(Auth::credential_fields).zip(Some(&fields[..]))
    {
        for (field, at) in &fields {
            if !auth.is_some_and(|auth| auth.takes(&field.name)) {
                let message = format!("calls of this connector do not use `{}`", field.name);
                let hint = match needed {
                    [] => "its `auth` needs no credential".to_owned(),
                    needed => format!("they use {}", needed.join(" and ")),
                };
                out.hinted("auth_fields", *at, message, hint);
            }
        }
        for name in needed.iter().filter(|_| !auth.is_some_and(Auth::has_choices)) {
            if !fields.iter().any(|(field, _)| field.name == **name) {
                out.error("auth_fields", *first, format!("the form does not ask for `{name}`"));
            }
        }
    }
    fields.into_iter().map(|(field, _)| field).collect()
}

fn endpoints(
    kind: &'static str,
    connection: Option<&Connection>,
    node: &Node,
    out: &mut Diagnostics,
) -> IndexMap<String, Endpoint> {
    let mut all = IndexMap::new();
    let Some(map) = Mapping::of(node, "`endpoints`", out) else { return all };
    if map.entries().is_empty() {
        out.error("missing", map.at, "a connector needs at least one endpoint");
    }
    for (name, at, node) in map.entries() {
        if !is_name(name) {
            out.error(
                "name",
                *at,
                format!(
                    "`{name}` is not an endpoint name: letters, digits and `_`, first a letter"
                ),
            );
        }
        if let Some(endpoint) = endpoint::read(kind, connection, name, node, out) {
            all.insert(name.clone(), endpoint);
        }
    }
    all
}

/// Letters, digits and underscores, first a letter or an underscore; at most 64 characters.
pub(crate) fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod format_tests;
#[cfg(test)]
mod tests;

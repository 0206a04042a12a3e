//! `connection`, by type.

use indexmap::IndexMap;
use url::Url;

use super::auth::auth_or_none;
use super::bounds;
use super::idempotency::{check_free, idempotency};
use super::{graphql, tool};
use crate::diagnostic::{Diagnostics, Position};
use crate::header::is_sendable;
use crate::model::{Connection, Idempotency, KEY_HEADER, RateLimit, RestConnection};
use crate::yaml::{Mapping, Node, as_text};

pub(super) fn read(
    kind: &str,
    node: Option<&Node>,
    at: Position,
    out: &mut Diagnostics,
) -> Option<Connection> {
    let map = match node {
        Some(node) => Mapping::of(node, "`connection`", out)?,
        None => {
            out.error("missing", at, "the connector has no `connection`");
            return None;
        }
    };
    match kind {
        "file_parser" => super::file::connection(map, out).map(Connection::FileParser),
        "graphql" => graphql::connection(map, out).map(Connection::Graphql),
        "existing_tool" => tool::connection(map, out).map(Connection::ExistingTool),
        "web_scraper" => super::scraper::connection(map, out),
        "rss_feed" => super::feed::connection(map, out),
        "database" => super::database::connection(map, out).map(Connection::Database),
        _ => rest(map, out).map(Connection::RestApi),
    }
}

fn rest(mut map: Mapping<'_>, out: &mut Diagnostics) -> Option<RestConnection> {
    let base_url = map
        .required_text("base_url", out)
        .and_then(|(text, at)| address("base_url", text, at, out));
    let auth = auth_or_none(&mut map, out);
    let rate_limit = map.mapping("rate_limit", out).map(|rate| rate_limit(rate, out));
    let timeout_seconds = bounds::TIMEOUT_SECONDS.of(&mut map, out);
    let headers = headers(&mut map, out);
    let idempotency = idempotency(&mut map, auth.as_ref(), out);
    check_free(&mut map, auth.as_ref(), key_header(idempotency.as_ref()), out);
    map.finish(out);
    Some(RestConnection {
        base_url: base_url?,
        auth: auth?,
        rate_limit,
        timeout_seconds,
        headers,
        idempotency,
    })
}

/// The header of the key, of a connection that is still being read.
pub(super) fn key_header(idempotency: Option<&Idempotency>) -> &str {
    idempotency.map_or(KEY_HEADER, |idempotency| &idempotency.header)
}

pub(super) fn address(
    key: &'static str,
    text: &str,
    at: Position,
    out: &mut Diagnostics,
) -> Option<String> {
    crate::address::address(key, text).map_err(|message| out.error(key, at, message)).ok()
}

/// An address that may have a query.
pub(super) fn whole_address(
    key: &'static str,
    text: &str,
    at: Position,
    out: &mut Diagnostics,
) -> Option<Url> {
    crate::address::whole(key, text).map_err(|message| out.error(key, at, message)).ok()
}

pub(super) fn rate_limit(mut map: Mapping<'_>, out: &mut Diagnostics) -> RateLimit {
    let limit = RateLimit {
        requests_per_second: bounds::PER_SECOND.given(&mut map, out),
        requests_per_minute: bounds::PER_MINUTE.given(&mut map, out),
        requests_per_hour: bounds::PER_HOUR.given(&mut map, out),
        requests_per_day: bounds::PER_DAY.given(&mut map, out),
        requests_per_month: bounds::PER_MONTH.given(&mut map, out),
    };
    if map.entries().is_empty() {
        out.error("rate_limit", map.at, "`rate_limit` names no rate");
    }
    map.finish(out);
    limit
}

pub(super) fn headers(map: &mut Mapping<'_>, out: &mut Diagnostics) -> IndexMap<String, String> {
    let mut all = IndexMap::new();
    let Some(map) = map.mapping("headers", out) else { return all };
    for (name, at, node) in map.entries() {
        let (Some(name), Some(value)) = (header_name(name, *at, out), as_text(node, name, out))
        else {
            continue;
        };
        if !is_sendable(value) {
            let message = format!(
                "the value of header `{name}` must be printable ASCII, without spaces at its edges"
            );
            out.error("header", node.at, message);
        } else if all.contains_key(&name) {
            out.error("duplicate", *at, format!("the header `{name}` stands here twice"));
        } else {
            all.insert(name, value.to_owned());
        }
    }
    all
}

/// A header a connector may set: those that frame, route or authenticate the request are not its business.
pub(super) fn header_name(name: &str, at: Position, out: &mut Diagnostics) -> Option<String> {
    let settable = crate::header::settable(name);
    if settable.is_none() {
        out.error("header", at, format!("`{name}` is not a header that a connector may set"));
    }
    settable
}

//! From the type of a connector to what calls it.

use countersign_connector::{Connection, Operation};
use countersign_registry::action::Call;
use serde_json::Value;

use crate::binding::Resolved;
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::graphql::Graphql;
use crate::pages::{Asked, run};
use crate::rest::Rest;
use crate::{database, feed, file, scraper, tool};

/// Calls the endpoint once, without its circuit breaker.
pub(crate) async fn act(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
) -> Result<Value, ConnectError> {
    match (&resolved.definition.connection, &resolved.endpoint.operation) {
        (
            Connection::FileParser(connection),
            operation @ (Operation::ParseXml(_) | Operation::Parse(_)),
        ) => file::call(deps, call, resolved, connection, operation).await,
        (Connection::RestApi(connection), Operation::Request(rules)) => {
            let rest = Rest { asked: Asked::of(call, resolved)?, connection, rules };
            run(deps, call, resolved, (&connection.auth, connection.timeout_seconds), &rest).await
        }
        (Connection::Graphql(connection), Operation::Graphql(rules)) => {
            let graphql = Graphql { asked: Asked::of(call, resolved)?, connection, rules };
            let terms = (&connection.auth, connection.timeout_seconds);
            run(deps, call, resolved, terms, &graphql).await
        }
        (Connection::ExistingTool(connection), Operation::Tool(rules)) => {
            tool::call(deps, call, resolved, connection, rules).await
        }
        (Connection::WebScraper(connection), Operation::Scrape(rules)) => {
            scraper::call(deps, call, resolved, connection, rules).await
        }
        (Connection::RssFeed(connection), Operation::ReadFeeds(_)) => {
            feed::call(deps, call, resolved, connection).await
        }
        (Connection::Database(connection), Operation::Query(rules)) => {
            database::call(deps, call, resolved, connection, rules).await
        }
        // The parser makes none of these.
        _ => Err(ConnectError::Argument(
            "the connector's endpoint is of another type than its connection".to_owned(),
        )),
    }
}

//! A `database`: its connection and its endpoints.

use serde_json::{Value, json};

use super::build::{Keys, choice, described, expression, reference, text, truth, usually};
use super::endpoint::{parameters, shared};
use crate::model::SslMode;
use crate::parse::bounds::{MAX_ROWS, POOL_SIZE, TIMEOUT_SECONDS};
use crate::parse::database::{DRIVERS, PEM_BEGINS, PRIVATE_KEY};

const SCHEMA: &str = "^[a-z_][a-z0-9_]{0,62}$";

pub(super) fn connection() -> Value {
    let keys = Keys::new()
        .required("driver", choice(DRIVERS, "The kind of server."))
        .key("auth", auth())
        .key("sslmode", sslmode())
        .key("ca_certificate", json!({
            "description": "Certificates as PEM that vouch for the server, beside those known everywhere.",
            "type": "string",
            "pattern": PEM_BEGINS,
            "not": { "pattern": PRIVATE_KEY },
        }))
        .key("schema", search_path())
        .bound(POOL_SIZE, "Connections that one instance keeps open.")
        .bound(TIMEOUT_SECONDS, "Seconds one statement may take.")
        .key("read_only", json!({
            "description": "Every statement runs in a transaction that cannot write; leave this out.",
            "type": "boolean",
            "enum": [true],
        }))
        .key("allow_free_sql", truth("Whether endpoints may take the statement from the call.", false))
        .key("rate_limit", reference("rate_limit"));
    described(keys.closed(), "A PostgreSQL server that is read with one statement at a time.")
}

fn search_path() -> Value {
    let name = json!({ "type": "string", "pattern": SCHEMA });
    json!({
        "description": "The schema whose tables need no prefix, or several to look in, in turn.",
        "anyOf": [name, { "type": "array", "items": name }],
    })
}

fn auth() -> Value {
    let keys = Keys::new().required("type", choice(["connection_string"], "The only way.")).key(
        "env_var",
        text("Ignored with a warning: credentials come from the owner's vault only."),
    );
    described(keys.closed(), "The connection string stands in the owner's vault, never here.")
}

fn sslmode() -> Value {
    let modes = json!({
        "description": "How the server proves who it is; `disable` is for a database on the same machine.",
        "type": "string",
        "enum": [SslMode::VerifyFull, SslMode::Disable],
    });
    usually(modes, json!(SslMode::VerifyFull))
}

pub(super) fn endpoint() -> Value {
    let keys = shared("database", parameters())
        .key("type", usually(choice(["sql"], "The only kind."), "sql"))
        .key("sql", expression("One statement that reads; `:name` or `$1` stands for a parameter's value. Left out, the call brings it, when `allow_free_sql` says so."))
        .bound(MAX_ROWS, "No more rows come back.");
    described(keys.closed(), "One statement.")
}

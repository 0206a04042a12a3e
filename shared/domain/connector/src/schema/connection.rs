//! `connection`, by type of connector.

use serde_json::{Value, json};

use super::build::{
    Keys, by_word, choice, described, in_any_case, matching, reference, text, usually,
};
use super::{database, file};
use crate::header::RESERVED;
use crate::model::{KEY_HEADER, ToolId};
use crate::parse::bounds::{
    DELAY_SECONDS, IDEMPOTENCY_HOURS, MAX_ITEMS_PER_POLL, PER_DAY, PER_HOUR, PER_MINUTE, PER_MONTH,
    PER_SECOND, POLL_INTERVAL_MINUTES, TIMEOUT_SECONDS,
};
use crate::parse::feed::MOST_FEEDS;

/// An address without query and fragment. Tabs and line breaks are left out when an address is read.
const ADDRESS: &str = r"^[^?#]*([Hh][Tt][Tt][Pp][Ss]?:|[\t\n\r])[^?#]*$";
const FEED_ADDRESS: &str = r"[Hh][Tt][Tt][Pp][Ss]?:|[\t\n\r]";
const SCHEME: &str = "^[A-Za-z0-9-]{1,32}$";
const HEADER: &str = "^[A-Za-z0-9_-]{1,64}$";

/// The schema of a type's `connection`. A type without one takes nothing, which the tests do not let pass.
pub(super) fn of(kind: &str) -> Value {
    match kind {
        "rest_api" => rest(),
        "graphql" => graphql(),
        "web_scraper" => scraper(),
        "file_parser" => file::connection(),
        "rss_feed" => feeds(),
        "existing_tool" => tool(),
        "database" => database::connection(),
        _ => Value::Bool(false),
    }
}

fn calls() -> Keys {
    Keys::new()
        .key("auth", described(reference("auth"), "How requests prove who sends them."))
        .key("rate_limit", reference("rate_limit"))
        .bound(TIMEOUT_SECONDS, "Seconds one request may take.")
        .key("headers", reference("headers"))
        .key("idempotency", idempotency())
}

fn idempotency() -> Value {
    let keys = Keys::new()
        .key("header", usually(header("The header that carries the key."), KEY_HEADER))
        .bound(IDEMPOTENCY_HOURS, "How long the source remembers a key.")
        .also("minProperties", 1.into());
    described(
        keys.closed(),
        "How the source tells a repeated call from a new one: every call with an effect carries a key.",
    )
}

fn rest() -> Value {
    let base = matching(
        ADDRESS,
        "Prefix of every path; HTTPS, without query, fragment, user and password.",
    );
    described(
        Keys::new().required("base_url", base).and(calls()).closed(),
        "An HTTP API that answers JSON.",
    )
}

fn graphql() -> Value {
    let endpoint =
        matching(ADDRESS, "The API's address; HTTPS, without query, fragment, user and password.");
    described(Keys::new().required("endpoint", endpoint).and(calls()).closed(), "A GraphQL API.")
}

fn scraper() -> Value {
    let base = matching(
        ADDRESS,
        "Prefix of every path; HTTPS, without query, fragment, user and password.",
    );
    let robots = json!({
        "description": "robots.txt is always honoured; leave this out.", "type": "boolean", "enum": [true],
    });
    let keys = Keys::new()
        .required("base_url", base)
        .key("headers", reference("headers"))
        .bound(DELAY_SECONDS, "Seconds between two requests of a call; the site's own Crawl-delay holds when it is longer.")
        .bound(TIMEOUT_SECONDS, "Seconds one request may take.")
        .key("rate_limit", reference("rate_limit"))
        .key("respect_robots", robots);
    described(keys.closed(), "A site whose pages are read with CSS selectors, over plain HTTP.")
}

fn feeds() -> Value {
    let name = json!({
        "description": "What calls name it by; `all` is taken.",
        "type": "string",
        "maxLength": 100,
        "pattern": r"\S",
        "not": { "pattern": format!("^({})$", in_any_case(["all"])) },
    });
    let feed = Keys::new()
        .required(
            "url",
            matching(FEED_ADDRESS, "The feed's address, HTTPS: RSS, Atom or JSON Feed."),
        )
        .required("name", name)
        .key("description", text("One sentence."));
    let feeds = json!({
        "description": "The feeds.", "type": "array", "items": feed.closed(),
        "minItems": 1, "maxItems": MOST_FEEDS,
    });
    let keys = Keys::new()
        .required("feeds", feeds)
        .bound(POLL_INTERVAL_MINUTES, "How often a monitor should ask.")
        .bound(MAX_ITEMS_PER_POLL, "Items of one call, over all feeds, newest first.")
        .bound(TIMEOUT_SECONDS, "Seconds one request may take.")
        .key("rate_limit", reference("rate_limit"));
    described(keys.closed(), "Feeds to read.")
}

fn tool() -> Value {
    let pairs: Vec<(&str, &str)> =
        ToolId::ALL.iter().flat_map(|tool| tool.written_as()).copied().collect();
    let one_of = |words: Vec<&'static str>| {
        let mut words = words;
        words.dedup();
        words
    };
    let modules = one_of(pairs.iter().map(|(module, _)| *module).collect());
    let functions = one_of(pairs.iter().map(|(_, function)| *function).collect());
    let pair = |(module, function): &(&str, &str)| json!({ "properties": { "tool_module": { "const": module }, "tool_function": { "const": function } } });
    let either = json!([
        {
            "required": ["tool"],
            "properties": {
                "tool": { "type": "string" },
                "tool_module": { "type": "null" },
                "tool_function": { "type": "null" },
            },
        },
        {
            "required": ["tool_module", "tool_function"],
            "properties": { "tool": { "type": "null" } },
            "anyOf": pairs.iter().map(pair).collect::<Vec<_>>(),
        },
    ]);
    let keys = Keys::new()
        .key("tool", choice(ToolId::ALL.map(ToolId::as_str), "The action it stands for."))
        .key(
            "tool_module",
            choice(modules, "The module of the action, with `tool_function` instead of `tool`."),
        )
        .key(
            "tool_function",
            choice(functions, "The function of the action, with `tool_module` instead of `tool`."),
        )
        .also("oneOf", either);
    described(
        keys.closed(),
        "An action of this system: `tool`, or `tool_module` and `tool_function`.",
    )
}

pub(super) fn auth() -> Value {
    let ignored = || {
        Keys::new().key(
            "env_var",
            text("Ignored with a warning: credentials come from the owner's vault only."),
        )
    };
    let one = |key: &str, other: &str| json!({ "required": [key], "properties": { key: { "type": "string" }, other: { "type": "null" } } });
    let api_key = ignored()
        .key("key_param", text("The query parameter that carries the key."))
        .key("header", header("The header that carries the key."))
        .also("oneOf", json!([one("key_param", "header"), one("header", "key_param")]));
    let oauth2 = ignored()
        .required("token_url", matching(ADDRESS, "Where a token is bought; HTTPS."))
        .key("scope", text("What the token is for."))
        .key(
            "client_auth",
            usually(
                choice(
                    ["header", "body"],
                    "Where the token request carries the client's id and secret.",
                ),
                "header",
            ),
        );
    let bearer = ignored()
        .key("scheme", usually(matching(SCHEME, "The word in front of the token."), "Bearer"));
    let branches = vec![
        ("none", ignored()),
        ("api_key", api_key),
        ("bearer_token", bearer),
        ("basic", ignored()),
        ("oauth2_client_credentials", oauth2),
    ];
    by_word(
        "type",
        "How requests prove who sends them. The secrets stand in the owner's vault, never here.",
        false,
        branches,
    )
}

fn header(description: &str) -> Value {
    let reserved = format!("^({})$", in_any_case(RESERVED).replace("-", "[-_]"));
    described(
        json!({ "type": "string", "pattern": HEADER, "not": { "pattern": reserved } }),
        description,
    )
}

pub(super) fn headers() -> Value {
    json!({
        "description": "Headers sent with every request. Those that frame, route or authenticate it cannot be set.",
        "type": "object",
        "propertyNames": header("A header."),
        "additionalProperties": matching("^([!-~]([ -~]*[!-~])?)?$", "Printable ASCII, without spaces at its edges."),
    })
}

pub(super) fn rate_limit() -> Value {
    let keys = Keys::new()
        .bound(PER_SECOND, "Calls in a second.")
        .bound(PER_MINUTE, "Calls in a minute.")
        .bound(PER_HOUR, "Calls in an hour.")
        .bound(PER_DAY, "Calls in a day.")
        .bound(PER_MONTH, "Calls in a month.")
        .also("minProperties", 1.into());
    described(keys.closed(), "How often the source may be called, counted across all instances.")
}

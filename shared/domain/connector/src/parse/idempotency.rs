//! `idempotency` of a connection, and headers that something else writes.

use super::bounds;
use super::connection::header_name;
use crate::diagnostic::Diagnostics;
use crate::header::{COMPOSED, is_header};
use crate::model::{Auth, Idempotency, KEY_HEADER};
use crate::yaml::{Kind, Mapping, Node};

/// Reads `idempotency`; its header must be free.
pub(super) fn idempotency(
    map: &mut Mapping<'_>,
    auth: Option<&Auth>,
    out: &mut Diagnostics,
) -> Option<Idempotency> {
    let mut map = map.mapping("idempotency", out)?;
    let given = map.text("header", out);
    let hours = bounds::IDEMPOTENCY_HOURS.given(&mut map, out);
    if map.entries().is_empty() {
        let message = "`idempotency` says nothing";
        out.hinted(
            "idempotency",
            map.at,
            message,
            "name its `header`, its `hours`, or leave it out",
        );
    }
    map.finish(out);
    let Some((text, at)) = given else {
        return Some(Idempotency { header: KEY_HEADER.to_owned(), hours });
    };
    let header = header_name(text, at, out)?;
    let holder = if COMPOSED.contains(&header.as_str()) {
        Some("says something else in every request")
    } else if auth.and_then(Auth::header).is_some_and(|own| is_header(own, &header)) {
        Some("carries the credential")
    } else {
        None
    };
    if let Some(holder) = holder {
        let message = format!("the header `{text}` {holder} and cannot carry the idempotency key");
        out.hinted("idempotency", at, message, "name the header that the source reads a key from");
    }
    Some(Idempotency { header, hours })
}

/// Refuses headers of a connection or an endpoint that the credential or the key would replace.
pub(super) fn check_free(
    map: &mut Mapping<'_>,
    auth: Option<&Auth>,
    key_header: &str,
    out: &mut Diagnostics,
) {
    let Some(Node { kind: Kind::Map(entries), .. }) = map.get("headers") else { return };
    for (name, at, _) in entries {
        if auth.and_then(Auth::header).is_some_and(|own| is_header(own, name)) {
            let message = format!("the header `{name}` carries the credential");
            out.hinted("header", *at, message, "leave it out: its value comes from the vault");
        } else if is_header(key_header, name) {
            let message = format!("the header `{name}` carries the idempotency key");
            out.hinted("header", *at, message, "leave it out: every call has a key of its own");
        }
    }
}

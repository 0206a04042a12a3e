//! Requests of a `graphql` connector and what its answers mean (F-097), without sending them.

use countersign_failure::one_line;
use serde_json::{Map, Value, json};
use url::Url;

use crate::answer::{NextPage, Unreachable};
use crate::model::{BodyFormat, GraphqlConnection, GraphqlEffect, GraphqlRules, Method};
use crate::request::{Request, RequestError, authenticate, headers};
use crate::secret::Credential;

/// Errors of one answer that are told.
const TOLD: usize = 5;

/// The request of a call. `arguments` are the document's variables; those that are null are left out, so that the
/// document's own defaults hold.
///
/// # Errors
/// [`RequestError`] when a part of the credential is missing, or the cursor is none.
pub fn build(
    connection: &GraphqlConnection,
    rules: &GraphqlRules,
    arguments: &Map<String, Value>,
    cursor: Option<&Value>,
    credential: Option<&Credential>,
) -> Result<Request, RequestError> {
    let mut request = unsigned(connection, rules, arguments, cursor)?;
    authenticate(&connection.auth, credential, &mut request)?;
    Ok(request)
}

/// The request of a call, without anything that proves who sends it.
///
/// # Errors
/// [`RequestError`] when the address is not one, or the cursor is none.
pub fn unsigned(
    connection: &GraphqlConnection,
    rules: &GraphqlRules,
    arguments: &Map<String, Value>,
    cursor: Option<&Value>,
) -> Result<Request, RequestError> {
    let url = Url::parse(&connection.endpoint)?;
    let mut variables: Map<String, Value> = arguments
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    match (cursor, &rules.pagination) {
        (None, _) => {}
        (Some(Value::String(cursor)), Some(pages)) if !cursor.is_empty() => {
            variables.insert(pages.cursor_variable.clone(), cursor.as_str().into());
        }
        _ => return Err(RequestError::Cursor),
    }
    Ok(Request {
        method: Method::Post,
        url,
        headers: headers([&connection.headers]),
        body: Some(json!({ "query": rules.query, "variables": variables })),
        body_format: BodyFormat::Json,
        key_param: None,
    })
}

/// What an answer's `errors` mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphqlAnswer {
    /// There are none.
    Fine,
    /// There are some beside the data: each in one text.
    Partial(Vec<String>),
    /// There is neither data nor an error.
    NotGraphql,
    /// There is no data.
    Failed {
        /// What the source says.
        message: String,
        /// What to make of it.
        reason: Reason,
    },
}

/// Why a document was not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The credential is refused.
    Unauthenticated,
    /// Too many calls.
    Throttled,
    /// The document or its variables are wrong: nothing was carried out.
    Refused,
    /// It was begun, and something went wrong.
    Broken,
}

/// Reads an answer's errors.
#[must_use]
pub fn outcome(answer: &Value) -> GraphqlAnswer {
    let errors: &[Value] =
        answer.get("errors").and_then(Value::as_array).map_or(&[], Vec::as_slice);
    let data = answer.get("data");
    if errors.is_empty() {
        return match data {
            Some(_) => GraphqlAnswer::Fine,
            None => GraphqlAnswer::NotGraphql,
        };
    }
    let told: Vec<String> = errors.iter().take(TOLD).map(one_error).collect();
    if data.is_some_and(has_value) {
        return GraphqlAnswer::Partial(told);
    }
    let reason = errors.iter().find_map(named_reason).unwrap_or(match data {
        // The standard leaves `data` out when nothing was carried out, and sets it to null when something was begun.
        None => Reason::Refused,
        Some(_) => Reason::Broken,
    });
    GraphqlAnswer::Failed { message: told.join("; "), reason }
}

/// Whether there is anything in `data`: an object of nothing but nulls holds no answer.
fn has_value(data: &Value) -> bool {
    match data {
        Value::Object(fields) => fields.values().any(|value| !value.is_null()),
        other => !other.is_null(),
    }
}

fn one_error(error: &Value) -> String {
    let message =
        error.get("message").and_then(Value::as_str).unwrap_or("an error without a message");
    let message: String = one_line(message).chars().take(200).collect();
    let steps = error.get("path").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let path: Vec<String> = steps
        .iter()
        .take(16)
        .map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned))
        .collect();
    if path.is_empty() { message } else { format!("{message} (at `{}`)", path.join(".")) }
}

/// What servers call the two failures a caller can do something about, in `extensions.code` or in `type`.
fn named_reason(error: &Value) -> Option<Reason> {
    let code = error.pointer("/extensions/code").or_else(|| error.get("type"))?.as_str()?;
    match code.to_ascii_uppercase().as_str() {
        "UNAUTHENTICATED" | "UNAUTHORIZED" | "FORBIDDEN" => Some(Reason::Unauthenticated),
        "RATE_LIMITED" | "RATE_LIMIT" | "THROTTLED" | "TOO_MANY_REQUESTS" => {
            Some(Reason::Throttled)
        }
        _ => None,
    }
}

/// The next page, if the answer has one.
///
/// # Errors
/// [`Unreachable`] when the answer says that there is one, and not where.
pub fn next_page(
    rules: &GraphqlRules,
    request: &Request,
    answer: &Value,
) -> Result<Option<NextPage>, Unreachable> {
    let Some(pages) = &rules.pagination else { return Ok(None) };
    let Some(info) = pages.page_info_path.find(answer) else { return Ok(None) };
    if info.get("hasNextPage") != Some(&Value::Bool(true)) {
        return Ok(None);
    }
    let cursor = info.get("endCursor").and_then(Value::as_str).filter(|cursor| !cursor.is_empty());
    let cursor = Value::from(cursor.ok_or(Unreachable::Nowhere)?);
    let mut request = request.clone();
    let body = request.body.as_mut().and_then(|body| body.get_mut("variables"));
    // A call that was signed is sent once, and its body is not composed again: there the next page is only told of.
    let variables = body.and_then(Value::as_object_mut);
    let before = variables
        .and_then(|variables| variables.insert(pages.cursor_variable.clone(), cursor.clone()));
    // A source that names the same page again would never end.
    if before.as_ref() == Some(&cursor) {
        return Err(Unreachable::Nowhere);
    }
    Ok(Some(NextPage { request, cursor }))
}

impl GraphqlRules {
    /// Whether a call counts as changing something.
    #[must_use]
    pub fn has_effect(&self) -> bool {
        self.effect == GraphqlEffect::Mutation
    }
}

#[cfg(test)]
mod tests;

//! Calling a `graphql` connector (F-097).

use countersign_connector::answer::AnswerError;
use countersign_connector::graphql::{GraphqlAnswer, Reason, build, next_page, outcome};
use countersign_connector::mapping::{Mapped, Part, metadata, records};
use countersign_connector::request::{Request, RequestError};
use countersign_connector::{Credential, GraphqlConnection, GraphqlRules, PageBounds};
use countersign_decimal::json::ExactJson;
use countersign_failure::json_problem;
use countersign_http_out::Answer;
use countersign_registry::Warnings;

use crate::calling::Caller;
use crate::error::ConnectError;
use crate::pages::{Asked, Page, Paged, Unread};

pub(crate) struct Graphql<'g> {
    pub(crate) asked: Asked<'g>,
    pub(crate) connection: &'g GraphqlConnection,
    pub(crate) rules: &'g GraphqlRules,
}

impl Graphql<'_> {
    /// An answer that is not JSON: of a mutation nobody knows what it did.
    fn not_json(&self, caller: &Caller<'_>, status: u16, error: &serde_json::Error) -> Unread {
        let error = AnswerError::NotJson(json_problem(&error.to_string()));
        if !self.rules.has_effect() {
            return error.into();
        }
        Unread::Failed(self.failure(caller, status, &error.to_string(), Reason::Broken))
    }

    /// Errors without data. One with an effect that was begun may have done it.
    fn failure(
        &self,
        caller: &Caller<'_>,
        status: u16,
        message: &str,
        reason: Reason,
    ) -> ConnectError {
        let connector = self.asked.connector.clone();
        match reason {
            Reason::Unauthenticated => {
                ConnectError::AuthFailed { connector, status, message: caller.scrub(message) }
            }
            Reason::Throttled => ConnectError::Throttled { connector },
            Reason::Refused | Reason::Broken => {
                let error = ConnectError::Graphql { connector, message: caller.scrub(message) };
                if self.rules.has_effect() && reason == Reason::Broken {
                    return caller.in_doubt(&error);
                }
                error
            }
        }
    }
}

impl Paged for Graphql<'_> {
    fn first(&self, credential: Option<&Credential>) -> Result<Request, RequestError> {
        build(self.connection, self.rules, &self.asked.arguments, self.asked.cursor, credential)
    }

    fn read(
        &self,
        caller: &Caller<'_>,
        request: &Request,
        answer: &Answer,
        before: usize,
    ) -> Result<Page, Unread> {
        let json = match ExactJson::from_slice(&answer.body) {
            Ok(json) => json,
            Err(error) => return Err(self.not_json(caller, answer.status, &error)),
        };
        let partial = match outcome(json.value()) {
            GraphqlAnswer::Fine => Vec::new(),
            GraphqlAnswer::Partial(errors) => errors,
            // Of a mutation nobody knows what it did.
            GraphqlAnswer::NotGraphql if !self.rules.has_effect() => {
                return Err(AnswerError::NotGraphql.into());
            }
            GraphqlAnswer::NotGraphql => {
                let message = AnswerError::NotGraphql.to_string();
                let error = self.failure(caller, answer.status, &message, Reason::Broken);
                return Err(Unread::Failed(error));
            }
            GraphqlAnswer::Failed { message, reason } => {
                // `data: null` says that something was begun: whatever its error is called, it may have happened.
                let begun = self.rules.has_effect() && json.value().get("data").is_some();
                let reason = if begun { Reason::Broken } else { reason };
                return Err(Unread::Failed(self.failure(caller, answer.status, &message, reason)));
            }
        };
        let partial =
            partial.iter().map(|error| format!("the source says: {}", caller.scrub(error)));
        let mut warnings: Warnings = partial.collect();
        // What the errors left out is null, and not an answer of another shape.
        let part = Part { before, most: self.room(before) };
        let mut found = match records(&self.rules.mapping, self.asked.schema, &json, part) {
            Err(_) if !warnings.is_empty() => Mapped::default(),
            found => found?,
        };
        caller.scrub_decoded(&mut found.records, &self.rules.mapping.base64);
        warnings.append(found.warnings);
        let (metadata, complaints) = metadata(&self.rules.mapping, &json);
        warnings.extend(complaints);
        let next = next_page(self.rules, request, &json.settled());
        Ok(Page { records: found.records, metadata, warnings, ..Page::default() }.before(next))
    }

    fn has_effect(&self) -> bool {
        self.rules.has_effect()
    }

    fn bounds(&self) -> PageBounds {
        self.rules.pagination.as_ref().map(|pages| pages.bounds).unwrap_or_default()
    }
}

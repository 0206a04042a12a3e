//! Calling a `rest_api` (F-096).

use countersign_connector::answer::{AnswerError, next_page};
use countersign_connector::mapping::{Mapped, Part, metadata, records};
use countersign_connector::request::{Request, RequestError, build, continue_at};
use countersign_connector::{
    Credential, Method, OutputSchema, PageBounds, Pagination, RequestRules, RestConnection,
};
use countersign_failure::json_problem;
use countersign_http_out::Answer;
use countersign_registry::action::Call;
use serde_json::{Map, Value};

use crate::binding::Resolved;
use crate::calling::{Caller, arguments, cursor};
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::pages::{Page, Paged, Unread, run};

pub(crate) async fn call(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    connection: &RestConnection,
    rules: &RequestRules,
) -> Result<Value, ConnectError> {
    let arguments = arguments(call, resolved)?;
    let schema = &resolved.endpoint.output;
    let rest = Rest { connection, rules, schema, arguments, cursor: cursor(call) };
    let seconds = connection.timeout_seconds;
    let caller = Caller::open(deps, call, resolved, &connection.auth, seconds).await?;
    run(caller, &rest, resolved, call).await
}

struct Rest<'r> {
    connection: &'r RestConnection,
    rules: &'r RequestRules,
    schema: &'r OutputSchema,
    arguments: Map<String, Value>,
    cursor: Option<&'r Value>,
}

impl Paged for Rest<'_> {
    fn first(&self, credential: Option<&Credential>) -> Result<Request, RequestError> {
        let mut request = build(self.connection, self.rules, &self.arguments, credential)?;
        if let Some(cursor) = self.cursor {
            continue_at(&mut request, &self.rules.pagination, &self.rules.query, cursor)?;
        }
        Ok(request)
    }

    fn read(
        &self,
        _: &Caller<'_>,
        request: &Request,
        answer: &Answer,
        before: usize,
    ) -> Result<Page, Unread> {
        let head = self.rules.method == Method::Head;
        if head || answer.body.is_empty() && !self.rules.method.reads() {
            return Ok(Page::default());
        }
        let json: Value = serde_json::from_slice(&answer.body)
            .map_err(|error| AnswerError::NotJson(json_problem(&error.to_string())))?;
        let part = Part { before, most: self.room(before) };
        let Mapped { records, mut warnings, count } =
            records(&self.rules.mapping, self.schema, &json, part)?;
        let (metadata, complaints) = metadata(&self.rules.mapping, &json);
        warnings.extend(complaints);
        // A source may give each link a header of its own.
        let named = answer.headers.iter().filter(|(name, _)| name == "link");
        let links: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
        let links = (!links.is_empty()).then(|| links.join(", "));
        let next = next_page(&self.rules.pagination, request, &json, count, links.as_deref());
        Ok(Page { records, metadata, warnings, ..Page::default() }.before(next))
    }

    fn has_effect(&self) -> bool {
        !self.rules.method.reads() && !self.rules.safe
    }

    fn bounds(&self) -> PageBounds {
        self.rules.pagination.bounds()
    }

    fn has_pages(&self) -> bool {
        !matches!(self.rules.pagination, Pagination::None)
    }
}

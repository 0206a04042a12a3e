//! Calling a `rest_api` (F-096).

mod details;

use countersign_connector::answer::{AnswerError, next_page};
use countersign_connector::mapping::{Mapped, Part, metadata, records};
use countersign_connector::request::{Request, RequestError, build, continue_at};
use countersign_connector::{Credential, Method, PageBounds, RequestRules, RestConnection, Said};
use countersign_decimal::json::ExactJson;
use countersign_failure::json_problem;
use countersign_http_out::Answer;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::calling::Caller;
use crate::error::ConnectError;
use crate::output::Limit;
use crate::pages::{Asked, Page, Paged, Unread};

/// Said of an answer that does not say whether its call succeeded.
const UNSAID: &str = "the answer does not say whether it was done";

pub(crate) struct Rest<'r> {
    pub(crate) asked: Asked<'r>,
    pub(crate) connection: &'r RestConnection,
    pub(crate) rules: &'r RequestRules,
}

impl Rest<'_> {
    /// What the answer says of the call. One with an effect of which it says nothing may have had it.
    fn heard(&self, caller: &Caller<'_>, status: u16, said: Said) -> Result<(), Unread> {
        let connector = self.asked.connector.clone();
        let said_why = |reason: &str| caller.scrub(reason).chars().take(200).collect::<String>();
        let refused = |reason: &str| ConnectError::Refused {
            connector: connector.clone(),
            status,
            message: said_why(reason),
        };
        let error = match said {
            Said::Done => return Ok(()),
            Said::Denied(reason) => {
                ConnectError::AuthFailed { connector, status, message: said_why(&reason) }
            }
            Said::Throttled => ConnectError::Throttled { connector },
            Said::Refused(reason) => refused(&reason),
            Said::InDoubt(reason) if self.has_effect() => {
                let cause = format!("it answered `{}`", said_why(&reason));
                ConnectError::InDoubt { connector, cause }
            }
            Said::InDoubt(reason) => refused(&reason),
            Said::Nothing if self.has_effect() => {
                ConnectError::InDoubt { connector, cause: UNSAID.to_owned() }
            }
            Said::Nothing => refused(UNSAID),
        };
        Err(Unread::Failed(error))
    }
}

impl Paged for Rest<'_> {
    fn first(&self, credential: Option<&Credential>) -> Result<Request, RequestError> {
        let mut request = build(self.connection, self.rules, &self.asked.arguments, credential)?;
        if let Some(cursor) = self.asked.cursor {
            continue_at(&mut request, &self.rules.pagination, &self.rules.query, cursor)?;
        }
        Ok(request)
    }

    fn read(
        &self,
        caller: &Caller<'_>,
        request: &Request,
        answer: &Answer,
        before: usize,
    ) -> Result<Page, Unread> {
        let head = self.rules.method == Method::Head;
        let verdict = self.rules.verdict.as_ref();
        if head || verdict.is_none() && answer.body.is_empty() && !self.rules.method.reads() {
            return Ok(Page::default());
        }
        let json = ExactJson::from_slice(&answer.body)
            .map_err(|error| AnswerError::NotJson(json_problem(&error.to_string())));
        if let Some(verdict) = verdict {
            let said = json.as_ref().map_or(Said::Nothing, |json| verdict.of(json.value()));
            self.heard(caller, answer.status, said)?;
        }
        let json = json?;
        let part = Part { before, most: self.room(before) };
        let mapping = &self.rules.mapping;
        let Mapped { mut records, mut warnings, count } = match self.rules.details {
            Some(_) => details::listed(mapping, &json, part)?,
            None => records(mapping, self.asked.schema, &json, part)?,
        };
        caller.scrub_decoded(&mut records, &mapping.base64);
        let (metadata, complaints) = metadata(mapping, &json);
        warnings.extend(complaints);
        // A source may give each link a header of its own.
        let named = answer.headers.iter().filter(|(name, _)| name == "link");
        let links: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
        let links = (!links.is_empty()).then(|| links.join(", "));
        let next =
            next_page(&self.rules.pagination, request, &json.settled(), count, links.as_deref());
        Ok(Page { records, metadata, warnings, ..Page::default() }.before(next))
    }

    fn details<'a>(
        &'a self,
        caller: &'a Caller<'_>,
        listed: &'a [Map<String, Value>],
        before: usize,
    ) -> BoxFuture<'a, Result<Option<Page>, ConnectError>> {
        Box::pin(async move {
            match &self.rules.details {
                Some(rules) => self.read_each(caller, rules, listed, before).await.map(Some),
                None => Ok(None),
            }
        })
    }

    fn limit(&self, is_full: bool, goes_on: bool) -> Option<Limit> {
        let bounds = self.bounds();
        let is_fixed = is_full && bounds != self.rules.pagination.bounds();
        // What a page has beyond it is read by no call: that is said, also where only the beginning is wanted.
        let first_only = bounds.first_only && (goes_on || !is_fixed);
        let limit = Limit::of_pages(PageBounds { first_only, ..bounds }, is_full, goes_on)?;
        Some(Limit { is_fixed, ..limit })
    }

    fn has_effect(&self) -> bool {
        !self.rules.method.reads() && !self.rules.safe
    }

    fn bounds(&self) -> PageBounds {
        self.rules.bounds()
    }
}

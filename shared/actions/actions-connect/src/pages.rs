//! Page after page of one call, for every type whose answers come in pages.

use countersign_connector::answer::{AnswerError, NextPage, Unreachable};
use countersign_connector::effect::request_of;
use countersign_connector::request::{Request, RequestError};
use countersign_connector::{Auth, Credential, OutputSchema, PageBounds, has_pages};
use countersign_http_out::Answer;
use countersign_registry::Warnings;
use countersign_registry::action::Call;
use countersign_resilience::{Remedy, Tried};
use futures::future::{BoxFuture, ready};
use serde_json::{Map, Value};

use crate::binding::Resolved;
use crate::calling::{Caller, arguments, cursor, http, permitted, signed};
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::output::{Limit, Origin, shaped, stamp};

/// Said where the answer to a signed call leads to another page.
const ONLY_THE_FIRST: &str =
    "there is more, but a call that was signed is sent once: only its first page was read";

/// What one answer holds.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) records: Vec<Map<String, Value>>,
    /// Where each record was read, if not where the page was.
    pub(crate) addresses: Vec<String>,
    pub(crate) metadata: Map<String, Value>,
    pub(crate) warnings: Warnings,
    pub(crate) next: Option<NextPage>,
    /// Whether there is a next page that cannot be asked for.
    pub(crate) lost: bool,
}

impl Page {
    /// The page with what follows it. A next page that cannot be asked for is said.
    pub(crate) fn before(mut self, next: Result<Option<NextPage>, Unreachable>) -> Self {
        match next {
            Ok(next) => self.next = next,
            Err(lost) => {
                self.warnings.push(lost.to_string());
                self.lost = true;
            }
        }
        self
    }
}

/// Why an answer could not be read.
pub(crate) enum Unread {
    /// It is not as expected: said and skipped (F-311).
    Unexpected(AnswerError),
    /// It says that the call failed.
    Failed(ConnectError),
}

impl From<AnswerError> for Unread {
    fn from(error: AnswerError) -> Self {
        Self::Unexpected(error)
    }
}

/// How a type of connector calls.
pub(crate) trait Paged: Sync {
    /// The first request, with the credential.
    fn first(&self, credential: Option<&Credential>) -> Result<Request, RequestError>;

    /// Reads the answer to a request. `before` records came from earlier pages.
    fn read(
        &self,
        caller: &Caller<'_>,
        request: &Request,
        answer: &Answer,
        before: usize,
    ) -> Result<Page, Unread>;

    /// The records themselves, where the answer only lists them; `before` came from earlier pages.
    fn details<'a>(
        &'a self,
        _: &'a Caller<'_>,
        _: &'a [Map<String, Value>],
        _: usize,
    ) -> BoxFuture<'a, Result<Option<Page>, ConnectError>> {
        Box::pin(ready(Ok(None)))
    }

    /// Whether the call changes something.
    fn has_effect(&self) -> bool;

    /// How much one call may fetch.
    fn bounds(&self) -> PageBounds;

    /// The bound that ends a call although there is more.
    fn limit(&self, is_full: bool, goes_on: bool) -> Option<Limit> {
        Limit::of_pages(self.bounds(), is_full, goes_on)
    }

    /// How many records are worth reading after `before` of them: those there is room for, and one that tells that there
    /// are more.
    fn room(&self, before: usize) -> usize {
        (self.bounds().max_records as usize).saturating_sub(before).saturating_add(1)
    }
}

/// What a call asks for whose answers come in pages.
pub(crate) struct Asked<'a> {
    pub(crate) connector: String,
    pub(crate) schema: &'a OutputSchema,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) cursor: Option<&'a Value>,
}

impl<'a> Asked<'a> {
    pub(crate) fn of(call: &'a Call, resolved: &'a Resolved) -> Result<Self, ConnectError> {
        Ok(Self {
            connector: resolved.connector(),
            schema: &resolved.endpoint.output,
            arguments: arguments(call, resolved)?,
            cursor: cursor(call),
        })
    }
}

/// Makes a call, with what it is authenticated by and the seconds that a request may take, and shapes what came back.
pub(crate) async fn run(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    (auth, seconds): (&Auth, u32),
    paged: &dyn Paged,
) -> Result<Value, ConnectError> {
    let mut caller = Caller::open(deps, call, resolved, auth, seconds).await?;
    let reading = Reading { paged, resolved, call };
    let pages = reading.pages(&mut caller).await?;
    Ok(pages.into_output(resolved))
}

struct Reading<'r> {
    paged: &'r dyn Paged,
    resolved: &'r Resolved,
    call: &'r Call,
}

#[derive(Default)]
struct Pages {
    records: Vec<Map<String, Value>>,
    metadata: Map<String, Value>,
    has_more: bool,
    limit: Option<Limit>,
    cursor: Value,
    warnings: Warnings,
}

impl Reading<'_> {
    /// Fetches pages until there is no next one or a bound is reached. A failure after the first page keeps what is
    /// there and says so (F-309). What has an effect is sent once, whatever its answer says of pages.
    async fn pages(&self, caller: &mut Caller<'_>) -> Result<Pages, ConnectError> {
        let bounds = self.paged.bounds();
        let mut pages = Pages::default();
        let mut request = match permitted(self.call) {
            Some(effect) => request_of(effect)?,
            None => self.paged.first(caller.credential())?,
        };
        for number in 1..=bounds.max_pages {
            let page = match self.page(caller, &mut request, pages.records.len()).await? {
                Ok(page) => page,
                Err(Unread::Unexpected(error)) => {
                    // An effect has happened and must not look as if it had not.
                    caller.malformed();
                    tracing::warn!(connector = %self.resolved.connector(), %error, "an answer was not as expected");
                    pages.warnings.push(format!("page {number} was not as expected: {error}"));
                    pages.has_more = number > 1;
                    break;
                }
                Err(Unread::Failed(error)) if number > 1 => {
                    pages.warnings.push(format!("page {number} could not be read: {error}"));
                    pages.has_more = true;
                    break;
                }
                Err(Unread::Failed(error)) => return Err(error),
            };
            let room = (bounds.max_records as usize).saturating_sub(pages.records.len());
            let over = page.records.len() > room;
            if number > 1 && over && !pages.cursor.is_null() {
                // Left whole for whoever goes on: the cursor of this page is the one that stands.
                pages.has_more = true;
                pages.limit = self.paged.limit(true, true);
                break;
            }
            let page = match self.detailed(caller, page, room, pages.records.len()).await {
                Ok(page) => page,
                Err(error) if number > 1 => {
                    pages.warnings.push(format!("page {number} could not be read: {error}"));
                    pages.has_more = true;
                    break;
                }
                Err(error) => return Err(error),
            };
            let Some(next) = self.add(page, &request, over, number == 1, &mut pages) else { break };
            let is_full = over || pages.records.len() >= bounds.max_records as usize;
            if self.paged.has_effect() {
                pages.warnings.push(ONLY_THE_FIRST.to_owned());
                break;
            }
            if is_full || number == bounds.max_pages {
                let goes_on = !pages.cursor.is_null();
                pages.limit = pages.limit.or_else(|| self.paged.limit(is_full, goes_on));
                break;
            }
            request = next.request;
            caller.pace().await;
        }
        Ok(pages)
    }

    /// One page, after the tries its failures allow. A refused token that was a kept one is renewed once.
    async fn page(
        &self,
        caller: &mut Caller<'_>,
        request: &mut Request,
        before: usize,
    ) -> Result<Result<Page, Unread>, ConnectError> {
        let effect = self.paged.has_effect();
        let mut tried = Tried::default();
        loop {
            let http = match permitted(self.call) {
                Some(effect) => signed(effect, caller.credential())?,
                None => http(request)?,
            };
            let read = match caller.send(&http, effect).await {
                Ok(answer) => self.paged.read(caller, request, &answer, before),
                Err(refusal @ ConnectError::AuthFailed { .. }) => {
                    if !caller.renew().await? {
                        return Ok(Err(Unread::Failed(refusal)));
                    }
                    if !effect {
                        caller.authenticate(request)?;
                    }
                    continue;
                }
                Err(error) => return Ok(Err(Unread::Failed(error))),
            };
            let Err(Unread::Failed(error)) = &read else { return Ok(read) };
            match caller.remedy(&mut tried, error, effect) {
                Remedy::Again(pause) => tokio::time::sleep(pause).await,
                Remedy::GiveUp | Remedy::InDoubt => return Ok(read),
            }
        }
    }

    /// The page with its records as far as there is room, each read by itself where the answer only lists them. A refused token
    /// that was a kept one is renewed once.
    async fn detailed(
        &self,
        caller: &mut Caller<'_>,
        mut page: Page,
        room: usize,
        before: usize,
    ) -> Result<Page, ConnectError> {
        page.records.truncate(room);
        let details = match self.paged.details(caller, &page.records, before).await {
            Err(ConnectError::AuthFailed { .. }) if caller.renew().await? => {
                self.paged.details(caller, &page.records, before).await?
            }
            details => details?,
        };
        let Some(Page { records, addresses, warnings, .. }) = details else { return Ok(page) };
        page.warnings.append(warnings);
        Ok(Page { records, addresses, ..page })
    }

    /// Adds a page; the next page. `over` says that there was no room for all of it.
    fn add(
        &self,
        page: Page,
        request: &Request,
        over: bool,
        first: bool,
        pages: &mut Pages,
    ) -> Option<NextPage> {
        let listed_at = request.public_address();
        for (n, mut record) in page.records.into_iter().enumerate() {
            let reference = page.addresses.get(n).unwrap_or(&listed_at);
            stamp(&mut record, self.resolved, self.call, &Origin { reference, name: "" });
            pages.records.push(record);
        }
        if first {
            pages.metadata = page.metadata;
        }
        pages.warnings.append(page.warnings);
        if over {
            // The cursor leads to the page behind this one.
            pages.limit = self.paged.limit(true, false);
        }
        pages.has_more = page.next.is_some() || over || page.lost;
        pages.cursor = page.next.as_ref().map_or(Value::Null, |next| next.cursor.clone());
        page.next
    }
}

impl Pages {
    fn into_output(self, resolved: &Resolved) -> Value {
        let endpoint = &resolved.endpoint;
        let (mut output, missing) = shaped(endpoint, self.records, self.has_more, self.limit);
        let mut warnings: Warnings = missing.into_iter().collect();
        warnings.append(self.warnings);
        output.insert("_has_more".to_owned(), self.has_more.into());
        warnings.write(&mut output);
        for item in metadata_names(resolved) {
            let value = self.metadata.get(item).cloned().unwrap_or_default();
            output.insert(item.to_owned(), value);
        }
        if has_pages(endpoint) {
            output.insert("_next_cursor".to_owned(), self.cursor);
        }
        output.into()
    }
}

/// What stands beside the records, also when there was no answer to read it from.
fn metadata_names(resolved: &Resolved) -> impl Iterator<Item = &str> {
    let mapping = resolved.endpoint.operation.json_mapping();
    mapping.into_iter().flat_map(|mapping| &mapping.metadata).map(|item| item.field.name.as_str())
}

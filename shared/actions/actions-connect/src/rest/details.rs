//! Records that an answer only lists: each is read at an address of its own.

use countersign_connector::answer::AnswerError;
use countersign_connector::mapping::{Mapped, Part, about_record, record_number, records};
use countersign_connector::request::{detail, public_address};
use countersign_connector::{DetailRules, JsonMapping, Layout, OutputSchema, OutputShape};
use countersign_decimal::json::ExactJson;
use countersign_failure::json_problem;
use countersign_http_out::{Answer, Call as HttpCall};
use countersign_registry::Warnings;
use futures::future::BoxFuture;
use futures::{StreamExt as _, stream};
use serde_json::{Map, Value};

use super::Rest;
use crate::calling::{Caller, http};
use crate::error::ConnectError;
use crate::pages::Page;

/// So many are read at a time.
const AT_ONCE: usize = 4;
/// The largest answer of one: fifty are held at once.
const MAX_DETAIL: u64 = 2 * 1024 * 1024;

/// The records as the answer lists them.
pub(super) fn listed(
    mapping: &JsonMapping,
    answer: &ExactJson,
    part: Part,
) -> Result<Mapped, AnswerError> {
    let as_they_are = JsonMapping {
        results_path: mapping.results_path.clone(),
        results_optional: mapping.results_optional,
        ..JsonMapping::default()
    };
    let schema = OutputSchema { shape: OutputShape::RecordSet, fields: Vec::new(), inferred: true };
    records(&as_they_are, &schema, answer, part)
}

/// What came of reading one record.
enum Detail {
    /// It was read there.
    Read(String, Mapped),
    /// It was left out, and why.
    LeftOut(String),
}

impl Rest<'_> {
    /// Reads each record that is listed, in order. One that is not there any more is left out with a warning; any other failure
    /// ends the reading.
    pub(super) async fn read_each(
        &self,
        caller: &Caller<'_>,
        rules: &DetailRules,
        listed: &[Map<String, Value>],
        before: usize,
    ) -> Result<Page, ConnectError> {
        let read = |listed| -> BoxFuture<'_, _> { Box::pin(self.one_of(caller, rules, listed)) };
        let reads: Vec<_> = listed.iter().map(read).collect();
        let mut reads = stream::iter(reads).buffered(AT_ONCE);
        let mut page = Page::default();
        while let Some(detail) = reads.next().await {
            match detail? {
                Detail::Read(address, mapped) => {
                    let number = before + page.records.len() + 1;
                    page.warnings.append(numbered(mapped.warnings, number));
                    page.addresses.extend(mapped.records.iter().map(|_| address.clone()));
                    page.records.extend(mapped.records);
                }
                Detail::LeftOut(why) => page.warnings.push(format!("a record is left out: {why}")),
            }
        }
        Ok(page)
    }

    /// Several are asked at a time: none of them may hide what another one says of the source.
    async fn one_of(
        &self,
        caller: &Caller<'_>,
        rules: &DetailRules,
        listed: &Map<String, Value>,
    ) -> Result<Detail, ConnectError> {
        let own = caller.apart();
        let detail = self.one(&own, rules, listed).await;
        caller.join(&own);
        detail
    }

    async fn one(
        &self,
        caller: &Caller<'_>,
        rules: &DetailRules,
        listed: &Map<String, Value>,
    ) -> Result<Detail, ConnectError> {
        let request = detail(self.connection, self.rules, rules, listed, caller.credential());
        let request = match request {
            Ok(request) => request,
            Err(error) => return Ok(Detail::LeftOut(error.to_string())),
        };
        let address = public_address(&request.url);
        let http = HttpCall { max_bytes: MAX_DETAIL, ..http(&request)? };
        match caller.send(&http, false).await {
            Ok(answer) => Ok(match self.mapped(&answer) {
                Ok(mut mapped) => {
                    caller.scrub_decoded(&mut mapped.records, &self.rules.mapping.base64);
                    Detail::Read(address, mapped)
                }
                Err(error) => {
                    caller.malformed();
                    Detail::LeftOut(format!("`{address}` was not as expected: {error}"))
                }
            }),
            Err(ConnectError::Refused { status: 404 | 410, .. }) => {
                Ok(Detail::LeftOut(format!("`{address}` is not there any more")))
            }
            Err(error) => Err(error),
        }
    }

    /// The one record of an answer. That it has several is said.
    fn mapped(&self, answer: &Answer) -> Result<Mapped, AnswerError> {
        let json = ExactJson::from_slice(&answer.body)
            .map_err(|error| AnswerError::NotJson(json_problem(&error.to_string())))?;
        let mapping = JsonMapping {
            results_path: None,
            layout: Layout::default(),
            ..self.rules.mapping.clone()
        };
        let mut mapped = records(&mapping, self.asked.schema, &json, Part { before: 0, most: 1 })?;
        if mapped.count != 1 {
            let said = format!("its address answers with {} records", mapped.count);
            mapped.warnings.push(about_record(1, &said));
        }
        Ok(mapped)
    }
}

/// Warnings about one record, with the number that it has in the results.
fn numbered(warnings: Warnings, number: usize) -> Warnings {
    let numbered = |sentence: String| match record_number(&sentence) {
        Some((_, what)) => about_record(number, what),
        None => sentence,
    };
    warnings.reworded(numbered)
}

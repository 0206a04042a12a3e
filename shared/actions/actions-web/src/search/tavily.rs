//! Tavily: `POST https://api.tavily.com/search` with a bearer key.

use countersign_connector::Secret;
use countersign_failure::address_problem;
use countersign_http_out::{Answer, Call as HttpCall, Egress};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use url::Url;

use super::results::{hits, parsed};
use super::setup::{SearchSetupError, base};
use super::{Hit, Hits, MAX_ANSWER, MAX_DEEP_ANSWER, Query, SearchProvider, unreachable};
use crate::error::WebError;
use crate::quota::Meter;

const HOME: &str = "https://api.tavily.com/";
/// Results it gives in one answer.
const MAX_RESULTS: usize = 20;
/// What a request costs, and what one that looks deeper does.
const COST: u64 = 1;
const DEEP_COST: u64 = 2;
/// What it calls topics.
const TOPICS: [&str; 3] = ["general", "news", "finance"];

pub(super) struct Tavily {
    egress: Egress,
    base: Url,
    key: Secret,
}

impl Tavily {
    pub(super) fn new(
        egress: Egress,
        given: Option<Url>,
        key: Secret,
    ) -> Result<Self, SearchSetupError> {
        let base = given.map_or_else(|| base(HOME), Ok)?;
        Ok(Self { egress, base, key })
    }

    async fn topic(
        &self,
        query: &Query,
        topic: &str,
        meter: Meter<'_>,
    ) -> Result<Vec<Hit>, WebError> {
        let url = self.base.join("search");
        let url = url.map_err(|error| {
            WebError::SearchAnswer(address_problem(&error.to_string()).to_owned())
        })?;
        let mut body = json!({
            "query": query.text,
            "topic": topic,
            "max_results": query.max_results.min(MAX_RESULTS),
            "search_depth": if query.is_deep { "advanced" } else { "basic" },
        });
        if query.is_deep {
            body["include_raw_content"] = true.into();
        }
        let http = HttpCall {
            method: "POST".to_owned(),
            headers: vec![
                ("authorization".to_owned(), format!("Bearer {}", self.key.expose())),
                ("content-type".to_owned(), "application/json".to_owned()),
                ("accept".to_owned(), "application/json".to_owned()),
            ],
            body: Some(body.to_string().into_bytes()),
            timeout: query.timeout,
            max_bytes: if query.is_deep { MAX_DEEP_ANSWER } else { MAX_ANSWER },
            ..HttpCall::get(url)
        };
        meter.take(if query.is_deep { DEEP_COST } else { COST }).await?;
        let answer = self.egress.send(http).await.map_err(unreachable)?;
        self.read(&answer)
    }

    fn read(&self, answer: &Answer) -> Result<Vec<Hit>, WebError> {
        let status = answer.status;
        match status {
            200..=299 => {}
            401 | 403 => {
                let help = "check the key of the search provider";
                return Err(WebError::SearchRefused { status, help });
            }
            429 => return Err(WebError::SearchThrottled { status }),
            432 | 433 => return Err(WebError::SearchQuota { status }),
            408 | 500..=599 => return Err(WebError::SearchUnavailable(format!("HTTP {status}"))),
            _ => {
                return Err(WebError::SearchRejected { status, message: self.complaint(answer) });
            }
        }
        hits(&parsed(answer)?)
    }

    /// `{"detail": {"error": …}}`, without the key: providers like to quote it back.
    fn complaint(&self, answer: &Answer) -> String {
        let json: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let text = json.pointer("/detail/error").or_else(|| json.get("detail"));
        let text = text.and_then(Value::as_str).unwrap_or("it does not say why");
        text.replace(self.key.expose(), "[redacted]").chars().take(200).collect()
    }
}

impl SearchProvider for Tavily {
    fn goes_deep(&self) -> bool {
        true
    }

    /// It takes one topic at a time: several are asked one after the other, and their results alternate. What was found is the answer
    /// when a further topic fails, is late, or does not fit into the day: it is paid for.
    fn search<'a>(
        &'a self,
        query: &'a Query,
        meter: Meter<'a>,
    ) -> BoxFuture<'a, Result<Hits, WebError>> {
        Box::pin(async move {
            if let Some(unknown) =
                query.categories.iter().find(|name| !TOPICS.contains(&name.as_str()))
            {
                return Err(WebError::Param(format!(
                    "`{unknown}` is not a category of Tavily: use general, news or finance"
                )));
            }
            let general = ["general".to_owned()];
            let topics =
                if query.categories.is_empty() { &general } else { query.categories.as_slice() };
            let (mut found, mut left_out) = (Vec::new(), None);
            for (at, topic) in topics.iter().enumerate() {
                match query.in_time(self.topic(query, topic, meter)).await {
                    Ok(hits) => found.push(hits.into_iter()),
                    Err(error) if is_nothing(&found) || error.is_uncounted() => return Err(error),
                    Err(error) => {
                        left_out = Some(not_searched(&topics[at..], &error));
                        break;
                    }
                }
            }
            Ok(Hits { hits: alternating(found), left_out })
        })
    }
}

/// Whether no topic had a result.
fn is_nothing(found: &[std::vec::IntoIter<Hit>]) -> bool {
    found.iter().all(|hits| hits.as_slice().is_empty())
}

fn not_searched(topics: &[String], error: &WebError) -> String {
    let named: Vec<String> = topics.iter().map(|topic| format!("`{topic}`")).collect();
    format!("Not searched: {} ({error}).", named.join(", "))
}

fn alternating(mut lists: Vec<std::vec::IntoIter<Hit>>) -> Vec<Hit> {
    let mut all = Vec::new();
    loop {
        let round: Vec<Hit> = lists.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            return all;
        }
        all.extend(round);
    }
}

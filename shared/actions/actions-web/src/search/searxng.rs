//! SearXNG: `GET {base}/search?q=…&format=json&categories=…`.

use countersign_connector::answer::{StatusMeaning, meaning};
use countersign_failure::address_problem;
use countersign_http_out::{Answer, Call as HttpCall, Egress};
use futures::future::BoxFuture;
use serde_json::Value;
use url::Url;

use super::results::{hits, parsed};
use super::{Hit, Hits, MAX_ANSWER, Query, SearchProvider, unreachable};
use crate::error::WebError;
use crate::quota::Meter;

/// Pages of results that are asked for.
const MAX_PAGES: usize = 5;

pub(super) struct Searxng {
    egress: Egress,
    base: Url,
}

impl Searxng {
    pub(super) fn new(egress: Egress, base: Url) -> Self {
        Self { egress, base }
    }

    fn address(&self, query: &Query, page: usize) -> Result<Url, WebError> {
        let address = self.base.join("search");
        let mut url = address.map_err(|error| {
            WebError::SearchAnswer(address_problem(&error.to_string()).to_owned())
        })?;
        {
            let mut pairs = url.query_pairs_mut();
            pairs.append_pair("q", &query.text).append_pair("format", "json");
            if !query.categories.is_empty() {
                pairs.append_pair("categories", &query.categories.join(","));
            }
            if page > 1 {
                pairs.append_pair("pageno", &page.to_string());
            }
        }
        Ok(url)
    }

    async fn page(
        &self,
        query: &Query,
        page: usize,
        meter: Meter<'_>,
    ) -> Result<Vec<Hit>, WebError> {
        let http = HttpCall {
            headers: vec![("accept".to_owned(), "application/json".to_owned())],
            timeout: query.timeout,
            max_bytes: MAX_ANSWER,
            ..HttpCall::get(self.address(query, page)?)
        };
        meter.take(1).await?;
        let answer = self.egress.send(http).await.map_err(unreachable)?;
        read(&answer)
    }
}

impl SearchProvider for Searxng {
    fn goes_deep(&self) -> bool {
        false
    }

    fn search<'a>(
        &'a self,
        query: &'a Query,
        meter: Meter<'a>,
    ) -> BoxFuture<'a, Result<Hits, WebError>> {
        Box::pin(async move {
            let first = query.in_time(self.page(query, 1, meter)).await?;
            let (mut hits, mut left_out) = (first, None);
            for page in 2..=MAX_PAGES {
                if hits.is_empty() || hits.len() >= query.max_results {
                    break;
                }
                // What is there is enough when a further page fails, is late, or does not fit into the day.
                let more = match query.in_time(self.page(query, page, meter)).await {
                    Ok(more) => more,
                    Err(error) if error.is_uncounted() => return Err(error),
                    Err(error) => {
                        left_out = Some(format!(
                            "There may be more results: page {page} was not read ({error})."
                        ));
                        break;
                    }
                };
                let fresh: Vec<Hit> = more
                    .into_iter()
                    .filter(|hit| hits.iter().all(|known| known.url != hit.url))
                    .collect();
                if fresh.is_empty() {
                    break;
                }
                hits.extend(fresh);
            }
            Ok(Hits { hits, left_out })
        })
    }
}

fn read(answer: &Answer) -> Result<Vec<Hit>, WebError> {
    let status = answer.status;
    match meaning(status) {
        StatusMeaning::Success => {}
        StatusMeaning::AuthFailed => {
            let help =
                "allow the format `json` under `search.formats` in the instance's settings.yml";
            return Err(WebError::SearchRefused { status, help });
        }
        StatusMeaning::Throttled => return Err(WebError::SearchThrottled { status }),
        StatusMeaning::Unavailable | StatusMeaning::TimedOut => {
            return Err(WebError::SearchUnavailable(format!("HTTP {status}")));
        }
        StatusMeaning::Refused | StatusMeaning::Unexpected => {
            let message = "it does not know such a search".to_owned();
            return Err(WebError::SearchRejected { status, message });
        }
    }
    let json = parsed(answer)?;
    let hits = hits(&json)?;
    let silent = json.get("unresponsive_engines").and_then(Value::as_array);
    if hits.is_empty() && silent.is_some_and(|engines| !engines.is_empty()) {
        let reason = "none of its search engines answered".to_owned();
        return Err(WebError::SearchUnavailable(reason));
    }
    Ok(hits)
}

//! What the providers answer: `{"results": [{"title": …, "url": …, "content": …, "score": …}]}`, of a deep search also `raw_content`.

use countersign_failure::json_problem;
use countersign_http_out::Answer;
use serde_json::Value;

use super::Hit;
use crate::error::WebError;

/// The JSON of an answer.
///
/// # Errors
/// [`WebError::SearchAnswer`] when it is not JSON.
pub(super) fn parsed(answer: &Answer) -> Result<Value, WebError> {
    serde_json::from_slice(&answer.body)
        .map_err(|error| WebError::SearchAnswer(json_problem(&error.to_string())))
}

/// The results of an answer.
///
/// # Errors
/// [`WebError::SearchAnswer`] when there is no list of them.
pub(super) fn hits(json: &Value) -> Result<Vec<Hit>, WebError> {
    let results = json.get("results").and_then(Value::as_array);
    let results =
        results.ok_or_else(|| WebError::SearchAnswer("it has no `results`".to_owned()))?;
    Ok(results.iter().map(hit).collect())
}

fn hit(result: &Value) -> Hit {
    let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Hit {
        title: text("title"),
        url: text("url"),
        snippet: text("content"),
        score: result.get("score").and_then(Value::as_f64),
        content: result.get("raw_content").and_then(Value::as_str).map(str::to_owned),
    }
}

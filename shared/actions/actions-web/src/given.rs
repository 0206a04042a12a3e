//! Reading inputs and params of a call, and its time.

use std::time::Duration;

use countersign_registry::action::Call;
use serde_json::Value;

use crate::error::WebError;

/// Time kept for storing the output.
const RESERVE: Duration = Duration::from_secs(3);
/// What one request may take.
const LONGEST: Duration = Duration::from_secs(30);

/// A text input that must be there.
pub(crate) fn text<'c>(call: &'c Call, name: &'static str) -> Result<&'c str, WebError> {
    let text = call.inputs.get(name).and_then(Value::as_str).map(str::trim);
    text.filter(|text| !text.is_empty())
        .ok_or_else(|| WebError::Input(format!("the input `{name}` must be a text")))
}

/// How long the work of this call may take.
pub(crate) fn time(call: &Call) -> Duration {
    call.remaining.saturating_sub(RESERVE)
}

/// How long one request may take.
pub(crate) fn timeout(call: &Call) -> Duration {
    time(call).min(LONGEST)
}

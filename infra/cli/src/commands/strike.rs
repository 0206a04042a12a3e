//! `countersign strike`: leaves rows of a step out of what is asked for, before anybody signs.

use clap::Args;
use serde_json::{Value, json};

use super::decide::seen;
use super::one::plain;
use super::session::Session;
use super::{Caller, FACTORY, text};
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Strike {
    /// The approval.
    approval: String,
    /// The step that has several requests.
    #[arg(long)]
    step: String,
    /// All rows that are struck out afterwards, numbered from 1 as `n` in `approvals`: `3,17`. Rows that are not named are
    /// brought back.
    #[arg(long, value_delimiter = ',', required_unless_present = "none", value_parser = clap::value_parser!(u32).range(1..))]
    rows: Vec<u32>,
    /// Nothing is struck out afterwards: all rows are brought back.
    #[arg(long, conflicts_with = "rows")]
    none: bool,
    /// The digest you have seen. Without it what waits is shown first, and you are asked.
    #[arg(long)]
    digest: Option<String>,
    #[command(flatten)]
    pub(super) caller: Caller,
}

impl Strike {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let path = format!("{FACTORY}/approvals/{}", plain(&self.approval)?);
        // Rows are numbers in what was seen: in anything else they may be other rows.
        let digest = seen(self.digest.as_deref(), session, &path, "strike").await?;
        let body = body(&digest, &self.step, &self.rows);
        let request = session.door.post(&format!("{path}/strike"), &body).await?;
        session.outcome(&request, |request| told(request, &self.step));
        Ok(())
    }
}

/// Rows count from 1 for people and from 0 in what is signed.
fn body(digest: &str, step: &str, rows: &[u32]) -> Value {
    let indices: Vec<u32> = rows.iter().map(|row| row.saturating_sub(1)).collect();
    json!({ "digest": digest, "step": step, "indices": indices })
}

/// What is left, and the digest that a decision now needs.
fn told(request: &Value, step: &str) -> String {
    let effects = request.get("effects").and_then(Value::as_array);
    let of_step = effects.into_iter().flatten().find(|effects| effects["step"] == step);
    let number = |field: &str| of_step.and_then(|effects| effects[field].as_u64()).unwrap_or(0);
    let (left, count) = (number("left"), number("count"));
    let struck = count.saturating_sub(left);
    let digest = text(request, "digest").unwrap_or_default();
    let version = text(request, "version").unwrap_or_default();
    format!(
        "`{step}`: {left} of {count} are left, {struck} struck out\nversion {version}, digest {digest}"
    )
}

#[cfg(test)]
mod tests {
    use super::{body, told};
    use serde_json::json;

    #[test]
    fn rows_count_from_one_and_indices_from_zero() {
        assert_eq!(
            body("d", "pay", &[3, 17]),
            json!({ "digest": "d", "step": "pay", "indices": [2, 16] })
        );
        assert_eq!(body("d", "pay", &[])["indices"], json!([]));
    }

    #[test]
    fn what_is_left_is_told_with_the_digest_to_decide_on() {
        let request = json!({ "digest": "9f", "version": 2, "effects": [{ "step": "pay", "count": 40, "left": 38 }] });
        let said = told(&request, "pay");
        assert_eq!(said, "`pay`: 38 of 40 are left, 2 struck out\nversion 2, digest 9f");
    }
}

//! `countersign extend`: more time to decide.

use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use super::one::plain;
use super::session::Session;
use super::{Caller, FACTORY, text};
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Extend {
    /// The approval.
    approval: String,
    /// The new deadline, such as 2026-11-22T09:00:00Z: at least an hour later than the present one, at most 300 days after the request was opened.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Timestamp,
    #[command(flatten)]
    pub(super) caller: Caller,
}

impl Extend {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let path = format!("{FACTORY}/approvals/{}/extend", plain(&self.approval)?);
        let request = session.door.post(&path, &json!({ "deadline": self.until })).await?;
        session.outcome(&request, |request| {
            let deadline = request.get("timing").and_then(|timing| text(timing, "deadline"));
            let until = deadline.unwrap_or_else(|| self.until.to_string());
            format!("the request waits until {until}")
        });
        Ok(())
    }
}

/// A moment with its zone: a day alone or a time without a zone would be another deadline in another place.
fn moment(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| {
        "must be a day and a time with its zone, such as 2026-11-22T09:00:00Z or 2026-11-22T09:00:00+01:00"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn a_deadline_has_its_day_time_and_zone() {
        assert_eq!(
            moment("2026-11-22T09:00:00+01:00").unwrap(),
            moment("2026-11-22T08:00:00Z").unwrap()
        );
        for other in ["2026-11-22", "2026-11-22T09:00:00", "tomorrow", ""] {
            assert!(moment(other).unwrap_err().starts_with("must be a day"), "{other}");
        }
    }
}

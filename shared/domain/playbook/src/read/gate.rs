//! Gates.

use super::DraftApproval;
use super::columns;
use super::fields::Fields;
use super::step::small;
use crate::diagnostic::Code;
use crate::model::{Assurance, OnReject};
use crate::sink::Sink;

/// The shortest time that nobody is warned of: a request is mailed, and mail is read within a day.
const A_DAY: u32 = 24 * 60;

/// Reads what a gate asks, whom, and what a denial means.
pub(super) fn approval(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> DraftApproval {
    let rejects = [("stop", OnReject::Stop), ("skip", OnReject::Skip)];
    let levels = [
        ("link", Assurance::Link),
        ("link_code", Assurance::LinkCode),
        ("signed_in", Assurance::SignedIn),
    ];
    let approvers = fields.texts("approvers", 50, sink);
    let quorum = fields.integer("quorum", 1..=10, sink);
    if let (Some(quorum), false) = (quorum, approvers.is_empty())
        && usize::try_from(quorum).is_ok_and(|quorum| quorum > approvers.len())
    {
        let spot = fields.node("quorum").map(|node| node.spot).unwrap_or_default();
        let message = format!("{quorum} must approve, but only {} may", approvers.len());
        sink.report(Code::OutOfRange, spot, "quorum", message);
    }
    let preview_from = fields.text("preview_from", sink);
    let preview_limit = small(fields.integer("preview_limit", 1..=100, sink)).unwrap_or(10);
    let (preview_columns, column_spots) = columns::all(fields, sink).into_iter().unzip();
    DraftApproval {
        preview_from,
        preview_limit,
        preview_columns,
        column_spots,
        prompt: fields.required("prompt", sink),
        timeout_minutes: timeout(fields, sink),
        on_reject: fields.choice("on_reject", &rejects, sink).unwrap_or(OnReject::Stop),
        approvers: approvers.into_iter().map(|text| text.text).collect(),
        quorum: small(quorum).unwrap_or(1),
        assurance_spot: fields.node("assurance").map(|node| node.spot).unwrap_or_default(),
        assurance: fields.choice("assurance", &levels, sink),
    }
}

/// How long people have. Less than a day holds, with a warning: whoever reads the mail later finds the request denied.
fn timeout(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<u32> {
    let minutes = small(fields.integer("timeout_minutes", 1..=432_000, sink))?;
    if minutes < A_DAY {
        let spot = fields.node("timeout_minutes").map(|node| node.spot).unwrap_or_default();
        let message = format!(
            "after {minutes} minutes this gate counts as denied; people are asked by mail and may read it later"
        );
        let problem = sink.problem(Code::ShortDeadline, spot, "timeout_minutes", message);
        let hint = format!("give them a day (`{A_DAY}`), or leave it out: that is 7 days");
        sink.push(problem.hint(hint));
    }
    Some(minutes)
}

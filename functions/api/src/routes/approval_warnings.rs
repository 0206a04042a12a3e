//! `/approvals/{id}/warnings`: what the steps before a request could not read, all of it.

use countersign_approval::ApprovalId;
use countersign_store_kit::Page as Stored;
use countersign_store_runs::WarningSentences;
use countersign_web::{Page, PageQuery, Path};
use serde::Serialize;
use utoipa::ToSchema;

use super::approval_seen::seen_by;
use crate::lists::{Asked, PageOf};

/// One warning that a request was asked with.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WarningLine {
    /// The step that could not read it.
    step: String,
    /// What could not be read, and where.
    warning: String,
}

/// The warnings of a request, one sentence each: by step, and of a step in the order of its output. A step lists a bounded number
/// of them; `warnings` of the request has how many there are.
#[utoipa::path(
    get, path = "/approvals/{id}/warnings", tag = "approvals",
    params(("id" = String, Path, description = "`appr_…`"), PageQuery),
    responses((status = 200, body = Page<WarningLine>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    asked: Asked<PageQuery>,
    Path(id): Path<ApprovalId>,
) -> PageOf<WarningLine> {
    let request = seen_by(&asked.ctx, &id, &asked.owner).await?;
    let paging = asked.paging("warnings", &[("approval", Some(id.as_str()))]).await?;
    let all = asked.ctx.runs.warning_sentences(&request.position.run, &request.warnings).await?;
    let lines: Vec<WarningLine> = all.into_iter().flat_map(lines).collect();
    paging.page(part(lines, paging.limit, paging.after()))
}

fn lines(of_step: WarningSentences) -> impl Iterator<Item = WarningLine> {
    let WarningSentences { step, sentences, .. } = of_step;
    sentences.into_iter().map(move |warning| WarningLine { step: step.clone(), warning })
}

/// The lines behind the first `after` ones, at most `limit`; the list of a request does not change.
fn part<T>(lines: Vec<T>, limit: i32, after: Option<&str>) -> Stored<T> {
    let start: usize = after.and_then(|after| after.parse().ok()).unwrap_or_default();
    let end = start.saturating_add(usize::try_from(limit).unwrap_or_default());
    let next = (end < lines.len()).then(|| end.to_string());
    Stored { items: lines.into_iter().skip(start).take(end - start).collect(), next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_311_pages_follow_one_another_without_a_gap() {
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let page = part((0..7).collect(), 3, after.as_deref());
            seen.extend(page.items);
            let Some(next) = page.next else { break };
            after = Some(next);
        }
        assert_eq!(seen, (0..7).collect::<Vec<_>>());
        assert_eq!(part(vec![1, 2, 3], 3, None).next, None);
        assert_eq!(part(vec![1], 3, Some("9")).items, Vec::<i32>::new());
    }
}

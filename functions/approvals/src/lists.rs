//! The pages that list all rows and all warnings of a request.

use countersign_approval::{Layout, Request};
use countersign_letter::page::{Listed, ROWS_PER_PAGE, RowsPage};
use countersign_letter::{Preview, Shown};
use countersign_store_runs::WarningSentences;
use serde_json::{Value, json};

use crate::http::Reply;
use crate::opened::Opened;
use crate::refusal::Refusal;

const API: &str = "/api/agent-factory";

/// What a page lists.
struct List<'l> {
    /// What stands behind the link's token.
    place: &'static str,
    rows: &'l Value,
    layout: &'l Layout,
    listed: Listed,
    /// Where the API has all of it.
    whole_at: String,
}

impl List<'_> {
    fn page(self, request: &Request, back_url: String, page: u64) -> Result<Reply, Refusal> {
        let page = RowsPage {
            title: Shown::line(&request.title),
            preview: Preview::page(self.rows, self.layout, page, ROWS_PER_PAGE),
            listed: self.listed,
            rows_url: format!("{back_url}/{}", self.place),
            whole_at: self.whole_at,
            back_url,
            digest: request.digest.to_string(),
        };
        Ok(Reply::new(200, page.html()?))
    }
}

/// `GET /a/{token}/rows`
pub(crate) async fn rows(opened: &Opened<'_>, page: u64) -> Result<Reply, Refusal> {
    let request = opened.request();
    let all = opened.visit.context.look.rows(request).await?;
    let list = List {
        place: "rows",
        rows: all.as_ref().unwrap_or(&request.preview.shown),
        layout: &request.layout,
        listed: if all.is_some() { Listed::Rows } else { Listed::KeptRows },
        whole_at: whole_rows(request),
    };
    list.page(request, opened.visit.page_url(), page)
}

/// `GET /a/{token}/warnings`
pub(crate) async fn warnings(opened: &Opened<'_>, page: u64) -> Result<Reply, Refusal> {
    let request = opened.request();
    let all = opened.visit.context.look.warnings(request).await?;
    let list = List {
        place: "warnings",
        rows: &warning_rows(&all),
        layout: &Layout::default(),
        listed: Listed::Warnings { count: all.iter().map(|of_step| of_step.count).sum() },
        whole_at: format!("{API}/approvals/{}/warnings", request.id),
    };
    list.page(request, opened.visit.page_url(), page)
}

/// A row for each sentence, with its step.
fn warning_rows(all: &[WarningSentences]) -> Value {
    let of_step = |of_step: &WarningSentences| {
        let row = |said: &String| json!({ "step": of_step.step, "warning": said });
        of_step.sentences.iter().map(row).collect::<Vec<_>>()
    };
    all.iter().flat_map(of_step).collect()
}

/// Where the API has the rows: the output they were taken from, else the request. After a wish for changes that output is another.
fn whole_rows(request: &Request) -> String {
    match &request.preview.source {
        Some(step) if !request.is_revised() => {
            format!("{API}/executions/{}/outputs/{step}", request.position.run)
        }
        _ => format!("{API}/approvals/{}", request.id),
    }
}

//! `search_documents` (F-044).

mod passages;
mod ranking;

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::search_documents as declared;
use countersign_registry::shape::filled;
use countersign_store_content::{ContentStore, Document};
use countersign_store_kit::Window;

use self::ranking::{Best, Ranking};
use crate::failed;
use crate::file::FileTypes;

/// The most documents that one call reads: a second or two of reading, and more than most people keep.
const MAX_DOCUMENTS: usize = 2_000;
/// The most text that one call reads, bytes: passages that fit are kept in memory until all are ranked.
const MAX_TEXT: u64 = 32 * 1024 * 1024;
/// Documents a page; a few, as each may have 4 MB.
const PAGE: i32 = 16;

pub(crate) struct SearchDocuments(pub(crate) Arc<ContentStore>);

impl Perform for SearchDocuments {
    type Action = declared::SearchDocuments;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let folder = filled(params.folder_id.clone());
        if let Some(folder) = &folder {
            self.0.ensure_folder(&call.owner, folder, false, call.now).await.map_err(failed)?;
        }
        let mut ranking = Ranking::of(&inputs.query);
        if ranking.has_no_words() {
            return Ok(output(&[], Vec::new(), Some("the query has no words")));
        }
        let types = FileTypes::of(&params.file_types);
        let (mut read, mut bytes, mut next) = (Vec::new(), 0, None);
        let is_complete = loop {
            let window = Window { limit: PAGE, after: next };
            let page = self.0.texts(&call.owner, folder.as_deref(), window).await;
            let page = page.map_err(failed)?;
            for (document, text) in page.items {
                bytes += text.len() as u64;
                if types.has(&document.filename) {
                    ranking.add(read.len(), &document.title, &text);
                }
                read.push(document);
            }
            next = page.next;
            if next.is_none() {
                break true;
            }
            if read.len() >= MAX_DOCUMENTS || bytes >= MAX_TEXT {
                break false;
            }
        };
        let warning = (!is_complete)
            .then_some("there are more documents than one call looks through: name a folder");
        Ok(output(&read, ranking.best(params.max_results as usize), warning))
    }
}

fn output(read: &[Document], best: Vec<Best>, warning: Option<&str>) -> declared::Output {
    let documents: Vec<_> = best
        .into_iter()
        .filter_map(|one| read.get(one.document).map(|document| found(document, one)))
        .collect();
    let warnings: Vec<String> = warning.into_iter().map(str::to_owned).collect();
    declared::Output {
        count: documents.len() as u64,
        documents,
        method: "words".to_owned(),
        warning_count: warnings.len() as u64,
        warnings,
    }
}

fn found(document: &Document, best: Best) -> declared::FoundDocument {
    declared::FoundDocument {
        document_id: document.id.to_string(),
        title: document.title.clone(),
        snippet: best.text,
        line: best.line as u64,
        // What is behind the third digit tells nobody anything.
        score: (best.score * 1_000.0).round() / 1_000.0,
        folder_path: document.folder_id.clone().unwrap_or_default(),
    }
}

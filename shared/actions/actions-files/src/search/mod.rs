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

use self::ranking::{Best, MAX_WORDS, Ranking};
use crate::failed;
use crate::file::FileTypes;

/// The most documents that one call reads: a second or two of reading, and more than most people keep.
const MAX_DOCUMENTS: usize = 2_000;
/// The most text that one call reads, bytes, but for the last document: passages that fit are kept in memory until all are ranked.
const MAX_TEXT: u64 = 32 * 1024 * 1024;
/// Documents a page; a few, as an item holds up to 100 KB of its text.
const PAGE: i32 = 16;
/// What is said where one call does not come to all documents.
const UNREAD: &str =
    "there are more documents than one call looks through: name a folder, or a smaller one";

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
            return Ok(output(&[], Vec::new(), vec!["the query has no words".to_owned()]));
        }
        let types = FileTypes::of(&params.file_types);
        let (mut read, mut looked, mut bytes, mut next) = (Vec::new(), 0, 0, None);
        let is_complete = 'pages: loop {
            let window = Window { limit: PAGE, after: next };
            let page = self.0.readable(&call.owner, folder.as_deref(), window).await;
            let page = page.map_err(failed)?;
            for one in page.items {
                if looked >= MAX_DOCUMENTS || bytes >= MAX_TEXT {
                    break 'pages false;
                }
                looked += 1;
                if !types.has(&one.document().filename) {
                    continue;
                }
                // One text at a time: they may be large.
                let text = self.0.text(&one).await.map_err(failed)?;
                bytes += text.len() as u64;
                ranking.add(read.len(), &one.document().title, &text);
                read.push(one.into_document());
                // Ranking takes its time; the limit of the call is looked at in between.
                tokio::task::yield_now().await;
            }
            next = page.next;
            if next.is_none() {
                break true;
            }
        };
        let most = params.max_results as usize;
        let best = ranking.best(most);
        let warnings = [
            (!is_complete).then(|| UNREAD.to_owned()),
            ranking.is_cut().then(|| format!("of the query only {MAX_WORDS} words count")),
            (best.found > most).then(|| {
                format!(
                    "the best {most} of {} documents with a word of the query are given",
                    best.found
                )
            }),
        ];
        Ok(output(&read, best.all, warnings.into_iter().flatten().collect()))
    }
}

fn output(read: &[Document], best: Vec<Best>, warnings: Vec<String>) -> declared::Output {
    let documents: Vec<_> = best
        .into_iter()
        .filter_map(|one| read.get(one.document).map(|document| found(document, one)))
        .collect();
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

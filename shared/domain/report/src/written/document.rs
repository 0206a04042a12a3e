//! Documents: new ones, new ones in a folder, and more text for one that is there.

use countersign_document::{FOLDER_PATTERN, MaybeBlank, Refused, Rules, folder_name, text_type};
use schemars::JsonSchema;
use serde::Deserialize;

use super::layout::{Layout, Section};
use super::without_effect::warn;
use super::{FILE_NAME, filled};
use crate::destination::{AppendConfig, DocumentConfig};

/// Settings of `document`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewDocument {
    /// The file's name, with `{date}` and `{entity_name}`.
    pub(super) filename_template: Option<MaybeBlank<200>>,
    /// The folder; the owner's top folder when left out.
    folder_id: Option<MaybeBlank<100>>,
    /// Whether a missing folder is made; without it a missing folder is an error.
    create_if_missing: Option<bool>,
    /// The heading; may hold `{entity_name}` and `{date}`.
    pub(super) title: Option<MaybeBlank<200>>,
    /// Markdown of your own with `{path}` placeholders and `{sections}`.
    pub(super) template: Option<MaybeBlank<20_000>>,
    /// The parts, in order.
    pub(super) sections: Option<Vec<Section>>,
}

/// Settings of `folder`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InFolder {
    /// The folder: 1 to 128 letters, digits, `_` and `-`.
    folder_id: FolderName,
    /// Whether a missing folder is made; without it a missing folder is an error.
    create_if_missing: Option<bool>,
    /// The file's name, with `{date}` and `{entity_name}`.
    pub(super) filename_template: Option<MaybeBlank<200>>,
    /// The heading; may hold `{entity_name}` and `{date}`.
    pub(super) title: Option<MaybeBlank<200>>,
    /// Markdown of your own with `{path}` placeholders and `{sections}`.
    pub(super) template: Option<MaybeBlank<20_000>>,
    /// The parts, in order.
    pub(super) sections: Option<Vec<Section>>,
}

/// Settings of `append_to_existing`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Append {
    /// The document, `doc_…`; it must be Markdown.
    document_id: DocumentName,
    /// The heading; may hold `{entity_name}` and `{date}`.
    pub(super) title: Option<MaybeBlank<200>>,
    /// Markdown of your own with `{path}` placeholders and `{sections}`.
    pub(super) template: Option<MaybeBlank<20_000>>,
    /// The parts, in order.
    pub(super) sections: Option<Vec<Section>>,
}

text_type! {
    /// The id of a folder, chosen by its owner.
    struct FolderName {
        format: "folder", code: "folder_id", sample: "a",
        pattern: FOLDER_PATTERN, check: folder_name
    }
    /// The id of a document.
    struct DocumentName {
        format: "document", code: "document_id", sample: "doc_00000000000000000000000000000000",
        pattern: "^doc_[0-9a-f]{32}$", check: document
    }
}

fn document(text: &str) -> Result<(), Refused> {
    let hint = "`GET /api/agent-factory/documents` lists them".to_owned();
    let wrong = || Refused::of_key("is not the id of a document, `doc_…`").hint(hint);
    countersign_ids::validate("doc", text).map_err(|_| wrong())
}

impl NewDocument {
    /// Reports what has no effect.
    pub(super) fn without_effect(&self, rules: &mut Rules<'_>) {
        if self.create_if_missing == Some(true) && filled(self.folder_id.clone()).is_none() {
            let message = "no folder is named that could be missing".to_owned();
            let hint = "name one in `folder_id`, or leave it out".to_owned();
            warn("create_if_missing", "/create_if_missing".to_owned(), message, hint, rules);
        }
    }
}

impl From<NewDocument> for DocumentConfig {
    fn from(written: NewDocument) -> Self {
        let NewDocument { title, template, sections, .. } = written;
        Self {
            filename_template: file_name(written.filename_template),
            folder_id: filled(written.folder_id),
            create_if_missing: written.create_if_missing.unwrap_or(false),
            title: None,
            layout: Layout { title, template, sections }.into(),
        }
    }
}

impl From<InFolder> for DocumentConfig {
    fn from(written: InFolder) -> Self {
        let InFolder { title, template, sections, .. } = written;
        Self {
            filename_template: file_name(written.filename_template),
            folder_id: Some(written.folder_id.into()),
            create_if_missing: written.create_if_missing.unwrap_or(false),
            title: None,
            layout: Layout { title, template, sections }.into(),
        }
    }
}

impl From<Append> for AppendConfig {
    fn from(written: Append) -> Self {
        let Append { document_id, title, template, sections } = written;
        let layout = Layout { title, template, sections }.into();
        Self { document_id: document_id.into(), layout }
    }
}

fn file_name(template: Option<MaybeBlank<200>>) -> String {
    filled(template).unwrap_or_else(|| FILE_NAME.to_owned())
}

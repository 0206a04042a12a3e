//! `detect_new_files` (F-058) and `detect_folder_changes` (F-059): a folder of uploaded files. Folders have no folders in them.

use std::sync::Arc;

use countersign_connector::{FileEntry, FileId, Files, keys};
use countersign_monitor::{ChangeKind, Found, Held, MAX_FILES, MarkKind, Taken, changes};
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::detect_folder_changes::{
    self as folder_changes, ChangeType, DetectFolderChanges, FileChange,
};
use countersign_registry::actions::detect_new_files::{self as new_files, DetectNewFiles, File};
use serde_json::{Map, Value, json};

use crate::detection::Detection;
use crate::look::{Look, Seen};

/// The detection of new files.
pub struct NewFiles {
    /// Uploaded files.
    pub files: Arc<dyn Files>,
}

impl Detection for NewFiles {
    type Action = DetectNewFiles;

    const KIND: MarkKind = MarkKind::Timestamp;

    fn source(inputs: &new_files::Inputs, _: &new_files::Params) -> Map<String, Value> {
        metadata(&inputs.folder_id)
    }

    fn nothing(before: Option<String>) -> Value {
        json!({"files": [], "count": 0, "watermark": before, "previous_watermark": before})
    }

    async fn find(
        &self,
        call: &Call,
        look: Look<'_>,
        inputs: new_files::Inputs,
        params: new_files::Params,
    ) -> Result<Seen, ActionError> {
        let listed = listed(self.files.as_ref(), call, &inputs.folder_id).await?;
        let found = listed
            .iter()
            .filter(|listed| listed.is_of(&params.file_types))
            .map(|listed| listed.found(&inputs.folder_id))
            .collect::<Vec<_>>();
        let novel = look.novel(found, Self::KIND, call.now)?;
        Ok(Seen::listing("files", novel, None, look, metadata(&inputs.folder_id)))
    }
}

/// The detection of changes.
pub struct FolderChanges {
    /// Uploaded files.
    pub files: Arc<dyn Files>,
}

impl Detection for FolderChanges {
    type Action = DetectFolderChanges;

    const KIND: MarkKind = MarkKind::Hash;

    fn source(inputs: &folder_changes::Inputs, _: &folder_changes::Params) -> Map<String, Value> {
        metadata(&inputs.folder_id)
    }

    fn nothing(before: Option<String>) -> Value {
        json!({
            "changes": [], "count": 0, "added_count": 0, "modified_count": 0, "deleted_count": 0,
            "watermark": before, "previous_watermark": before,
        })
    }

    async fn find(
        &self,
        call: &Call,
        look: Look<'_>,
        inputs: folder_changes::Inputs,
        params: folder_changes::Params,
    ) -> Result<Seen, ActionError> {
        let folder = &inputs.folder_id;
        let listed = listed(self.files.as_ref(), call, folder).await?;
        let there: Vec<Held> = listed.iter().map(Listed::held).collect();
        let kinds: Vec<ChangeKind> = params.change_types.iter().map(change_kind).collect();
        let changed = changes(look.previous, &there, Taken { kinds: &kinds, most: look.most });
        let all = changed.changes.into_iter().map(|change| FileChange {
            source: format!("folders/{folder}/{}", change.id),
            file_id: change.id,
            filename: change.name,
            change_type: change_type(change.kind),
            old_hash: change.old_hash,
            new_hash: change.new_hash,
            timestamp: call.now.to_string(),
        });
        let all: Vec<FileChange> = all.collect();
        let count = |kind| all.iter().filter(|one| one.change_type == kind).count();
        let output = json!({
            "changes": all, "count": all.len(),
            "added_count": count(ChangeType::Added),
            "modified_count": count(ChangeType::Modified),
            "deleted_count": count(ChangeType::Deleted),
            "watermark": changed.position.value, "previous_watermark": look.before(),
        });
        let keys = all.iter().map(change_key).collect();
        Ok(Seen { keys, ..Seen::nothing(output, Some(changed.position), metadata(folder)) })
    }
}

fn change_type(kind: ChangeKind) -> ChangeType {
    match kind {
        ChangeKind::Added => ChangeType::Added,
        ChangeKind::Modified => ChangeType::Modified,
        ChangeKind::Deleted => ChangeType::Deleted,
    }
}

fn change_kind(wanted: &ChangeType) -> ChangeKind {
    match wanted {
        ChangeType::Added => ChangeKind::Added,
        ChangeType::Modified => ChangeKind::Modified,
        ChangeType::Deleted => ChangeKind::Deleted,
    }
}

/// The same file may change again.
fn change_key(change: &FileChange) -> String {
    let now = change.new_hash.as_deref().unwrap_or("gone");
    format!("{}@{now}", change.file_id)
}

fn metadata(folder: &str) -> Map<String, Value> {
    Map::from_iter([("folder_id".to_owned(), folder.into())])
}

/// A file of a folder.
struct Listed {
    id: FileId,
    name: String,
    entry: FileEntry,
}

/// The files of a folder of the owner.
async fn listed(files: &dyn Files, call: &Call, folder: &str) -> Result<Vec<Listed>, ActionError> {
    let prefix = keys::folder_prefix(&call.owner, folder).ok_or_else(|| {
        let message = "the input `folder_id` must be a folder's name: letters, digits, `_` and `-`";
        ActionError::terminal("DETECT_ARGUMENT", message)
    })?;
    let listing = files.list(&prefix, MAX_FILES).await;
    let listing = listing.map_err(|error| ActionError::from_failure(error.as_ref()))?;
    if listing.truncated {
        let message = format!("the folder `{folder}` has more than {MAX_FILES} files");
        let error = ActionError::terminal("FOLDER_TOO_LARGE", message);
        return Err(error.with_help("put the files of each month into a folder of their own"));
    }
    Ok(listing.files.into_iter().filter_map(|entry| Listed::of(&prefix, entry)).collect())
}

impl Listed {
    /// `{prefix}{file_id}/{name}`; what lies elsewhere is no upload.
    fn of(prefix: &str, entry: FileEntry) -> Option<Self> {
        let (id, name) = entry.key.strip_prefix(prefix)?.split_once('/')?;
        let (id, name) = (FileId::parse(id).ok()?, name.to_owned());
        Some(Self { id, name, entry })
    }

    fn kind(&self) -> String {
        self.name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
    }

    fn is_of(&self, types: &[String]) -> bool {
        let kind = self.kind();
        types.is_empty()
            || types.iter().any(|one| one.trim_start_matches('.').eq_ignore_ascii_case(&kind))
    }

    fn found(&self, folder: &str) -> Found {
        let at = self.entry.modified_at;
        let when = at.map(|at| at.to_string()).unwrap_or_default();
        let file = File {
            file_id: self.id.to_string(),
            filename: self.name.clone(),
            file_type: self.kind(),
            size_bytes: self.entry.bytes,
            created_at: when.clone(),
            modified_at: when,
            folder_path: format!("folders/{folder}"),
            source: keys::source(Some(folder), &self.id),
        };
        Found { key: self.id.to_string(), at, record: json!(file) }
    }

    fn held(&self) -> Held {
        let hash = self.entry.etag.clone().unwrap_or_else(|| self.entry.bytes.to_string());
        Held { id: self.id.to_string(), name: self.name.clone(), hash }
    }
}

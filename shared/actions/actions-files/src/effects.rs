//! Says what a change of a file would do. Gate and step both ask here, so what is signed is what is done.

use std::sync::Arc;

use countersign_effect::{Effect, Excerpt, FileAction, FileEffect, TextHash, Version, is_hidden};
use countersign_identity::UserId;
use countersign_registry::action::{ActionError, ActionFuture, CallOf, Describe, EffectsOf};
use countersign_registry::actions::{delete_file, move_file, patch_file};
use countersign_registry::{Action, arguments_of};
use countersign_store_content::{
    ContentError, ContentStore, Document, DocumentId, MAX_DOCUMENT, RESTORABLE_DAYS, derived,
    table_name,
};
use sha2::{Digest as _, Sha256};

use crate::patch::{patched, written};
use crate::{failed, refused, text_of};

/// The describer of the actions that change, move and remove files.
pub struct FileEffects(pub Arc<ContentStore>);

impl Describe for FileEffects {
    fn describe<'a>(&'a self, of: &'a EffectsOf<'a>) -> ActionFuture<'a, Vec<Effect>> {
        Box::pin(async move {
            let mut effects = Vec::with_capacity(of.calls.len());
            for call in of.calls {
                effects.push(self.effect(of, call).await?);
            }
            Ok(effects)
        })
    }
}

/// A file and its text.
struct Read {
    document: Document,
    text: String,
}

impl FileEffects {
    /// Of a call that was made before, what it did: the file is not any more what it was.
    async fn effect(&self, of: &EffectsOf<'_>, call: &CallOf<'_>) -> Result<Effect, ActionError> {
        if let Some(done) = self.0.changed_file(of.owner, call.key).await.map_err(failed)? {
            return Effect::parse(&done.effect).map_err(|error| ActionError::from_failure(&error));
        }
        let effect = match of.action {
            "delete_file" => {
                let (inputs, _) = arguments::<delete_file::DeleteFile>(of, call)?;
                self.removal(of.owner, call.key, &inputs).await?
            }
            "move_file" => {
                let (inputs, _) = arguments::<move_file::MoveFile>(of, call)?;
                self.move_of(of.owner, call.key, &inputs).await?
            }
            _ => {
                let (inputs, params) = arguments::<patch_file::PatchFile>(of, call)?;
                self.patch(of.owner, call.key, inputs, &params).await?
            }
        };
        Ok(Effect::File(effect))
    }

    async fn removal(
        &self,
        owner: &UserId,
        key: &str,
        inputs: &delete_file::Inputs,
    ) -> Result<FileEffect, ActionError> {
        let read = self.read(owner, &inputs.document_id).await?;
        let text = Some(Excerpt::of(&read.text));
        let restorable_days = Some(RESTORABLE_DAYS);
        Ok(FileEffect { text, restorable_days, ..plain(FileAction::Delete, &read, key) })
    }

    async fn move_of(
        &self,
        owner: &UserId,
        key: &str,
        inputs: &move_file::Inputs,
    ) -> Result<FileEffect, ActionError> {
        let folder = inputs.target_folder_id.trim();
        if !self.0.has_folder(owner, folder).await.map_err(failed)? {
            return Err(failed(ContentError::NoFolder(folder.chars().take(80).collect())));
        }
        let read = self.read(owner, &inputs.document_id).await?;
        let to = format!("{folder}/{}", read.document.filename);
        self.0.path_is_free(owner, &to, &read.document.id).await.map_err(failed)?;
        Ok(FileEffect { to: Some(to), ..plain(FileAction::Move, &read, key) })
    }

    async fn patch(
        &self,
        owner: &UserId,
        key: &str,
        inputs: patch_file::Inputs,
        params: &patch_file::Params,
    ) -> Result<FileEffect, ActionError> {
        let mut effect = match self.read(owner, &inputs.document_id).await {
            Ok(read) => (plain(FileAction::Patch, &read, key), read.text),
            Err(error) if error.code == "DOCUMENT_NOT_FOUND" && params.create_if_missing => {
                (new(&inputs.document_id, key).map_err(|()| error)?, String::new())
            }
            Err(error) => return Err(error),
        };
        let (file, before) = (&mut effect.0, &effect.1);
        file.edits = written(inputs.edits);
        let after = patched(before, &file.edits)?;
        if after.len() > MAX_DOCUMENT {
            return Err(failed(ContentError::DocumentTooLarge(file.path.clone())));
        }
        file.after = Some(hash(&after));
        file.text = Some(Excerpt::of(&after));
        Ok(effect.0)
    }

    async fn read(&self, owner: &UserId, named: &str) -> Result<Read, ActionError> {
        let (document, text) = text_of(&self.0, owner, named).await?;
        Ok(Read { document, text })
    }
}

fn arguments<A: Action>(
    of: &EffectsOf<'_>,
    call: &CallOf<'_>,
) -> Result<(A::Inputs, A::Params), ActionError> {
    arguments_of::<A>(call.inputs, of.params)
}

/// What every change says of a file.
fn plain(action: FileAction, read: &Read, key: &str) -> FileEffect {
    FileEffect {
        v: Version,
        action,
        document: read.document.id.to_string(),
        title: read.document.title.clone(),
        path: read.document.path(),
        to: None,
        before: Some(hash(&read.text)),
        edits: Vec::new(),
        after: None,
        text: None,
        restorable_days: None,
        key: key.to_owned(),
    }
}

/// A file that is not there yet; only a path can name it.
fn new(path: &str, key: &str) -> Result<FileEffect, ()> {
    let path = path.trim();
    let (folder, filename) = path.rsplit_once('/').unwrap_or(("", path));
    let is_folder = folder.is_empty() && !path.contains('/') || table_name(folder).is_ok();
    if !is_folder || !is_name(filename) || DocumentId::parse(path).is_ok() {
        return Err(());
    }
    Ok(FileEffect {
        v: Version,
        action: FileAction::Create,
        document: DocumentId::from_bytes(derived(&["patch", key])).to_string(),
        title: filename.rsplit_once('.').map_or(filename, |(stem, _)| stem).to_owned(),
        path: path.to_owned(),
        to: None,
        before: None,
        edits: Vec::new(),
        after: None,
        text: None,
        restorable_days: None,
        key: key.to_owned(),
    })
}

/// A name that people read as what it is: no part of a path, nothing invisible, nothing at its edges.
fn is_name(filename: &str) -> bool {
    let is_odd = |c: char| c.is_control() || c == '\\' || is_hidden(c);
    let is_dots = filename.chars().all(|c| c == '.');
    let is_trim = filename.trim() == filename;
    (1..=200).contains(&filename.len()) && is_trim && !is_dots && !filename.contains(is_odd)
}

/// A text, by size and hash.
pub(crate) fn hash(text: &str) -> TextHash {
    TextHash { bytes: text.len() as u64, sha256: hex::encode(Sha256::digest(text.as_bytes())) }
}

/// What a step may do: exactly what was signed.
pub(crate) fn permitted(
    call: &countersign_registry::action::Call,
) -> Result<&FileEffect, ActionError> {
    match call.permit.as_ref().map(|permit| &permit.effect) {
        Some(Effect::File(file)) if file.action.name() == call.action => Ok(file),
        _ => Err(refused("FILE_UNSIGNED", "nothing that was signed allows this change")),
    }
}

#[cfg(test)]
mod tests {
    use super::new;

    #[test]
    fn f_083_only_a_path_names_a_file_that_is_not_there() {
        for (path, title) in [("notes/a.md", Some("a")), ("b.md", Some("b")), ("c", Some("c"))] {
            assert_eq!(new(path, "k").ok().map(|file| file.title).as_deref(), title, "{path}");
        }
        let id = format!("doc_{}", "0".repeat(32));
        let odd = [
            "..",
            "notes/..",
            "notes/.",
            "../a.md",
            "a/ b.md",
            "a\\b.md",
            "a\u{202e}dm.exe",
            "a\u{200b}.md",
            "a\u{3164}.md",
            "a\u{e0101}.md",
        ];
        let wrong = [id.as_str(), "a b/c.md", "/c.md", "a/b/c.md", "a/", "", "a\nb"];
        for path in wrong.into_iter().chain(odd) {
            assert!(new(path, "k").is_err(), "{path}");
        }
    }
}

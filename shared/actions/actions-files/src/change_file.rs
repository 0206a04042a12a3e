//! `patch_file` (F-083), `delete_file` (F-084) and `move_file` (F-085): each does exactly what was signed, or nothing.

use std::sync::Arc;

use countersign_effect::{FileAction, FileEffect};
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::{delete_file, move_file, patch_file};
use countersign_store_content::{ContentStore, FileChange, NewText};

use crate::effects::{hash, permitted};
use crate::failed;
use crate::patch::patched;

pub(crate) struct PatchFile(pub(crate) Arc<ContentStore>);
pub(crate) struct DeleteFile(pub(crate) Arc<ContentStore>);
pub(crate) struct MoveFile(pub(crate) Arc<ContentStore>);

impl Perform for PatchFile {
    type Action = patch_file::PatchFile;

    async fn perform(
        &self,
        call: &Call,
        _: patch_file::Inputs,
        _: patch_file::Params,
    ) -> Result<patch_file::Output, ActionError> {
        let effect = permitted(call)?;
        let text = act(&self.0, call, effect).await?;
        Ok(patch_file::Output {
            success: true,
            operations_applied: effect.edits.len() as u64,
            new_content_length: text.chars().count() as u64,
        })
    }
}

impl Perform for DeleteFile {
    type Action = delete_file::DeleteFile;

    async fn perform(
        &self,
        call: &Call,
        _: delete_file::Inputs,
        _: delete_file::Params,
    ) -> Result<delete_file::Output, ActionError> {
        let effect = permitted(call)?;
        act(&self.0, call, effect).await?;
        Ok(delete_file::Output { success: true, deleted_title: effect.title.clone() })
    }
}

impl Perform for MoveFile {
    type Action = move_file::MoveFile;

    async fn perform(
        &self,
        call: &Call,
        _: move_file::Inputs,
        _: countersign_registry::actions::Nothing,
    ) -> Result<move_file::Output, ActionError> {
        let effect = permitted(call)?;
        act(&self.0, call, effect).await?;
        let new_folder_path = effect.to.clone().unwrap_or_default();
        Ok(move_file::Output { success: true, new_folder_path })
    }
}

/// Does what was signed, once; gives the text of a file that was changed.
async fn act(
    content: &ContentStore,
    call: &Call,
    effect: &FileEffect,
) -> Result<String, ActionError> {
    let signed = effect_text(call)?;
    let change = FileChange {
        owner: &call.owner,
        run: &call.run,
        effect,
        signed: &signed,
        idempotency_key: &call.idempotency_key,
        now: call.now,
    };
    let make = |before: &str| match effect.action {
        FileAction::Create | FileAction::Patch => {
            let text = patched(before, &effect.edits).ok()?;
            (effect.after.as_ref() == Some(&hash(&text))).then_some(NewText::Is(text))
        }
        FileAction::Move | FileAction::Delete => Some(NewText::Same),
    };
    content.change_file(change, make).await.map_err(failed)
}

fn effect_text(call: &Call) -> Result<String, ActionError> {
    let permit = call.permit.as_ref();
    let text = permit.map(|permit| permit.effect.text()).transpose();
    Ok(text.map_err(|error| ActionError::from_failure(&error))?.unwrap_or_default())
}

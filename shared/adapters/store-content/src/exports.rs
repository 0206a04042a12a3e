//! Files to download.

use std::time::Duration;

use aws_sdk_s3::presigning::PresigningConfig;
use countersign_identity::UserId;
use countersign_store_kit::{Page, StoreError, Window, Write};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::ExportId;
use crate::keys;
use crate::{Answer, ContentStore};

/// A file in the bucket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Export {
    /// The id.
    pub id: ExportId,
    /// Whose it is.
    pub owner: UserId,
    /// The name it is saved under.
    pub filename: String,
    /// Such as `text/csv; charset=utf-8`.
    pub media_type: String,
    /// Its size.
    pub bytes: u64,
    /// The run that wrote it.
    pub run: String,
    /// When.
    pub created_at: Timestamp,
}

/// A file to write.
#[derive(Debug, Clone)]
pub struct NewExport {
    /// What is stored of it besides the content.
    pub export: Export,
    /// The content.
    pub body: Vec<u8>,
}

impl ContentStore {
    /// Writes a file unless one with its id exists; answers with the one that stands. The object is written first, so
    /// that a file that is listed can be read.
    pub fn create_export<'a>(&'a self, new: &'a NewExport) -> Answer<'a, Export> {
        Box::pin(async move {
            let export = &new.export;
            self.blobs.put(&place(export), new.body.clone(), &export.media_type).await?;
            let sort = keys::at(export.created_at, &export.id);
            let put = Write::put(&keys::export(&export.owner, &export.id), export)?;
            self.table.put_once(put.indexed(&keys::exports(&export.owner), &sort), export).await
        })
    }

    /// A file of this owner.
    pub fn export(&self, owner: &UserId, id: &ExportId) -> Answer<'_, Option<Export>> {
        self.table.read(keys::export(owner, id))
    }

    /// The files of an owner, newest first.
    pub fn exports(&self, owner: &UserId, window: Window) -> Answer<'_, Page<Export>> {
        self.newest(&keys::exports(owner), window)
    }

    /// A link to download a file of this owner, good for `valid`; it is saved under its file name whatever it holds.
    pub fn export_link<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ExportId,
        valid: Duration,
    ) -> Answer<'a, Option<String>> {
        Box::pin(async move {
            let Some(export) = self.export(owner, id).await? else { return Ok(None) };
            let config = PresigningConfig::expires_in(valid).map_err(StoreError::encode)?;
            let request =
                self.blobs.client().get_object().bucket(self.blobs.bucket()).key(place(&export));
            let request = request.response_content_disposition(disposition(&export.filename));
            let signed = request.presigned(config).await.map_err(StoreError::encode)?;
            Ok(Some(signed.uri().to_owned()))
        })
    }
}

fn place(export: &Export) -> String {
    // The name in the key is for people who look into the bucket; only its ASCII part is taken.
    let plain: String = export
        .filename
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' })
        .collect();
    format!("exports/files/{}/{}/{plain}", export.owner, export.id)
}

/// `attachment` with the name in RFC 5987 form, so that a browser saves it and never shows it.
fn disposition(filename: &str) -> String {
    let mut encoded = String::new();
    for byte in filename.bytes() {
        if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    format!("attachment; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;

    use super::{Export, ExportId, disposition, place};

    fn check(filename: &str, key: &str, header: &str) {
        let export = Export {
            id: ExportId::from_bytes([1; 16]),
            owner: UserId::from_bytes([2; 16]),
            filename: filename.to_owned(),
            media_type: "text/csv".to_owned(),
            bytes: 0,
            run: "run_1".to_owned(),
            created_at: jiff::Timestamp::UNIX_EPOCH,
        };
        assert_eq!(place(&export).rsplit('/').next(), Some(key));
        assert_eq!(disposition(filename), format!("attachment; filename*=UTF-8''{header}"));
    }

    #[test]
    fn f_285_file_names_are_safe_in_keys_and_headers() {
        check("a.csv", "a.csv", "a.csv");
        check("río \"x\"\r\n.csv", "r_o__x___.csv", "r%C3%ADo%20%22x%22%0D%0A.csv");
    }
}

//! Files as their owner sees them: listed page by page, and removed.

use aws_sdk_s3::operation::list_objects_v2::ListObjectsV2Output;
use aws_sdk_s3::types::Object;
use countersign_connector::FileEntry;
use countersign_store_kit::Page;
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::{BucketError, S3Files, failed};

impl S3Files {
    /// A page of the files under a prefix, in the order of their keys, behind the key `after`.
    ///
    /// # Errors
    /// [`BucketError`] when the bucket does not answer.
    pub fn page<'a>(
        &'a self,
        prefix: &'a str,
        limit: i32,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page<FileEntry>, BucketError>> {
        Box::pin(async move {
            let listed = self.listed(prefix, limit, after).await?;
            let is_more = listed.is_truncated.unwrap_or_default();
            let objects = listed.contents.unwrap_or_default();
            let next = objects.last().and_then(|last| last.key.clone()).filter(|_| is_more);
            Ok(Page { items: objects.into_iter().filter_map(entry).collect(), next })
        })
    }

    /// Removes the files under a prefix; whether there were any. Versions before stay for as long as the bucket keeps them.
    ///
    /// # Errors
    /// [`BucketError`] when the bucket does not answer; removing again removes the rest.
    pub fn remove<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<bool, BucketError>> {
        Box::pin(async move {
            let (mut is_there, mut after) = (false, None::<String>);
            loop {
                let page = self.page(prefix, 1_000, after.as_deref()).await?;
                for file in &page.items {
                    is_there = true;
                    let (client, bucket) = (self.blobs.client(), self.blobs.bucket());
                    let removed = client.delete_object().bucket(bucket).key(&file.key).send().await;
                    removed.map_err(|error| failed("removing a file", &error))?;
                }
                after = page.next;
                if after.is_none() {
                    return Ok(is_there);
                }
            }
        })
    }

    async fn listed(
        &self,
        prefix: &str,
        limit: i32,
        after: Option<&str>,
    ) -> Result<ListObjectsV2Output, BucketError> {
        let request = self.blobs.client().list_objects_v2().bucket(self.blobs.bucket());
        let request = request.prefix(prefix).max_keys(limit);
        let sent = request.set_start_after(after.map(str::to_owned)).send().await;
        sent.map_err(|error| failed("listing files", &error))
    }
}

/// A file; none of what only stands for a folder.
pub(crate) fn entry(object: Object) -> Option<FileEntry> {
    let bytes = object.size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
    let modified_at = object.last_modified.and_then(|at| Timestamp::from_second(at.secs()).ok());
    let etag = object.e_tag.map(|etag| etag.trim_matches('"').to_owned());
    let key = object.key.filter(|key| !key.ends_with('/'))?;
    Some(FileEntry { key, bytes, modified_at, etag })
}

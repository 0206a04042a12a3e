//! Uploaded files in the data bucket (the keys are [`countersign_connector::keys`]).

use countersign_aws::CallFailure;
use countersign_connector::{FileBody, Files, Listing, SourceError, SourceFuture};
use countersign_failure::{Class, Failure};
use countersign_store_kit::Blobs;

mod owned;

use self::owned::entry;

/// The bucket did not do what was asked.
#[derive(Debug, thiserror::Error, Failure)]
#[error("{operation}: {reason}")]
#[failure(code = "FILE_SOURCE", class = *class)]
pub struct BucketError {
    operation: &'static str,
    reason: String,
    class: Class,
}

/// The data bucket.
#[derive(Debug, Clone)]
pub struct S3Files {
    blobs: Blobs,
}

impl S3Files {
    /// Files of this bucket.
    #[must_use]
    #[inline]
    pub fn new(blobs: Blobs) -> Self {
        Self { blobs }
    }
}

fn failed<E, R>(operation: &'static str, error: &aws_sdk_s3::error::SdkError<E, R>) -> BucketError
where
    E: aws_sdk_s3::error::ProvideErrorMetadata,
{
    let CallFailure { reason, class } = CallFailure::of(error);
    BucketError { operation, reason, class }
}

fn sdk<E, R>(operation: &'static str, error: &aws_sdk_s3::error::SdkError<E, R>) -> SourceError
where
    E: aws_sdk_s3::error::ProvideErrorMetadata,
{
    Box::new(failed(operation, error))
}

impl Files for S3Files {
    fn list<'a>(&'a self, prefix: &'a str, most: usize) -> SourceFuture<'a, Listing> {
        Box::pin(async move {
            let mut listing = Listing::default();
            let mut after = None;
            loop {
                let request = self
                    .blobs
                    .client()
                    .list_objects_v2()
                    .bucket(self.blobs.bucket())
                    .prefix(prefix);
                let sent = request.set_continuation_token(after).send().await;
                let page = sent.map_err(|error| sdk("listing files", &error))?;
                listing
                    .files
                    .extend(page.contents.unwrap_or_default().into_iter().filter_map(entry));
                after = page.next_continuation_token;
                if listing.files.len() > most || after.is_none() {
                    break;
                }
            }
            listing.truncated = listing.files.len() > most;
            listing.files.truncate(most);
            Ok(listing)
        })
    }

    fn open<'a>(&'a self, key: &'a str) -> SourceFuture<'a, Box<dyn FileBody>> {
        Box::pin(async move {
            let sent =
                self.blobs.client().get_object().bucket(self.blobs.bucket()).key(key).send().await;
            let answer = sent.map_err(|error| sdk("opening a file", &error))?;
            Ok(Box::new(S3Body(answer.body)) as Box<dyn FileBody>)
        })
    }
}

struct S3Body(aws_sdk_s3::primitives::ByteStream);

impl FileBody for S3Body {
    fn next(&mut self) -> SourceFuture<'_, Option<Vec<u8>>> {
        Box::pin(async move {
            let piece = self.0.try_next().await.map_err(|error| {
                let reason = error.to_string();
                Box::new(BucketError {
                    operation: "reading a file",
                    reason,
                    class: Class::Retryable,
                }) as SourceError
            })?;
            Ok(piece.map(|bytes| bytes.to_vec()))
        })
    }
}

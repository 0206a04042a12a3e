//! The claim check: what is too large for an item lies in S3, and the item keeps its place and digest.

use std::borrow::Cow;

use aws_sdk_s3::Client;
use aws_sdk_s3::primitives::ByteStream;
use countersign_aws::{AwsConfig, LazyClient};
use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::Result;
use crate::error::StoreError;

/// JSON above this many bytes goes to S3 (DESIGN: outputs over 100 KB).
pub const MAX_INLINE: usize = 100 * 1024;

/// A JSON value as an item keeps it. It is kept as text, so that key order and number forms survive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Stored {
    /// In the item itself.
    Item {
        /// The JSON text.
        json: String,
    },
    /// In the data bucket.
    Bucket {
        /// The object's key.
        key: String,
        /// SHA-256 of the object, hex.
        sha256: String,
        /// Its size.
        bytes: u64,
    },
}

impl Stored {
    /// The size of the JSON text.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Item { json } => json.len(),
            Self::Bucket { bytes, .. } => usize::try_from(*bytes).unwrap_or(usize::MAX),
        }
    }
}

/// The data bucket.
#[derive(Debug, Clone)]
pub struct Blobs {
    client: LazyClient<Client>,
    bucket: String,
}

impl Blobs {
    /// The bucket of this name, reached with this configuration.
    ///
    /// Keys stand in the path, not in the host name, so that the same code reaches any endpoint.
    #[must_use]
    #[inline]
    pub fn of(aws: &AwsConfig, bucket: impl Into<String>) -> Self {
        let client = LazyClient::of(aws, |aws| {
            let config = aws_sdk_s3::config::Builder::from(aws).force_path_style(true).build();
            Client::from_conf(config)
        });
        Self { client, bucket: bucket.into() }
    }

    /// The client, for what this type does not cover (presigning, listing).
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The bucket's name.
    #[must_use]
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// Keeps `value` in the item, or puts it under `key` and its digest when it is larger than [`MAX_INLINE`].
    pub async fn store(&self, key: &str, value: &Value) -> Result<Stored> {
        let json = serde_json::to_string(value).map_err(StoreError::encode)?;
        if json.len() <= MAX_INLINE {
            return Ok(Stored::Item { json });
        }
        let sha256 = hex::encode(Sha256::digest(json.as_bytes()));
        let bytes = json.len() as u64;
        // The digest is part of the key: two writers of different bodies never overwrite each other.
        let key = format!("{key}.{sha256}");
        self.put(&key, json.into_bytes(), "application/json").await?;
        Ok(Stored::Bucket { key, sha256, bytes })
    }

    /// Reads a value back and checks its digest.
    pub fn load<'a>(&'a self, stored: &'a Stored) -> BoxFuture<'a, Result<Value>> {
        Box::pin(self.load_as(stored))
    }

    /// Reads a value back; null where none was stored.
    pub fn load_or_null<'a>(&'a self, stored: Option<&'a Stored>) -> BoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            match stored {
                Some(stored) => self.load_as(stored).await,
                None => Ok(Value::Null),
            }
        })
    }

    /// Reads a value back as a `T` and checks its digest.
    ///
    /// # Errors
    /// [`StoreError`] when the bucket does not answer, or the value is another one or has another shape.
    pub async fn load_as<T: DeserializeOwned>(&self, stored: &Stored) -> Result<T> {
        let json = self.text(stored).await?;
        serde_json::from_slice(&json).map_err(|error| StoreError::unreadable(&self.bucket, &error))
    }

    fn text<'a>(&'a self, stored: &'a Stored) -> BoxFuture<'a, Result<Cow<'a, [u8]>>> {
        Box::pin(async move {
            match stored {
                Stored::Item { json } => Ok(Cow::Borrowed(json.as_bytes())),
                Stored::Bucket { key, sha256, .. } => {
                    let bytes = self.get(key).await?;
                    if hex::encode(Sha256::digest(&bytes)) != *sha256 {
                        return Err(StoreError::Tampered(key.clone()));
                    }
                    Ok(Cow::Owned(bytes))
                }
            }
        })
    }

    /// Writes an object.
    pub fn put<'a>(
        &'a self,
        key: &'a str,
        body: Vec<u8>,
        content_type: &'a str,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let request =
                self.client.put_object().bucket(&self.bucket).key(key).content_type(content_type);
            let sent = request.body(ByteStream::from(body)).send().await;
            sent.map(drop).map_err(|error| StoreError::sdk(&self.bucket, &error))
        })
    }

    /// Removes what was stored outside of its item. What is gone already is as good.
    pub fn discard<'a>(&'a self, stored: &'a Stored) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let Stored::Bucket { key, .. } = stored else { return Ok(()) };
            self.remove(key).await
        })
    }

    /// Removes an object. What is gone already is as good.
    pub fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let sent = self.client.delete_object().bucket(&self.bucket).key(key).send().await;
            sent.map(drop).map_err(|error| StoreError::sdk(&self.bucket, &error))
        })
    }

    /// Reads an object whole.
    pub fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Vec<u8>>> {
        Box::pin(async move {
            let sent = self.client.get_object().bucket(&self.bucket).key(key).send().await;
            let answer = sent.map_err(|error| StoreError::sdk(&self.bucket, &error))?;
            let body = answer.body.collect().await;
            let body = body.map_err(|error| StoreError::Unavailable {
                table: self.bucket.clone(),
                reason: error.to_string(),
            })?;
            Ok(body.to_vec())
        })
    }
}

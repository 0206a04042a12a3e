//! Last good answers, compressed: JSON of rows shrinks to a tenth, and an item has at most 400 KB.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_resilience::{AnswerKey, CachedAnswer, KEEP_BYTES};
use countersign_store_kit::{Expr, Key, StoreError, Write};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::EgressStore;

/// The longest body of an item; with keys and attribute names it stays below DynamoDB's 400 KB.
const MAX_LENGTH: usize = 380_000;

#[derive(Serialize, Deserialize)]
struct AnswerItem {
    /// Epoch milliseconds.
    at: i64,
    /// Base64 of gzip of JSON.
    body: String,
}

fn key(key: &AnswerKey) -> Key {
    Key::new(format!("ANSWER#{}", key.as_str()), "ANSWER")
}

impl EgressStore {
    pub(crate) async fn read_answer(
        &self,
        of: &AnswerKey,
    ) -> Result<Option<CachedAnswer>, StoreError> {
        let item: Option<AnswerItem> = self.table.get(&key(of)).await?;
        let unpacked = item.map(|item| unpack(&item.body)).transpose();
        unpacked
            .map_err(|reason| StoreError::Decode { table: self.table.name().to_owned(), reason })
    }

    pub(crate) async fn write_answer(
        &self,
        of: &AnswerKey,
        answer: &CachedAnswer,
    ) -> Result<(), StoreError> {
        let Some(body) = pack(answer).map_err(StoreError::Encode)? else { return Ok(()) };
        let at = answer.at.as_millisecond();
        let newer = Expr::new("attribute_not_exists(#PK) OR #at < :at").bind("at", &at)?;
        let write = Write::put(&key(of), &AnswerItem { at, body })?;
        let write = write.when(newer).expires_at(answer.until().as_second());
        self.table.try_write(write).await.map(drop)
    }
}

/// The answer as an item holds it; `None` when it is too large.
fn pack(answer: &CachedAnswer) -> Result<Option<String>, String> {
    let Some(text) = answer.text().map_err(|error| error.to_string())? else { return Ok(None) };
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    let body = STANDARD.encode(packer.finish().map_err(|error| error.to_string())?);
    Ok(Some(body).filter(|body| body.len() <= MAX_LENGTH))
}

fn unpack(body: &str) -> Result<CachedAnswer, String> {
    let bytes = STANDARD.decode(body).map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    let mut bounded = GzDecoder::new(bytes.as_slice()).take(KEEP_BYTES as u64 + 1);
    bounded.read_to_end(&mut text).map_err(|error| error.to_string())?;
    if text.len() > KEEP_BYTES {
        return Err("it unpacks to more than is ever kept".to_owned());
    }
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use countersign_resilience::CachedAnswer;
    use serde_json::{Value, json};

    use super::{pack, unpack};

    fn kept(output: Value) -> CachedAnswer {
        let Value::Object(output) = output else { panic!("an object") };
        CachedAnswer { output, at: "2026-03-04T05:06:07Z".parse().unwrap() }
    }

    #[test]
    fn k_75_an_answer_survives_its_packing() {
        let rows: Vec<_> =
            (0..5_000).map(|n| json!({ "id": n, "name": "Jane Doe", "z": 1.5 })).collect();
        let answer = kept(json!({ "results": rows, "count": 5_000 }));
        let body = pack(&answer).unwrap().unwrap();
        assert!(body.len() < 100_000, "{}", body.len());
        assert_eq!(unpack(&body).unwrap(), answer);
    }

    #[test]
    fn k_75_what_is_too_large_is_not_packed() {
        assert_eq!(pack(&kept(json!({ "text": "x".repeat(2_000_000) }))).unwrap(), None);
        // Within the bound, but it does not shrink.
        let noise: String = (0_u64..130_000)
            .map(|n| format!("{:x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) >> 36))
            .collect();
        assert_eq!(pack(&kept(json!({ "text": noise }))).unwrap(), None);
    }

    #[test]
    fn k_75_a_body_that_is_none_is_an_error() {
        assert!(unpack("!").is_err());
        assert!(unpack("aGVsbG8=").is_err());
    }
}

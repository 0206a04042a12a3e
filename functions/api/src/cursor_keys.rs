//! The key of cursors: derived from the key of links, which never leaves KMS, once per process and when a list is first asked.

use std::sync::Arc;

use countersign_approval::{Mac, MacError};
use countersign_web::CursorKey;
use tokio::sync::OnceCell;

/// Messages of links begin with another domain; no link has the MAC of this one.
const MESSAGE: &[u8] = b"countersign/cursor-key/v1";

/// Gives the key of cursors.
pub struct CursorKeys {
    mac: Arc<dyn Mac>,
    key: OnceCell<CursorKey>,
}

impl CursorKeys {
    /// Derives it from this key.
    #[must_use]
    #[inline]
    pub fn new(mac: Arc<dyn Mac>) -> Self {
        Self { mac, key: OnceCell::new() }
    }

    /// The key.
    ///
    /// # Errors
    /// [`MacError`] when the key it is derived from cannot be used.
    pub async fn get(&self) -> Result<&CursorKey, MacError> {
        let derive = async || Ok(CursorKey::new(&self.mac.sign(MESSAGE).await?));
        self.key.get_or_try_init(derive).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use countersign_approval::HmacKey;
    use countersign_web::Cursor;

    use super::CursorKeys;

    #[tokio::test]
    async fn two_processes_of_one_deployment_accept_each_others_cursors() {
        let process = |secret: u8| CursorKeys::new(Arc::new(HmacKey::new("one", &[secret; 32])));
        let sealed = async |keys: CursorKeys| {
            let owner = countersign_identity::UserId::from_bytes([1; 16]);
            Cursor::new(keys.get().await.unwrap(), &owner, "runs", &[]).seal("key")
        };
        let (one, two, other) = (process(1), process(1), process(2));
        let one = sealed(one).await;
        assert_eq!(one, sealed(two).await);
        assert_ne!(one, sealed(other).await);
    }
}

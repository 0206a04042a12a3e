use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use futures::executor::block_on;
use futures::future::BoxFuture;
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};

use crate::{Bound, DataKey, Keys, Sealed, Vault, VaultError};

/// Keys that wrap themselves, each different: it shows what the cipher itself refuses.
#[derive(Default)]
struct CountingKeys(AtomicU8);

impl Keys for CountingKeys {
    fn generate<'a>(&'a self, _: &'a Bound) -> BoxFuture<'a, Result<DataKey, VaultError>> {
        let key = [self.0.fetch_add(1, Ordering::Relaxed); 32];
        Box::pin(async move { Ok(DataKey::new(key, key.to_vec())) })
    }

    fn unwrap<'a>(
        &'a self,
        wrapped: &'a [u8],
        _: &'a Bound,
    ) -> BoxFuture<'a, Result<DataKey, VaultError>> {
        Box::pin(async move {
            let key: [u8; 32] = wrapped.try_into().map_err(|_| VaultError::NotAuthentic)?;
            Ok(DataKey::new(key, wrapped.to_vec()))
        })
    }
}

fn vault() -> Vault {
    Vault::new(Arc::new(CountingKeys::default()))
}

fn bound(owner: &str, record: &str, purpose: &str) -> Bound {
    Bound { owner: owner.to_owned(), record: record.to_owned(), purpose: purpose.to_owned() }
}

fn check(opened_as: &Bound, change: impl FnOnce(&mut Sealed), expect: Result<&[u8], VaultError>) {
    let vault = vault();
    let mut sealed = block_on(vault.seal(&bound("user_a", "cred_1", "fec"), b"key")).unwrap();
    change(&mut sealed);
    assert_eq!(block_on(vault.open(opened_as, &sealed)), expect.map(<[u8]>::to_vec));
}

#[test]
fn f_009_a_record_opens_only_for_what_it_is_bound_to() {
    check(&bound("user_a", "cred_1", "fec"), |_| {}, Ok(b"key"));
    for other in [
        bound("user_b", "cred_1", "fec"),
        bound("user_a", "cred_2", "fec"),
        bound("user_a", "cred_1", "sec"),
        bound("user_acred_1", "", "fec"),
    ] {
        check(&other, |_| {}, Err(VaultError::NotAuthentic));
    }
}

#[test]
fn f_009_an_altered_record_does_not_open() {
    let own = bound("user_a", "cred_1", "fec");
    check(
        &own,
        |sealed| {
            sealed.text.replace_range(0..1, if sealed.text.starts_with('A') { "B" } else { "A" });
        },
        Err(VaultError::NotAuthentic),
    );
    check(
        &own,
        |sealed| {
            sealed.nonce.replace_range(0..1, if sealed.nonce.starts_with('A') { "B" } else { "A" });
        },
        Err(VaultError::NotAuthentic),
    );
    check(
        &own,
        |sealed| sealed.nonce.clear(),
        Err(VaultError::Form("its nonce is not of 12 bytes")),
    );
    check(&own, |sealed| sealed.text.push('!'), Err(VaultError::Form("it is not base64")));
    check(&own, |sealed| sealed.version = 2, Err(VaultError::Form("its version is not 1")));
}

#[test]
fn f_009_the_same_secret_is_never_sealed_the_same() {
    let vault = vault();
    let own = bound("user_a", "cred_1", "fec");
    let (one, two) =
        (block_on(vault.seal(&own, b"key")).unwrap(), block_on(vault.seal(&own, b"key")).unwrap());
    assert!(one.key != two.key && one.nonce != two.nonce && one.text != two.text);
}

#[test]
fn a_data_key_prints_nothing() {
    assert_eq!(format!("{:?}", DataKey::new([7; 32], vec![7; 40])), "DataKey(redacted)");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_is_sealed_comes_back(plain in proptest::collection::vec(any::<u8>(), 0..500), owner in "[a-z_]{0,20}", record in "[a-z_]{0,20}") {
        let vault = vault();
        let own = bound(&owner, &record, "x");
        let sealed = block_on(vault.seal(&own, &plain)).unwrap();
        prop_assert_eq!(block_on(vault.open(&own, &sealed)).unwrap(), plain);
    }
}

//! Links and nonces.

use std::collections::BTreeSet;

use futures::executor::block_on;
use proptest::prelude::*;

use super::make::{after, request, start, tenant};
use crate::{
    ApprovalId, Digest, HmacKey, Link, LinkError, LinkId, Nonce, SignedLink, SignedNonce, Tenant,
};
use countersign_failure::Failure as _;

fn key() -> HmacKey {
    HmacKey::new("k1", &[1; 32])
}

fn said() -> Link {
    Link { approval: request(2, 1).id, slot: 1, version: 3, expires_at: after(3600) }
}

fn link() -> SignedLink {
    block_on(said().sign(&tenant(), &key())).unwrap()
}

fn verified(
    token: &str,
    tenant: &Tenant,
    key: &HmacKey,
    seconds: i64,
) -> Result<Link, &'static str> {
    let signed = SignedLink::parse(token).map_err(|_| "malformed")?;
    let link = block_on(signed.verify(tenant, key, after(seconds))).cloned();
    link.map_err(|error| error.code())
}

#[test]
fn k_06_a_link_opens_only_with_its_key_tenant_and_time() {
    let token = link().token();
    assert!(
        token.len() <= 120
            && token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    );
    let opened = verified(&token, &tenant(), &key(), 1).unwrap();
    assert_eq!((opened.approval, opened.slot, opened.version), (request(2, 1).id, 1, 3));
    assert_eq!(verified(&token, &tenant(), &key(), 3600), Err("LINK_EXPIRED"));
    assert_eq!(verified(&token, &Tenant::parse("other").unwrap(), &key(), 1), Err("LINK_FORGED"));
    assert_eq!(verified(&token, &tenant(), &HmacKey::new("k1", &[2; 32]), 1), Err("LINK_FORGED"));
    assert_eq!(verified(&token, &tenant(), &HmacKey::new("k2", &[1; 32]), 1), Err("LINK_FORGED"));
}

#[test]
fn a_newer_link_kills_the_older() {
    let old = link();
    assert!(old.check_current(3, &old.stored_hash()).is_ok());
    let check = |version, hash: &Digest| {
        assert!(matches!(old.check_current(version, hash), Err(LinkError::Superseded)));
    };
    check(4, &old.stored_hash());
    check(3, &Digest::from_bytes([0; 32]));
}

#[test]
fn what_is_stored_of_a_link_opens_nothing() {
    let signed = link();
    let mac_hex = hex::encode(&decode(&signed.token())[36..]);
    for kept in [signed.stored_hash().to_string(), signed.id().0.to_string()] {
        assert!(!mac_hex.contains(&kept) && !kept.contains(&mac_hex));
        assert!(SignedLink::parse(&kept).is_err());
    }
    assert!(!format!("{signed:?}").contains(&mac_hex));
}

#[test]
fn a_nonce_belongs_to_its_link_and_grows_old() {
    let (link, digest) = (link(), request(2, 1).digest);
    let nonce = Nonce::for_page(link.id(), digest, 1, start());
    let token = block_on(nonce.sign(&tenant(), &key())).unwrap().token();
    let check = |link: LinkId, seconds, expect: Result<(), &'static str>| {
        let signed = SignedNonce::parse(&token).unwrap();
        let got = block_on(signed.verify(&tenant(), &key(), link, after(seconds))).map(drop);
        assert_eq!(got.map_err(|error| error.code()), expect);
    };
    check(link.id(), 1799, Ok(()));
    check(link.id(), 1800, Err("PAGE_STALE"));
    check(LinkId(Digest::from_bytes([0; 32])), 1, Err("PAGE_STALE"));
    // A link is not a nonce, and a nonce is not a link.
    assert!(SignedLink::parse(&token).is_err());
    assert!(SignedNonce::parse(&link.token()).is_err());
}

fn decode(token: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(token).unwrap()
}

fn encode(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

/// So many variants of a signed link are tried; `docs/assurance.md` says so.
const HELD: usize = 161;

/// Texts made of a signed link, or signed by somebody else, that are not that link.
fn variants(token: &str) -> BTreeSet<String> {
    let mut variants = BTreeSet::new();
    for at in 0..token.len() {
        let mut bytes = token.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        variants.insert(String::from_utf8(bytes).unwrap());
    }
    for more in ["A", "AA", "AAAA", "=", "==", " ", "\n", ".", "/", "%00"] {
        variants.extend([format!("{token}{more}"), format!("{more}{token}")]);
    }
    variants.extend((1..=10).map(|cut| token[..token.len() - cut].to_owned()));
    variants.extend([token.to_uppercase(), token.to_lowercase(), token.repeat(2)]);
    let whole = decode(token);
    let mac = &whole[whole.len() - 32..];
    let genuine = said();
    // What another link says, under the code of this one; and a link of another deployment or key.
    for n in 1..=8_u8 {
        let other = Link {
            slot: genuine.slot + u16::from(n),
            version: genuine.version + u32::from(n),
            ..genuine.clone()
        };
        let later = Link { expires_at: after(3_600 + i64::from(n)), ..genuine.clone() };
        for other in [other, later] {
            let signed = block_on(other.sign(&tenant(), &key())).unwrap();
            let mut bytes = decode(&signed.token());
            let start = bytes.len() - 32;
            bytes[start..].copy_from_slice(mac);
            variants.insert(encode(&bytes));
        }
        let name = format!("k{}", n + 1);
        let foreign = [HmacKey::new("k1", &[n + 1; 32]), HmacKey::new(&name, &[1; 32])];
        let signed = foreign.map(|key| block_on(genuine.clone().sign(&tenant(), &key)).unwrap());
        variants.extend(signed.map(|signed| signed.token()));
        let elsewhere = Tenant::parse(&format!("other-{n}")).unwrap();
        variants.insert(block_on(genuine.clone().sign(&elsewhere, &key())).unwrap().token());
    }
    variants.remove(token);
    variants
}

#[test]
fn k_06_no_variant_of_a_signed_link_opens() {
    let token = link().token();
    assert!(verified(&token, &tenant(), &key(), 1).is_ok());
    let variants = variants(&token);
    for variant in &variants {
        assert!(verified(variant, &tenant(), &key(), 1).is_err(), "{variant}");
    }
    assert_eq!(variants.len(), HELD);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_link_survives_its_text(
        bytes in any::<[u8; 16]>(), slot in any::<u16>(), version in any::<u32>(), seconds in 1i64..10_000_000,
    ) {
        let link = Link { approval: ApprovalId::from_bytes(bytes), slot, version, expires_at: after(seconds) };
        let signed = block_on(link.clone().sign(&tenant(), &key())).unwrap();
        prop_assert_eq!(verified(&signed.token(), &tenant(), &key(), 0), Ok(link));
    }

    #[test]
    fn no_change_of_a_token_is_a_link(at in any::<prop::sample::Index>(), flip in 1u8..=255) {
        let mut bytes = decode(&link().token());
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        prop_assert!(verified(&encode(&bytes), &tenant(), &key(), 1).is_err());
    }

    #[test]
    fn no_text_makes_the_reader_stumble(text in "[A-Za-z0-9_-]{0,200}") {
        prop_assert!(verified(&text, &tenant(), &key(), 1).is_err());
        prop_assert!(SignedNonce::parse(&text).is_err() || !text.is_empty());
    }
}

//! Bytes that follow from what they are about: the same parts give the same ones, at any time and anywhere.

use sha2::{Digest as _, Sha256};

/// The SHA-256 digest of some parts in one domain. Every part counts on its own: `["a", "bc"]` is not `["ab", "c"]`.
#[must_use]
pub fn digest(domain: &str, parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new_with_prefix(domain);
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}

/// The first half of [`digest`]: what an id is made of.
#[must_use]
pub fn derived(domain: &str, parts: &[&str]) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest(domain, parts)[..16]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::derived;

    #[track_caller]
    fn check(one: (&str, &[&str]), other: (&str, &[&str]), expect: bool) {
        assert_eq!(derived(one.0, one.1) == derived(other.0, other.1), expect);
    }

    #[test]
    fn the_same_parts_give_the_same_bytes() {
        check(("", &["a", "bc"]), ("", &["a", "bc"]), true);
        check(("", &["a", "bc"]), ("", &["ab", "c"]), false);
        check(("", &["a"]), ("", &["a", ""]), false);
        check(("x", &["a"]), ("y", &["a"]), false);
    }

    #[test]
    fn what_is_stored_under_them_is_found_again() {
        let expect = 0x8bd2_6a35_04a1_63d6_4e03_a3c3_3867_8703_u128;
        assert_eq!(derived("countersign/v1/mail", &["code", "apr"]), expect.to_be_bytes());
    }
}

//! Addresses that no call gets to.

use countersign_document::Rules;

use crate::address::private_host;

/// An address in a private network may be written, and no call gets there.
pub(super) fn check_public(key: &str, address: &str, rules: &mut Rules<'_>) {
    if let Some(host) = private_host(address) {
        let message = format!(
            "`{host}` is an address of a private network: calls to it are refused (`EGRESS_REFUSED`)"
        );
        rules.warning(key, &format!("/{key}"), message);
    }
}

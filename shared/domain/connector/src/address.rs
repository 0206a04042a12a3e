//! Addresses that a connector or a binding may name.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// What is wrong with an address, to follow its key; `None` when it is none at all.
pub(crate) type Wrong = Option<&'static str>;

/// The address that paths are appended to, as it is kept: without what belongs into an endpoint, and without slashes at
/// the end.
pub(crate) fn address(text: &str) -> Result<String, Wrong> {
    let url = whole(text)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(Some("must not have a query or fragment"));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// HTTPS, or HTTP to this machine (the deployment decides whether loopback may be called at all), without what belongs
/// into `auth`.
pub(crate) fn whole(text: &str) -> Result<Url, Wrong> {
    let url = Url::parse(text).map_err(|_| None)?;
    let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if !(url.scheme() == "https" || url.scheme() == "http" && local) {
        Err(Some("must start with https://"))
    } else if url.host_str().is_none() {
        Err(Some("has no host"))
    } else if !url.username().is_empty() || url.password().is_some() {
        Err(Some("must not hold a user or password: use `auth` and the vault"))
    } else {
        Ok(url)
    }
}

/// The host of an address that is a literal of a private network: calls to it are refused when they are made. This machine is
/// not one; the deployment decides whether it may be called.
pub(crate) fn private_host(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    match url.host()? {
        Host::Ipv4(address) if is_private_v4(address) => Some(address.to_string()),
        Host::Ipv6(address) if is_private_v6(address) => Some(address.to_string()),
        _ => None,
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    address.is_private() || address.is_link_local() || is_shared || first == 0
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let mapped = address.to_ipv4_mapped().is_some_and(is_private_v4);
    address.is_unique_local() || address.is_unicast_link_local() || mapped
}

//! Addresses that a connector or a binding may name.

use url::Url;

/// The address that paths are appended to, as it is kept: without what belongs into an endpoint, and without slashes at
/// the end.
pub(crate) fn address(key: &str, text: &str) -> Result<String, String> {
    let url = whole(key, text)?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("`{key}` must not have a query or fragment"));
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// HTTPS, or HTTP to this machine (the deployment decides whether loopback may be called at all), without what belongs
/// into `auth`.
pub(crate) fn whole(key: &str, text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("`{text}` is not an address: {error}"))?;
    let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let problem = if !(url.scheme() == "https" || url.scheme() == "http" && local) {
        "must start with https://"
    } else if url.host_str().is_none() {
        "has no host"
    } else if !url.username().is_empty() || url.password().is_some() {
        "must not hold a user or password: use `auth` and the vault"
    } else {
        return Ok(url);
    };
    Err(format!("`{key}` {problem}"))
}

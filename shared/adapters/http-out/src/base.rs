//! Addresses that others are joined to.

use countersign_failure::address_problem;
use url::Url;

/// The address of a service, which its paths are joined to: it ends with `/`.
///
/// # Errors
/// What is wrong with it: it is not an address, or one with a user or a query.
pub fn base_address(text: &str) -> Result<Url, String> {
    let mut url = Url::parse(text).map_err(|error| {
        format!("it is not an address: {}", address_problem(&error.to_string()))
    })?;
    if url.cannot_be_a_base() || url.query().is_some() || !url.username().is_empty() {
        return Err("it must be a plain address without user and query".to_owned());
    }
    if !url.path().ends_with('/') {
        url.set_path(&format!("{}/", url.path()));
    }
    Ok(url)
}

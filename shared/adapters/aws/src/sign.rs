//! Requests that are signed by hand, where a whole SDK would cost more than the call.

use std::time::SystemTime;

use aws_credential_types::provider::ProvideCredentials as _;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4::SigningParams;

use crate::AwsConfig;

/// Why a request is not signed. The words hold nothing of the request and of the credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unsigned {
    /// No region is configured.
    #[error("no region")]
    NoRegion,
    /// There are no credentials, or they cannot be read.
    #[error("no credentials")]
    NoCredentials,
    /// It is nothing that can be signed.
    #[error("not signed")]
    Unsignable,
}

/// The headers of a POST of this body to this address, with those of its signature for the service (Signature Version 4).
///
/// # Errors
/// [`Unsigned`] says why it is not signed.
pub async fn signed(
    config: &AwsConfig,
    service: &str,
    address: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Result<Vec<(String, String)>, Unsigned> {
    let region = config.region().ok_or(Unsigned::NoRegion)?.as_ref();
    let provider = config.credentials_provider().ok_or(Unsigned::NoCredentials)?;
    let credentials = provider.provide_credentials().await;
    let identity = credentials.map_err(|_| Unsigned::NoCredentials)?.into();
    let params = SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(service)
        .time(SystemTime::now())
        .settings(SigningSettings::default())
        .build()
        .map_err(|_| Unsigned::Unsignable)?
        .into();
    let own = headers.iter().copied();
    let request = SignableRequest::new("POST", address, own, SignableBody::Bytes(body));
    let signed = request.and_then(|request| sign(request, &params));
    let (instructions, _) = signed.map_err(|_| Unsigned::Unsignable)?.into_parts();
    let all = headers.iter().copied().chain(instructions.headers());
    Ok(all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

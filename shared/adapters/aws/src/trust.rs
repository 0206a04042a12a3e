//! Whom the AWS clients trust: Amazon's own roots, and not every authority of the world. Reading six certificates instead
//! of some hundred is also half of a cold start.

use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::SharedHttpClient;

/// The certificates of the AWS clients cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustError(pub String);

const ROOTS: &str = include_str!("amazon-roots.pem");

/// The HTTP client that all AWS clients share. Where the environment names certificates of its own (`SSL_CERT_FILE`,
/// `SSL_CERT_DIR`), such as those of a proxy, these hold instead.
///
/// # Errors
/// [`TrustError`] when the certificates cannot be read.
pub fn http_client() -> Result<SharedHttpClient, TrustError> {
    let own = ["SSL_CERT_FILE", "SSL_CERT_DIR"].iter().any(|name| std::env::var_os(name).is_some());
    let store = if own { TrustStore::default() } else { amazon() };
    let tls = TlsContext::builder().with_trust_store(store).build();
    let tls = tls.map_err(|error| TrustError(error.to_string()))?;
    let client = aws_smithy_http_client::Builder::new();
    Ok(client.tls_provider(Provider::Rustls(CryptoMode::AwsLc)).tls_context(tls).build_https())
}

fn amazon() -> TrustStore {
    TrustStore::empty().with_pem_certificate(ROOTS)
}

#[cfg(test)]
mod tests {
    use super::{ROOTS, http_client};

    #[test]
    fn the_roots_can_be_read() {
        assert_eq!(ROOTS.matches("-----BEGIN CERTIFICATE-----").count(), 6);
        http_client().unwrap();
    }
}

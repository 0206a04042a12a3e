//! Who is trusted to say that a server is who it says it is.

use std::sync::Arc;

use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::DatabaseError;

/// The authorities of `pem`, and nobody else; without it those of the system, as for HTTPS.
pub(crate) fn connector(pem: Option<&str>) -> Result<MakeRustlsConnect, DatabaseError> {
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?;
    let config = match pem {
        Some(pem) => own(builder, pem)?,
        None => builder
            .with_platform_verifier()
            .map_err(|error| unusable(&error))?
            .with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

fn own(
    builder: ConfigBuilder<ClientConfig, WantsVerifier>,
    pem: &str,
) -> Result<ClientConfig, DatabaseError> {
    let unreadable = || DatabaseError::Tls("`ca_certificate` cannot be read".to_owned());
    let mut roots = RootCertStore::empty();
    for found in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        roots.add(found.map_err(|_| unreadable())?).map_err(|_| unreadable())?;
    }
    if roots.is_empty() {
        return Err(unreadable());
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn unusable(_: &rustls::Error) -> DatabaseError {
    DatabaseError::Tls("its certificates cannot be used".to_owned())
}

//! The configuration of all clients of a process.

use std::ops::Deref;
use std::sync::Arc;

use aws_types::SdkConfig;

/// Region, credentials, endpoint and HTTP client. A clone is the same configuration: every adapter keeps one for the client it
/// may never make.
#[derive(Debug, Clone)]
pub struct AwsConfig(Arc<SdkConfig>);

impl From<SdkConfig> for AwsConfig {
    fn from(config: SdkConfig) -> Self {
        Self(Arc::new(config))
    }
}

impl Deref for AwsConfig {
    type Target = SdkConfig;

    fn deref(&self) -> &SdkConfig {
        &self.0
    }
}

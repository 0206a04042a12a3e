//! What the health of a connector is asked for.

use countersign_profile::ProfileId;
use serde::Deserialize;
use utoipa::IntoParams;

/// Whose calls are asked about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct HealthQuery {
    /// The agent whose binding counts: its credential has a budget of its own, and its address a breaker.
    #[param(value_type = Option<String>)]
    pub(crate) profile: Option<ProfileId>,
}

//! What a list of conversations is narrowed by.

use countersign_profile::ProfileId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::lists::paged;

/// Which conversations.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConversationQuery {
    /// At most so many, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// Only those with this agent, `prof_…`.
    #[param(value_type = Option<String>)]
    pub(crate) profile_id: Option<ProfileId>,
}

paged!(ConversationQuery);

//! What the lists and views of connectors are asked for.

use countersign_connector::{Category, StoredConnector};
use countersign_profile::ProfileId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::pagination::ListQuery;

/// What to list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConnectorQuery {
    /// At most so many items, 1 to 100; 50 when left out. When few of many fit `category` and `tag`, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// Only one type, such as `rest_api`.
    pub(crate) kind: Option<String>,
    /// `own`, `system`, or both when left out.
    pub(crate) from: Option<String>,
    /// Only one category: `government`, `finance`, `corporate`, `nonprofit`, `general`.
    #[param(value_type = Option<String>)]
    pub(crate) category: Option<Category>,
    /// Only those with this tag.
    pub(crate) tag: Option<String>,
}

impl ConnectorQuery {
    /// What the store is asked for.
    pub(crate) fn listing(&self) -> ListQuery {
        let Self { limit, cursor, kind, from, category, tag } = self.clone();
        let narrowed = category.is_some() || tag.is_some();
        let also = narrowed.then(|| format!("{category:?}\0{tag:?}"));
        ListQuery { limit, cursor, kind, from, also }
    }

    /// Whether a connector is one of those asked for.
    pub(crate) fn takes(&self, stored: &StoredConnector) -> bool {
        let definition = &stored.definition;
        let category = self.category.is_none_or(|category| definition.category == category);
        let tagged = |tag: &String| definition.tags.iter().any(|own| own.as_str() == tag.as_str());
        category && self.tag.as_ref().is_none_or(tagged)
    }
}

/// Whose calls are asked about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// The agent whose binding counts: its credential has a budget of its own, and its address a breaker.
    #[param(value_type = Option<String>)]
    pub(crate) profile: Option<ProfileId>,
}

//! What of a connector its budget and its breaker are about.

use countersign_identity::UserId;
use countersign_resilience::{Budget, LimitKey};

use crate::binding::{BindingId, CredentialId, StoredConnector};
use crate::model::{Connection, ConnectorDefinition, ConnectorId, RateLimit};

impl From<RateLimit> for Budget {
    fn from(limit: RateLimit) -> Self {
        Self {
            second: limit.requests_per_second,
            minute: limit.requests_per_minute,
            hour: limit.requests_per_hour,
            day: limit.requests_per_day,
            month: limit.requests_per_month,
        }
    }
}

/// Whose rate it is: a source counts the calls of a key, or, when it asks for none, of everybody. Whoever enters the same
/// key for several agents has one rate, so that it is counted by owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatedBy<'a> {
    /// The owner, with this credential.
    Owner(&'a UserId, &'a CredentialId),
    /// Nobody's credential is used.
    Everybody,
}

impl ConnectorDefinition {
    /// Where it calls, with this credential; empty when that is said by each call.
    #[must_use]
    pub fn place<'p>(&'p self, credential: Option<&'p CredentialId>) -> &'p str {
        let address = match &self.connection {
            Connection::RestApi(rest) => rest.base_url.as_str(),
            Connection::Graphql(graphql) => graphql.endpoint.as_str(),
            Connection::WebScraper(scraper) => scraper.base_url.as_str(),
            // A database's place is in its credential, and so no part of the definition.
            Connection::Database(_) => credential.map_or("", CredentialId::as_str),
            Connection::FileParser(_) | Connection::ExistingTool(_) | Connection::RssFeed(_) => "",
        };
        address.trim_end_matches('/')
    }

    /// How often it may be called (F-105).
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.connection.rate_limit().map(Budget::from).unwrap_or_default()
    }

    /// What its breaker is about: this connector at this place, for one owner. One person's timeouts or overridden address
    /// say nothing to others.
    #[must_use]
    pub fn health_subject(&self, owner: &UserId, credential: Option<&CredentialId>) -> LimitKey {
        LimitKey::of(&["health", owner.as_str(), self.id.as_str(), self.place(credential)])
    }

    /// What the breaker of one of several places is about: one that fails says nothing of the others. A query is not a part
    /// of `place`, for it may hold a secret.
    #[must_use]
    pub fn place_subject(&self, owner: &UserId, place: &str) -> LimitKey {
        LimitKey::of(&["health", owner.as_str(), self.id.as_str(), self.place(None), place])
    }

    /// What its rate is about. `whose` is the owner of the definition, none for the system's: ids are unique for each owner
    /// only.
    #[must_use]
    pub fn rate_subject(&self, whose: Option<&UserId>, by: RatedBy<'_>) -> LimitKey {
        let whose = whose.map_or("system", UserId::as_str);
        let (owner, credential) = match by {
            RatedBy::Owner(owner, credential) => (owner.as_str(), Some(credential)),
            RatedBy::Everybody => ("", None),
        };
        LimitKey::of(&["rate", whose, self.id.as_str(), self.place(credential), owner])
    }
}

impl StoredConnector {
    /// What the rate of a binding's calls is about, as it is counted when the binding's own address is used.
    #[must_use]
    pub fn rate_subject(&self, by: RatedBy<'_>) -> LimitKey {
        self.definition.rate_subject(self.owner.as_ref(), by)
    }
}

/// What the lower rate of one binding is about (F-008).
#[must_use]
pub fn binding_subject(owner: &UserId, connector: &ConnectorId, binding: &BindingId) -> LimitKey {
    LimitKey::of(&["binding", owner.as_str(), connector.as_str(), binding.as_str()])
}

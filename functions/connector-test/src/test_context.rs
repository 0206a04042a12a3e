//! Where a test finds connector and binding, and who hears how it went.

use std::sync::Arc;

use countersign_connector::{
    AgentConnector, Announcer, Binding, BindingId, ConfigOverrides, ConnectorDefinition,
    ConnectorId, ConnectorSource, Health, HealthSink, Permissions, SourceError, SourceFuture,
    StoredConnector,
};
use countersign_identity::UserId;
use countersign_resilience::{AnswerKey, Answers, CachedAnswer, LimitFuture};
use jiff::Timestamp;

/// Connectors as they are stored. Where no agent is named, a connector counts as bound, without a credential: how such a
/// call fares is neither noted nor told.
pub(crate) struct TestContext {
    pub(crate) stored: Arc<dyn ConnectorSource>,
    pub(crate) health: Arc<dyn HealthSink>,
    pub(crate) announcer: Arc<dyn Announcer>,
}

impl TestContext {
    /// A connector of the owner or the deployment, when there is one of that id.
    pub(crate) async fn definition_of(
        &self,
        owner: &UserId,
        connector: &ConnectorId,
    ) -> Result<Option<ConnectorDefinition>, SourceError> {
        let stored = self.stored.definition(owner, connector).await?;
        Ok(stored.map(|stored| stored.definition))
    }

    /// Whether calls through this binding carry its credential.
    async fn uses_credential(
        &self,
        owner: &UserId,
        binding: &Binding,
    ) -> Result<bool, SourceError> {
        if is_none(binding) || binding.credential.is_none() {
            return Ok(false);
        }
        let stored = self.stored.definition(owner, &binding.connector_id).await?;
        let auth = |stored: &StoredConnector| {
            let auth = stored.definition.connection.auth();
            auth.is_some_and(|auth| !auth.credential_fields().is_empty())
        };
        Ok(stored.is_some_and(|stored| auth(&stored)))
    }
}

/// Whether a binding stands in where no agent is named.
fn is_none(binding: &Binding) -> bool {
    binding.profile_id.is_empty()
}

impl HealthSink for TestContext {
    fn note<'a>(
        &'a self,
        owner: &'a UserId,
        binding: &'a Binding,
        health: Health,
    ) -> SourceFuture<'a, ()> {
        if is_none(binding) {
            return Box::pin(async { Ok(()) });
        }
        self.health.note(owner, binding, health)
    }
}

/// A test tells how its source answers now: nothing stands in, and nothing is kept of it.
impl Answers for TestContext {
    fn last<'a>(&'a self, _: &'a AnswerKey) -> LimitFuture<'a, Option<CachedAnswer>> {
        Box::pin(async { Ok(None) })
    }

    fn keep<'a>(&'a self, _: &'a AnswerKey, _: &'a CachedAnswer) -> LimitFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

impl Announcer for TestContext {
    fn auth_failed<'a>(
        &'a self,
        owner: &'a UserId,
        binding: &'a Binding,
        at: Timestamp,
    ) -> SourceFuture<'a, ()> {
        Box::pin(async move {
            if self.uses_credential(owner, binding).await? {
                self.announcer.auth_failed(owner, binding, at).await?;
            }
            Ok(())
        })
    }
}

impl ConnectorSource for TestContext {
    fn definition<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<StoredConnector>> {
        self.stored.definition(owner, id)
    }

    fn binding<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>> {
        if !of.profile.is_empty() {
            return self.stored.binding(of);
        }
        let plain = Binding {
            id: BindingId::from_bytes([0; 16]),
            profile_id: String::new(),
            connector_id: of.connector.clone(),
            credential: None,
            config_overrides: ConfigOverrides::default(),
            permissions: Permissions::default(),
            is_enabled: true,
            created_at: None,
            health: Health::default(),
        };
        Box::pin(async move { Ok(Some(plain)) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use countersign_connector::{CredentialId, parse};

    use super::*;

    /// A store with one connector, and ears that write down which binding they heard of.
    #[derive(Default)]
    struct World {
        auth: &'static str,
        heard: Mutex<Vec<(&'static str, String)>>,
    }

    impl ConnectorSource for World {
        fn definition<'a>(
            &'a self,
            _: &'a UserId,
            _: &'a ConnectorId,
        ) -> SourceFuture<'a, Option<StoredConnector>> {
            let yaml = format!(
                "id: shelf\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nconnection: {{ base_url: 'https://a.example', auth: {{ type: {} }} }}\nendpoints:\n  list: {{ description: all, path: / }}\n",
                self.auth
            );
            let definition = parse(&yaml).definition.unwrap();
            let updated_at = Timestamp::UNIX_EPOCH;
            let accepted = Vec::new();
            let stored = StoredConnector { owner: None, definition, yaml, updated_at, accepted };
            Box::pin(async move { Ok(Some(stored)) })
        }

        fn binding<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>> {
            let bound =
                binding(&of.profile, &of.connector, Some(CredentialId::from_bytes([7; 16])));
            Box::pin(async move { Ok(Some(bound)) })
        }
    }

    impl HealthSink for World {
        fn note<'a>(
            &'a self,
            _: &'a UserId,
            binding: &'a Binding,
            _: Health,
        ) -> SourceFuture<'a, ()> {
            self.heard.lock().unwrap().push(("noted", binding.profile_id.clone()));
            Box::pin(async { Ok(()) })
        }
    }

    impl Announcer for World {
        fn auth_failed<'a>(
            &'a self,
            _: &'a UserId,
            binding: &'a Binding,
            _: Timestamp,
        ) -> SourceFuture<'a, ()> {
            self.heard.lock().unwrap().push(("told", binding.profile_id.clone()));
            Box::pin(async { Ok(()) })
        }
    }

    fn binding(
        profile: &str,
        connector: &ConnectorId,
        credential: Option<CredentialId>,
    ) -> Binding {
        Binding {
            id: BindingId::from_bytes([1; 16]),
            profile_id: profile.to_owned(),
            connector_id: connector.clone(),
            credential,
            config_overrides: ConfigOverrides::default(),
            permissions: Permissions::default(),
            is_enabled: true,
            created_at: None,
            health: Health::default(),
        }
    }

    /// Who hears of a refused credential when this profile tests a connector with this auth.
    async fn check(auth: &'static str, profile: &str, credential: bool, expect: &[&str]) {
        let world = Arc::new(World { auth, heard: Mutex::default() });
        let context =
            TestContext { stored: world.clone(), health: world.clone(), announcer: world.clone() };
        let owner = UserId::from_bytes([1; 16]);
        let of = AgentConnector {
            owner: owner.clone(),
            profile: profile.to_owned(),
            connector: ConnectorId::parse("shelf").unwrap(),
        };
        let mut bound = context.binding(&of).await.unwrap().unwrap();
        bound.credential = bound.credential.filter(|_| credential);
        context.note(&owner, &bound, Health::AuthFailed).await.unwrap();
        context.auth_failed(&owner, &bound, Timestamp::UNIX_EPOCH).await.unwrap();
        let heard: Vec<&str> = world.heard.lock().unwrap().iter().map(|(how, _)| *how).collect();
        assert_eq!(heard, expect, "{auth} {profile} {credential}");
    }

    #[tokio::test]
    async fn f_306_only_a_credential_that_was_used_is_told_to_be_refused() {
        check("bearer_token", "prof_a", true, &["noted", "told"]).await;
        check("bearer_token", "prof_a", false, &["noted"]).await;
        check("none", "prof_a", true, &["noted"]).await;
        check("bearer_token", "", false, &[]).await;
        check("none", "", false, &[]).await;
    }
}

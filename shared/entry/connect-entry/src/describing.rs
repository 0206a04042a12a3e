//! Says what calls send, and keeps what that took for the calls themselves. It always reads anew: nothing is signed from memory.

use std::sync::Arc;

use countersign_channel::ConnectorCalls;
use countersign_connector::{AgentConnector, LookupError, bound, described, named};
use countersign_effect::Effect;
use countersign_registry::action::{ActionError, ActionFuture, Describe, EffectsOf};

use crate::ahead::{Ahead, Stores};

/// The describer of `call_connector` and of messages where they are also called.
pub struct Describing {
    stores: Stores,
    ahead: Arc<Ahead>,
}

impl Describing {
    pub(crate) fn new(stores: Stores, ahead: Arc<Ahead>) -> Self {
        Self { stores, ahead }
    }

    async fn effects(&self, of: &EffectsOf<'_>) -> Result<Vec<Effect>, ActionError> {
        let message = ConnectorCalls::of(of)?;
        let calls = message.as_ref().map(|made| made.calls(of)).unwrap_or_default();
        let of = &message.as_ref().map_or(*of, |made| made.effects(of, &calls));
        let connector = named(of.params).map_err(|error| failed(&error))?;
        let (owner, profile) = (of.owner.clone(), of.profile_id.to_owned());
        let called = AgentConnector { owner, profile, connector };
        let read = self.stores.read(called, of.ahead).await;
        let (found, read) = read.map_err(|error| failed(&LookupError::Source(error)))?;
        self.ahead.keep(read);
        described(&bound(found, of.params).map_err(|error| failed(&error))?, of)
    }
}

impl Describe for Describing {
    fn describe<'a>(&'a self, of: &'a EffectsOf<'a>) -> ActionFuture<'a, Vec<Effect>> {
        Box::pin(self.effects(of))
    }
}

fn failed(error: &LookupError) -> ActionError {
    ActionError::from_failure(error)
}

//! What an irreversible call of a connector sends, looked up and composed: the describer of `call_connector`.

use std::sync::Arc;

use countersign_effect::Effect;
use countersign_registry::action::{ActionError, Describe, EffectOf};
use futures::future::BoxFuture;

use crate::binding::ConnectorSource;
use crate::effect::describe;
use crate::lookup::{Bound, find};

/// Describes calls of the connectors of a catalogue.
pub struct ConnectorEffects(pub Arc<dyn ConnectorSource>);

impl Describe for ConnectorEffects {
    fn describe<'a>(&'a self, of: &'a EffectOf<'a>) -> BoxFuture<'a, Result<Effect, ActionError>> {
        Box::pin(async move {
            let bound = find(self.0.as_ref(), of.owner, of.profile_id, of.params).await;
            described(&bound.map_err(|error| ActionError::from_failure(&error))?, of)
        })
    }
}

/// What a call sends, once what it names is looked up.
///
/// # Errors
/// A terminal error when it cannot be sent as it stands.
pub fn described(bound: &Bound, of: &EffectOf<'_>) -> Result<Effect, ActionError> {
    let effect = describe(bound, of.inputs, of.params, of.key);
    effect.map_err(|error| ActionError::from_failure(&error))
}

//! What an irreversible call of a connector sends, looked up and composed: the describer of `call_connector`, and of
//! messages, which are such calls.

use std::sync::Arc;

use countersign_channel::ConnectorCalls;
use countersign_effect::Effect;
use countersign_registry::action::{ActionError, ActionFuture, Describe, EffectsOf};

use crate::binding::ConnectorSource;
use crate::effect::describe;
use crate::lookup::{Bound, find};

/// Describes calls of the connectors of a catalogue.
pub struct ConnectorEffects(pub Arc<dyn ConnectorSource>);

impl Describe for ConnectorEffects {
    fn describe<'a>(&'a self, of: &'a EffectsOf<'a>) -> ActionFuture<'a, Vec<Effect>> {
        Box::pin(async move {
            let message = ConnectorCalls::of(of)?;
            let calls = message.as_ref().map(|made| made.calls(of)).unwrap_or_default();
            let of = &message.as_ref().map_or(*of, |made| made.effects(of, &calls));
            let bound = find(self.0.as_ref(), of.owner, of.profile_id, of.params).await;
            described(&bound.map_err(|error| ActionError::from_failure(&error))?, of)
        })
    }
}

/// What the calls send, once what they name is looked up.
///
/// # Errors
/// A terminal error when one cannot be sent as it stands.
pub fn described(bound: &Bound, of: &EffectsOf<'_>) -> Result<Vec<Effect>, ActionError> {
    of.each(|call| {
        let effect = describe(bound, call.inputs, of.params, call.key);
        effect.map_err(|error| ActionError::from_failure(&error))
    })
}

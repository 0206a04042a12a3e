//! What an irreversible call of a connector sends, looked up and composed: the describer of `call_connector`.

use std::sync::Arc;

use countersign_effect::Effect;
use countersign_failure::Failure;
use countersign_registry::action::{ActionError, Describe, EffectsOf};
use futures::future::BoxFuture;

use crate::binding::ConnectorSource;
use crate::effect::describe;
use crate::lookup::find;

/// Describes calls of the connectors of a catalogue.
pub struct ConnectorEffects(pub Arc<dyn ConnectorSource>);

impl Describe for ConnectorEffects {
    fn describe<'a>(
        &'a self,
        of: &'a EffectsOf<'a>,
    ) -> BoxFuture<'a, Result<Vec<Effect>, ActionError>> {
        Box::pin(async move {
            let bound = find(self.0.as_ref(), of.owner, of.profile_id, of.params).await;
            let bound = bound.map_err(|error| ActionError::from_failure(&error))?;
            let mut effects = Vec::with_capacity(of.calls.len());
            for (n, call) in of.calls.iter().enumerate() {
                let effect = describe(&bound, call.inputs, of.params, call.key);
                effects.push(effect.map_err(|error| of_call(n, of.calls.len(), &error))?);
            }
            Ok(effects)
        })
    }
}

/// Which of several calls cannot be made.
fn of_call(n: usize, calls: usize, error: &dyn Failure) -> ActionError {
    let mut error = ActionError::from_failure(error);
    if calls > 1 {
        error.message = format!("call {} of {calls}: {}", n + 1, error.message);
    }
    error
}

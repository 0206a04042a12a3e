//! What any irreversible step would do, whichever function does it.

use countersign_actions_files::FileEffects;
use countersign_connector::ConnectorEffects;
use countersign_effect::Effect;
use countersign_registry::action::{ActionFuture, Describe, EffectsOf};
use countersign_registry::{CALL_CONNECTOR, SEND_CHANNEL_MESSAGE};

/// The describers of every function that acts.
pub(crate) struct Describing {
    pub(crate) connectors: ConnectorEffects,
    pub(crate) files: FileEffects,
}

impl Describe for Describing {
    fn describe<'a>(&'a self, of: &'a EffectsOf<'a>) -> ActionFuture<'a, Vec<Effect>> {
        match of.action {
            CALL_CONNECTOR | SEND_CHANNEL_MESSAGE => self.connectors.describe(of),
            _ => self.files.describe(of),
        }
    }
}

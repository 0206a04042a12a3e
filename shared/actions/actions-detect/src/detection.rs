//! Detections with the arguments in their types.

use countersign_monitor::MarkKind;
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_registry::{Action, arguments};
use serde_json::{Map, Value};

use crate::look::{Detect, Look, Seen};

/// What a detection looks for, with the arguments in their types. Every such type is a [`Detect`].
pub trait Detection: Send + Sync {
    /// Its declaration.
    type Action: Action;

    /// What the values of its positions are.
    const KIND: MarkKind;

    /// What the value of the position of a call with these params is, where they decide.
    #[must_use]
    fn kind_of(_: &<Self::Action as Action>::Params) -> MarkKind {
        Self::KIND
    }

    /// What a call with these arguments looks at, a part of the metadata: where that changes, a position means nothing.
    fn source(
        inputs: &<Self::Action as Action>::Inputs,
        params: &<Self::Action as Action>::Params,
    ) -> Map<String, Value>;

    /// The output of a step that stands at `before` and finds nothing.
    fn nothing(before: Option<String>) -> Value;

    /// Looks.
    fn find(
        &self,
        call: &Call,
        look: Look<'_>,
        inputs: <Self::Action as Action>::Inputs,
        params: <Self::Action as Action>::Params,
    ) -> impl Future<Output = Result<Seen, ActionError>> + Send;
}

impl<D: Detection> Detect for D {
    fn name(&self) -> &'static str {
        D::Action::NAME
    }

    fn kind(&self) -> MarkKind {
        D::KIND
    }

    fn kind_of(&self, call: &Call) -> Result<MarkKind, ActionError> {
        Ok(<D as Detection>::kind_of(&arguments::<D::Action>(call)?.1))
    }

    fn source(&self, call: &Call) -> Result<Map<String, Value>, ActionError> {
        let (inputs, params) = arguments::<D::Action>(call)?;
        Ok(<D as Detection>::source(&inputs, &params))
    }

    fn nothing(&self, before: Option<String>) -> Value {
        <D as Detection>::nothing(before)
    }

    fn look<'a>(&'a self, call: &'a Call, look: Look<'a>) -> ActionFuture<'a, Seen> {
        Box::pin(async move {
            let (inputs, params) = arguments::<D::Action>(call)?;
            self.find(call, look, inputs, params).await
        })
    }
}

//! `run_python`: code that computes with the data it is given, and reaches nothing else.

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call, Handler};
use countersign_registry::actions::run_python as declared;
use countersign_sandbox::{Job, Sandbox};
use tokio::time::Instant;

struct RunPython {
    sandbox: Sandbox,
}

impl Perform for RunPython {
    type Action = declared::RunPython;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let job = Job { code: params.code, data: inputs.data.unwrap_or_default() };
        let ran = self.sandbox.run(&job, Instant::now() + call.remaining).await;
        let ran = ran.map_err(|error| ActionError::from_failure(&error))?;
        Ok(declared::Output { result: ran.result, stdout: ran.stdout })
    }
}

/// The actions of this crate.
#[must_use]
pub fn actions(sandbox: Sandbox) -> Vec<Arc<dyn Handler>> {
    vec![Arc::new(RunPython { sandbox })]
}

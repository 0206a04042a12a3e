//! What references know of the run they are in (F-155, A-011).

use countersign_run::Head;
use countersign_wiring::{Person, Runtime, Scope};

use crate::Plan;

/// What references of a run can see beside results: the runtime variables and the playbook's inputs.
#[must_use]
pub fn scope<'p>(head: &Head, plan: &'p Plan) -> Scope<'p> {
    let mut scope = Scope::of_run(runtime(head));
    for (name, value) in &plan.inputs {
        scope.lend(name, value);
    }
    scope
}

/// The runtime variables of a run. They follow from its head, so that every step, however late, sees the same.
fn runtime(head: &Head) -> Runtime {
    let caller = Person {
        id: head.invoked_by.to_string(),
        name: head.invoked_by_name.clone(),
        email: head.invoked_by_email.clone(),
    };
    let (run, at) = head.as_told();
    Runtime {
        last_execution: head.last_finished_at.map(|at| Runtime::at(at, "").today),
        caller: Some(caller),
        ..Runtime::at(at, run.as_str())
    }
}

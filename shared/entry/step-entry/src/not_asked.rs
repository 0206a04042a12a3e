//! A run that skips its gates (R-067, K-18): what would be asked is prepared as ever, and then nobody is asked.

use countersign_run::{GATE_NOT_ASKED, GateOutcome, GatePolicy, StepStatus};
use countersign_store_runs::StepView;

use crate::gate_ask::GateAsk;
use crate::step_end::StepEnd;

/// Whether nobody is asked here. Of what may have been sent before, people are always asked what came of it.
pub(crate) fn holds(view: &StepView) -> bool {
    view.head.approval_policy == GatePolicy::Skip && view.intent.is_none()
}

/// How a gate, or a step that asks for itself, ends without having asked.
pub(crate) fn ending(ask: &GateAsk) -> StepEnd {
    let calls: usize = ask.subject.effects.iter().map(|effects| effects.texts.len()).sum();
    let what = match calls {
        0 => String::new(),
        1 => " Not sent: 1 request.".to_owned(),
        many => format!(" Not sent: {many} requests."),
    };
    let message = format!("Nobody was asked to sign, because this run skips its gates.{what}");
    let ending = StepEnd::without_output(StepStatus::Closed, GATE_NOT_ASKED, message);
    StepEnd { verdict: Some(GateOutcome::NotAsked), ..ending }
}

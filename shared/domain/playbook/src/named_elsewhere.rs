//! What a text names that is kept elsewhere, also when the text is broken: whoever knows these says what is wrong with them
//! together with everything else.

use std::collections::BTreeSet;

use crate::draft::{Draft, DraftKind, DraftStep};

/// Connectors and approvers by the names that a text has for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedElsewhere {
    /// The connectors that its steps call.
    pub connectors: BTreeSet<String>,
    /// The approvers of its gates, also those who are asked later.
    pub approvers: BTreeSet<String>,
}

impl NamedElsewhere {
    pub(crate) fn of(draft: &Draft<'_>) -> Self {
        let named = draft.steps.iter().flat_map(DraftStep::connectors);
        let connectors = named.map(|(connector, _)| connector.to_owned());
        let approvers = draft.steps.iter().flat_map(approvers).map(str::to_owned);
        Self { connectors: connectors.collect(), approvers: approvers.collect() }
    }
}

fn approvers<'d>(step: &'d DraftStep<'_>) -> impl Iterator<Item = &'d str> {
    let gate = match &step.kind {
        DraftKind::Approval(gate) => Some(gate),
        _ => None,
    };
    let named = gate.into_iter().flat_map(|gate| {
        let later = gate.escalation.iter().flat_map(|escalation| &escalation.to);
        gate.approvers.iter().chain(later)
    });
    named.map(|name| name.text.as_str())
}

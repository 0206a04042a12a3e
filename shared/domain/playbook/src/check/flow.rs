//! What depends on what: circles, effects, unused results, long chains.

use std::collections::{BTreeSet, VecDeque};

use crate::diagnostic::Code;
use crate::draft::{Draft, DraftKind};
use crate::model::OnError;
use crate::names::Names;
use crate::sink::Sink;

/// A chain of more steps than this is hard to follow and fails often.
const LONG_CHAIN: usize = 10;

/// The dependencies of a draft.
#[derive(Debug)]
pub(crate) struct Flow {
    /// Per step, the steps whose results it uses.
    needs: Vec<BTreeSet<usize>>,
    /// Per step, the number of the circle of dependencies it is part of; alone, its own.
    circles: Vec<usize>,
    /// Per step, whether an effect depends on its success (K-50).
    pub(crate) leads_to_effect: Vec<bool>,
}

impl Flow {
    pub(crate) fn of(draft: &Draft<'_>, names: &Names<'_>, needs: &[BTreeSet<usize>]) -> Self {
        Self {
            needs: needs.to_vec(),
            circles: circles(needs),
            leads_to_effect: effects(draft, names, needs),
        }
    }

    /// The circle closed by `from` using `to`, beginning and ending with `from`. Nothing when there is none.
    pub(crate) fn circle(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        if from == to {
            return Some(vec![from, from]);
        }
        if self.circles[from] != self.circles[to] {
            return None;
        }
        let mut before = vec![None; self.needs.len()];
        let mut queue = VecDeque::from([to]);
        while let Some(step) = queue.pop_front() {
            for &next in &self.needs[step] {
                if before[next].is_none() && next != to {
                    before[next] = Some(step);
                    queue.push_back(next);
                }
            }
        }
        let mut path = vec![from];
        while let Some(step) = before[path[path.len() - 1]] {
            path.push(step);
        }
        path.push(from);
        path.reverse();
        // Read along the dependencies: `from` needs `to`, which needs …, which needs `from`.
        Some(path)
    }

    /// The steps that use the result of a step, directly or through others, without those that `leaves_out`. A sub-step also uses
    /// what its parallel step does: that has its condition.
    pub(crate) fn users(
        &self,
        draft: &Draft<'_>,
        of: usize,
        leaves_out: impl Fn(usize) -> bool,
    ) -> BTreeSet<usize> {
        let needs = |mut user: usize, step: usize| loop {
            match (self.needs[user].contains(&step), draft.steps[user].parent) {
                (true, _) => break true,
                (false, Some(parent)) => user = parent,
                (false, None) => break false,
            }
        };
        let mut users = BTreeSet::new();
        let mut left = vec![of];
        while let Some(step) = left.pop() {
            let uses = |user: &usize| needs(*user, step) && !leaves_out(*user);
            for user in (0..self.needs.len()).filter(uses) {
                if users.insert(user) {
                    left.push(user);
                }
            }
        }
        users
    }

    /// Everything that may surprise about the flow.
    pub(crate) fn warnings(
        &self,
        draft: &Draft<'_>,
        output: &BTreeSet<usize>,
        sink: &mut Sink<'_>,
    ) {
        let used: BTreeSet<usize> = self.needs.iter().flatten().chain(output).copied().collect();
        let last = draft.steps.iter().map(|step| step.top).max();
        let depths = self.depths(draft);
        for (at, step) in draft.steps.iter().enumerate() {
            let before = sink.enter(Some(step.name.text.clone()));
            // What an action that nobody knows would do, nobody knows either.
            let reads = matches!(&step.kind, DraftKind::Action(action) if action.contract.is_some() && !action.writes());
            if reads && !used.contains(&at) && Some(step.top) != last {
                let message = format!("nothing uses the result of `{}`", step.name.text);
                sink.report(Code::UnusedOutput, step.name.spot, "output_key", message);
            }
            if depths[at] == LONG_CHAIN + 1 {
                let message = format!(
                    "`{}` ends a chain of {} steps that need each other",
                    step.name.text, depths[at]
                );
                sink.report(Code::LongChain, step.name.spot, "inputs", message);
            }
            if let (Some((OnError::Skip, spot)), true) = (step.on_error, self.leads_to_effect[at]) {
                let message = format!(
                    "if `{}` fails, a later step with an effect runs without its result",
                    step.name.text
                );
                let problem = sink.problem(Code::SkipBeforeEffect, spot, "on_error", message);
                sink.push(problem.hint("leave `on_error` out: it is `stop` here"));
            }
            sink.enter(before);
        }
        signatures(draft, sink);
    }

    /// Per step, how many steps the longest chain that ends with it has. Only earlier steps count.
    fn depths(&self, draft: &Draft<'_>) -> Vec<usize> {
        let mut depths = vec![1; draft.steps.len()];
        for at in 0..draft.steps.len() {
            let earlier =
                self.needs[at].iter().filter(|&&need| draft.steps[need].top < draft.steps[at].top);
            depths[at] = 1 + earlier.map(|&need| depths[need]).max().unwrap_or(0);
        }
        depths
    }
}

/// Irreversible steps that no gate precedes ask for a signature of their own.
fn signatures(draft: &Draft<'_>, sink: &mut Sink<'_>) {
    let first_gate = draft
        .steps
        .iter()
        .filter(|step| step.is_gate())
        .map(|step| step.top)
        .min()
        .unwrap_or(usize::MAX);
    for step in draft.steps.iter().filter(|step| step.top < first_gate) {
        let DraftKind::Action(action) = &step.kind else { continue };
        let unknown = action.contract.is_some_and(countersign_registry::Contract::is_open)
            && action.endpoint.is_none();
        if action.irreversible() && !unknown {
            let before = sink.enter(Some(step.name.text.clone()));
            let message = format!(
                "`{}` cannot be taken back and has no gate before it: it will ask for its own signature",
                step.name.text
            );
            let problem = sink.problem(Code::OwnSignature, step.name.spot, "action", message);
            sink.push(
                problem.hint("put an approval step before it to decide once for several steps"),
            );
            sink.enter(before);
        }
    }
}

/// Steps that need each other have the same number.
fn circles(needs: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut graph = petgraph::graph::DiGraph::<(), ()>::with_capacity(needs.len(), needs.len());
    let nodes: Vec<_> = needs.iter().map(|_| graph.add_node(())).collect();
    for (at, own) in needs.iter().enumerate() {
        for &need in own {
            graph.add_edge(nodes[at], nodes[need], ());
        }
    }
    let mut circles = vec![0; needs.len()];
    for (number, members) in petgraph::algo::kosaraju_scc(&graph).into_iter().enumerate() {
        for member in members {
            circles[member.index()] = number;
        }
    }
    circles
}

/// Which steps an effect depends on, through results, gates and parallel steps.
fn effects(draft: &Draft<'_>, names: &Names<'_>, needs: &[BTreeSet<usize>]) -> Vec<bool> {
    let mut before: Vec<BTreeSet<usize>> = needs.to_vec();
    let mut gate = None;
    for (at, step) in draft.steps.iter().enumerate() {
        before[at].extend(gate);
        before[at].extend(step.parent);
        if step.is_gate() {
            gate = Some(at);
        }
        debug_assert!(step.parent.is_none_or(|parent| names.children(parent).contains(&at)));
    }
    let mut leads = vec![false; draft.steps.len()];
    let mut queue: VecDeque<usize> =
        (0..draft.steps.len()).filter(|&at| draft.steps[at].writes()).collect();
    while let Some(at) = queue.pop_front() {
        for &earlier in &before[at] {
            if !leads[earlier] {
                leads[earlier] = true;
                queue.push_back(earlier);
            }
        }
    }
    leads
}

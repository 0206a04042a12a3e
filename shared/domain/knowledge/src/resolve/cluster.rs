//! Merging from the best link down, with a complete-link check and without favouring one of two rivals.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::compared::Judgement;
use super::{Blocks, NEVER_BELOW, Node, Settings, Strategy};
use crate::rows::MatchMethod;

/// Two links of one node closer than this are rivals.
const RIVAL_MARGIN: f64 = 0.04;

/// How many pairs are judged before it is asked again whether there is time.
const PAIRS_BETWEEN: usize = 256;

/// A judged pair of nodes.
pub(crate) struct Edge {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) judgement: Judgement,
}

/// A pair that was not merged, and why.
pub(crate) struct Doubt {
    pub(crate) edge: Edge,
    pub(crate) reason: &'static str,
}

/// Which nodes stand together, by which links, and what is left in doubt.
pub(crate) struct Clustering {
    pub(crate) groups: Vec<Vec<usize>>,
    pub(crate) used: Vec<Edge>,
    pub(crate) doubts: Vec<Doubt>,
}

impl Clustering {
    /// None when `goes_on` said no on the way.
    pub(crate) fn of(
        nodes: &[Node],
        settings: &Settings,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let edges = judge_pairs(nodes, settings, goes_on)?;
        let contested = contested(nodes, &edges, settings);
        let mut sets = Sets::new(nodes.len());
        let (mut used, mut doubts) = (Vec::new(), Vec::new());
        for (index, edge) in edges.into_iter().enumerate() {
            if index % PAIRS_BETWEEN == 0 && !goes_on() {
                return None;
            }
            let merges = edge.judgement.score >= settings.merge_at();
            let reason = if edge.judgement.conflict {
                Some("contradiction")
            } else if !merges {
                Some("review_band")
            } else if contested[index] {
                Some("contested")
            } else if sets.find(edge.a) != sets.find(edge.b) && !sets.fits(nodes, edge.a, edge.b) {
                Some("weak_chain")
            } else {
                None
            };
            match reason {
                Some(reason) => doubts.push(Doubt { edge, reason }),
                None if sets.union(edge.a, edge.b) => used.push(edge),
                None => {}
            }
        }
        doubts.retain(|doubt| sets.find(doubt.edge.a) != sets.find(doubt.edge.b));
        Some(Self { groups: sets.into_groups(), used, doubts })
    }
}

/// All pairs worth a thought, the best first. A shared id between two that contradict each other is kept for a person.
fn judge_pairs(
    nodes: &[Node],
    settings: &Settings,
    goes_on: &dyn Fn() -> bool,
) -> Option<Vec<Edge>> {
    let (mut edges, mut judged) = (Vec::new(), 0_usize);
    let all = Blocks::of(nodes.iter().map(|node| &node.subject)).each_pair(|a, b| {
        if judged % PAIRS_BETWEEN == 0 && !goes_on() {
            return ControlFlow::Break(());
        }
        judged += 1;
        if nodes[a].known.is_some() && nodes[b].known.is_some() {
            return ControlFlow::Continue(());
        }
        let judgement = nodes[a].subject.judge(&nodes[b].subject);
        let matters = if judgement.conflict {
            judgement.shared_id
        } else {
            judgement.score >= settings.review_at()
        };
        let wanted =
            settings.strategy() == Strategy::Fuzzy || judgement.exact || judgement.shared_id;
        if matters && wanted {
            edges.push(Edge { a, b, judgement });
        }
        ControlFlow::Continue(())
    });
    if all.is_break() {
        return None;
    }
    edges.sort_by(|x, y| {
        y.judgement.score.total_cmp(&x.judgement.score).then_with(|| (x.a, x.b).cmp(&(y.a, y.b)))
    });
    Some(edges)
}

/// Marks the links of a node to rivals: things it fits about equally well which do not fit each other.
fn contested(nodes: &[Node], edges: &[Edge], settings: &Settings) -> Vec<bool> {
    let mut links_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, edge) in edges.iter().enumerate() {
        let sure = edge.judgement.score >= settings.merge_at() && !edge.judgement.conflict;
        // An id decides; only names can be contested.
        if sure && edge.judgement.method != MatchMethod::ExternalId {
            links_of.entry(edge.a).or_default().push(index);
            links_of.entry(edge.b).or_default().push(index);
        }
    }
    let mut marks = vec![false; edges.len()];
    for (node, links) in links_of {
        for index in rivals(nodes, edges, node, &links) {
            marks[index] = true;
        }
    }
    marks
}

fn rivals(nodes: &[Node], edges: &[Edge], node: usize, links: &[usize]) -> Vec<usize> {
    let Some(best) = links.first().map(|index| &edges[*index].judgement) else { return Vec::new() };
    let near = |j: &Judgement| j.exact == best.exact && best.score - j.score < RIVAL_MARGIN;
    let near: Vec<usize> =
        links.iter().copied().filter(|index| near(&edges[*index].judgement)).collect();
    let other = |index: usize| if edges[index].a == node { edges[index].b } else { edges[index].a };
    let apart = |x: usize, y: usize| {
        let judgement = nodes[other(x)].subject.judge(&nodes[other(y)].subject);
        judgement.conflict || judgement.weakest < NEVER_BELOW
    };
    let mut marked: Vec<usize> =
        near.iter().copied().filter(|x| near.iter().any(|y| x != y && apart(*x, *y))).collect();
    // A mention without an id belongs with the one rival that has none either, when there is just one.
    let plain: Vec<usize> = marked
        .iter()
        .copied()
        .filter(|index| nodes[other(*index)].subject.ids.is_empty())
        .collect();
    if let ([only], true, true) = (plain.as_slice(), nodes[node].subject.ids.is_empty(), best.exact)
    {
        marked.retain(|index| index != only);
    }
    marked
}

/// Disjoint sets that remember their members.
struct Sets {
    parent: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self {
            parent: (0..count).collect(),
            members: (0..count).map(|index| vec![index]).collect(),
        }
    }

    fn find(&mut self, node: usize) -> usize {
        let mut root = node;
        while self.parent[root] != root {
            self.parent[root] = self.parent[self.parent[root]];
            root = self.parent[root];
        }
        root
    }

    /// Complete link: every pair across is at least possible.
    fn fits(&mut self, nodes: &[Node], a: usize, b: usize) -> bool {
        let (left, right) = (self.find(a), self.find(b));
        self.members[left].iter().all(|x| {
            self.members[right].iter().all(|y| {
                let judgement = nodes[*x].subject.judge(&nodes[*y].subject);
                !judgement.conflict && judgement.weakest >= NEVER_BELOW
            })
        })
    }

    fn union(&mut self, a: usize, b: usize) -> bool {
        let (left, right) = (self.find(a), self.find(b));
        if left == right {
            return false;
        }
        let (root, child) = if left < right { (left, right) } else { (right, left) };
        self.parent[child] = root;
        let moved = std::mem::take(&mut self.members[child]);
        self.members[root].extend(moved);
        true
    }

    fn into_groups(self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> =
            self.members.into_iter().filter(|members| !members.is_empty()).collect();
        for group in &mut groups {
            group.sort_unstable();
        }
        groups
    }
}

//! Merging from the best link down, with a complete-link check and without favouring one of two rivals.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::compared::Judgement;
use super::pace::Pace;
use super::{Blocks, Node, Settings, Strategy};
use crate::rows::MatchMethod;

/// Two links of one node closer than this are rivals.
const RIVAL_MARGIN: f64 = 0.04;

/// The most pairs that are kept for joining or doubting: more do not fit in the memory of a function.
pub(crate) const MAX_PAIRS: usize = 500_000;

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
    /// None when `goes_on` said no on the way, or there are more than [`MAX_PAIRS`].
    pub(crate) fn of(
        nodes: &[Node],
        settings: &Settings,
        goes_on: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut pace = Pace::new(nodes, goes_on);
        let edges = judge_pairs(nodes, settings, &mut pace)?;
        let contested = contested(nodes, &edges, settings, &mut pace)?;
        let mut sets = Sets::new(nodes.len());
        let (mut used, mut doubts) = (Vec::new(), Vec::new());
        for (index, edge) in edges.into_iter().enumerate() {
            pace.step()?;
            let merges = edge.judgement.score >= settings.merge_at();
            let reason = if edge.judgement.conflict {
                Some("contradiction")
            } else if !merges {
                Some("review_band")
            } else if contested[index] {
                Some("contested")
            } else if sets.find(edge.a) != sets.find(edge.b)
                && !sets.fits(nodes, (edge.a, edge.b), &mut pace)?
            {
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

/// All pairs worth a thought, the best first. A shared id between two that contradict each other is kept for a person. None
/// when there was not the time, or there are too many.
fn judge_pairs(nodes: &[Node], settings: &Settings, pace: &mut Pace<'_>) -> Option<Vec<Edge>> {
    let mut edges = Vec::new();
    let all = Blocks::of(nodes.iter().map(|node| &node.subject)).each_pair(|a, b, is_first| {
        if !is_first || nodes[a].known.is_some() && nodes[b].known.is_some() {
            return pace.step().map_or(ControlFlow::Break(()), ControlFlow::Continue);
        }
        if pace.compare(a, b).is_none() {
            return ControlFlow::Break(());
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
        if edges.len() > MAX_PAIRS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if all.is_break() {
        return None;
    }
    edges.sort_unstable_by(|x, y| {
        y.judgement.score.total_cmp(&x.judgement.score).then_with(|| (x.a, x.b).cmp(&(y.a, y.b)))
    });
    Some(edges)
}

/// Marks the links of a node to rivals: things it fits about equally well which do not fit each other. None when there was not
/// the time.
fn contested(
    nodes: &[Node],
    edges: &[Edge],
    settings: &Settings,
    pace: &mut Pace<'_>,
) -> Option<Vec<bool>> {
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
        for index in rivals(nodes, edges, (node, &links), pace)? {
            marks[index] = true;
        }
    }
    Some(marks)
}

fn rivals(
    nodes: &[Node],
    edges: &[Edge],
    (node, links): (usize, &[usize]),
    pace: &mut Pace<'_>,
) -> Option<Vec<usize>> {
    let Some(best) = links.first().map(|index| &edges[*index].judgement) else {
        return Some(Vec::new());
    };
    let is_near = |j: &Judgement| j.exact == best.exact && best.score - j.score < RIVAL_MARGIN;
    let near = links.iter().copied().filter(|index| is_near(&edges[*index].judgement));
    let near: Vec<usize> = near.collect();
    let other = |index: usize| if edges[index].a == node { edges[index].b } else { edges[index].a };
    let others: Vec<usize> = near.iter().map(|index| other(*index)).collect();
    let is_apart = apart(nodes, &others, pace)?;
    let marked = near.iter().copied().zip(is_apart).filter(|(_, is_apart)| *is_apart);
    let mut marked: Vec<usize> = marked.map(|(index, _)| index).collect();
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
    Some(marked)
}

/// Which of these nodes cannot be one with some other of them. None when there was not the time.
fn apart(nodes: &[Node], of: &[usize], pace: &mut Pace<'_>) -> Option<Vec<bool>> {
    let mut is_apart = vec![false; of.len()];
    for (x, a) in of.iter().enumerate() {
        for (y, b) in of.iter().enumerate().skip(x + 1) {
            if is_apart[x] && is_apart[y] {
                pace.step()?;
                continue;
            }
            pace.compare(*a, *b)?;
            if !nodes[*a].subject.may_be_one(&nodes[*b].subject) {
                (is_apart[x], is_apart[y]) = (true, true);
            }
        }
    }
    Some(is_apart)
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

    /// Complete link: every pair across is at least possible. None when there was not the time.
    fn fits(
        &mut self,
        nodes: &[Node],
        (a, b): (usize, usize),
        pace: &mut Pace<'_>,
    ) -> Option<bool> {
        let (left, right) = (self.find(a), self.find(b));
        for x in &self.members[left] {
            for y in &self.members[right] {
                pace.compare(*x, *y)?;
                if !nodes[*x].subject.may_be_one(&nodes[*y].subject) {
                    return Some(false);
                }
            }
        }
        Some(true)
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

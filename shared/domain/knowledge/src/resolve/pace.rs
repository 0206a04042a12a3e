//! How often it is asked whether a resolution may go on: after so much work, not after so many pairs.

use super::Node;

/// About how many steps of comparing are made before it is asked again: a few milliseconds.
const WORK_BETWEEN: usize = 200_000;

/// What one pair costs at least.
const OF_PAIR: usize = 1_000;

/// Counts the work of a resolution.
pub(super) struct Pace<'a> {
    goes_on: &'a dyn Fn() -> bool,
    /// About the characters of each node's names.
    sizes: Vec<usize>,
    /// Work until it is asked again.
    left: usize,
}

impl<'a> Pace<'a> {
    pub(super) fn new(nodes: &[Node], goes_on: &'a dyn Fn() -> bool) -> Self {
        Self { goes_on, sizes: nodes.iter().map(|node| node.subject.size()).collect(), left: 0 }
    }

    /// Before two nodes are compared: every letter of the one may be compared with every letter of the other. None when
    /// it may not go on.
    pub(super) fn compare(&mut self, a: usize, b: usize) -> Option<()> {
        self.spend(self.sizes[a].saturating_mul(self.sizes[b]).saturating_add(OF_PAIR))
    }

    /// Before something small. None when it may not go on.
    pub(super) fn step(&mut self) -> Option<()> {
        self.spend(1)
    }

    fn spend(&mut self, work: usize) -> Option<()> {
        if let Some(left) = self.left.checked_sub(work) {
            self.left = left;
            return Some(());
        }
        self.left = WORK_BETWEEN;
        (self.goes_on)().then_some(())
    }
}

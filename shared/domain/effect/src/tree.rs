//! Merkle trees over leaves (RFC 9162, section 2.1), and proofs that a leaf is in one.
//!
//! Leaves are hashes already ([`crate::Effect::leaf`], [`crate::row_leaf`]): they begin with a zero byte, inner nodes with
//! a one, so that neither can stand for the other. The root of no leaves is the hash of nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::digest::{Digest, hash_parts};

/// The most leaves a tree may claim to have; far beyond what is ever signed.
const MAX_LEAVES: u64 = 1 << 32;

/// The root over these leaves.
#[must_use]
pub fn root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => hash_parts(&[]),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            node(&root(left), &root(right))
        }
    }
}

/// The way from a leaf to the root: the hashes of its siblings, from the bottom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MerklePath")]
pub struct Path {
    /// Which leaf, from 0.
    pub index: u64,
    /// How many leaves the tree has.
    pub count: u64,
    /// The siblings, from the leaf upwards.
    pub siblings: Vec<Digest>,
}

/// The path of one leaf; `None` when there is no such leaf.
#[must_use]
pub fn path(leaves: &[Digest], index: usize) -> Option<Path> {
    if index >= leaves.len() {
        return None;
    }
    let mut siblings = Vec::new();
    climb(leaves, index, &mut siblings);
    Some(Path { index: index as u64, count: leaves.len() as u64, siblings })
}

impl Path {
    /// The root that this path leads to from `leaf`; `None` when the path does not fit its own numbers.
    #[must_use]
    pub fn root(&self, leaf: &Digest) -> Option<Digest> {
        if self.index >= self.count || self.count > MAX_LEAVES {
            return None;
        }
        let mut siblings = self.siblings.iter();
        let root = descend(leaf, self.index, self.count, &mut siblings)?;
        siblings.next().is_none().then_some(root)
    }
}

fn climb(leaves: &[Digest], index: usize, siblings: &mut Vec<Digest>) {
    if leaves.len() <= 1 {
        return;
    }
    let at = split(leaves.len());
    let (left, right) = leaves.split_at(at);
    if index < at {
        climb(left, index, siblings);
        siblings.push(root(right));
    } else {
        climb(right, index - at, siblings);
        siblings.push(root(left));
    }
}

fn descend<'s>(
    leaf: &Digest,
    index: u64,
    count: u64,
    siblings: &mut impl Iterator<Item = &'s Digest>,
) -> Option<Digest> {
    if count == 1 {
        return Some(*leaf);
    }
    let at = split(usize::try_from(count).ok()?) as u64;
    if index < at {
        let below = descend(leaf, index, at, siblings)?;
        Some(node(&below, siblings.next()?))
    } else {
        let below = descend(leaf, index - at, count - at, siblings)?;
        Some(node(siblings.next()?, &below))
    }
}

/// The largest power of two below `count`, which is at least 2.
fn split(count: usize) -> usize {
    count.next_power_of_two() / 2
}

fn node(left: &Digest, right: &Digest) -> Digest {
    hash_parts(&[&[1], left.as_bytes(), right.as_bytes()])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{path, root};
    use crate::digest::{Digest, hash_parts};

    fn leaves(count: usize) -> Vec<Digest> {
        (0..count).map(|n| hash_parts(&[&[0], &n.to_be_bytes()])).collect()
    }

    #[test]
    fn a_tree_of_none_is_the_hash_of_nothing() {
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(root(&[]).to_string(), nothing);
        assert_eq!(path(&[], 0), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn every_path_leads_to_the_root_and_no_other_leaf_fits(count in 1_usize..300, pick in any::<prop::sample::Index>()) {
            let leaves = leaves(count);
            let index = pick.index(count);
            let way = path(&leaves, index).unwrap();
            prop_assert_eq!(way.root(&leaves[index]), Some(root(&leaves)));
            let other = hash_parts(&[b"other"]);
            prop_assert_ne!(way.root(&other), Some(root(&leaves)));
        }

        #[test]
        fn a_flipped_bit_in_a_path_fails(count in 2_usize..300, pick in any::<prop::sample::Index>(), bit in 0_usize..256) {
            let leaves = leaves(count);
            let index = pick.index(count);
            let mut way = path(&leaves, index).unwrap();
            let at = pick.index(way.siblings.len());
            let mut bytes = *way.siblings[at].as_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            way.siblings[at] = Digest::from_bytes(bytes);
            prop_assert_ne!(way.root(&leaves[index]), Some(root(&leaves)));
        }

        #[test]
        fn a_changed_leaf_changes_the_root(count in 1_usize..100, pick in any::<prop::sample::Index>()) {
            let mut changed = leaves(count);
            changed[pick.index(count)] = hash_parts(&[b"other"]);
            prop_assert_ne!(root(&changed), root(&leaves(count)));
        }
    }
}

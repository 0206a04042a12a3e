//! In which order open occurrences are looked after: owner by owner, so that whoever has many does not keep the others waiting.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use countersign_identity::UserId;
use countersign_store_catalog::{OpenOccurrence, Place};

/// So many owners are remembered of those who had no turn at all, and so go on where they were before.
const MAX_OWNERS: usize = 500;

/// One of each owner, then the next one of each. The owner behind the one who had the last turn is first, and of each owner what
/// is behind the last that was looked at.
pub(crate) fn in_turns(open: Vec<OpenOccurrence>, place: &Place) -> Vec<OpenOccurrence> {
    let mut owners: BTreeMap<UserId, Vec<OpenOccurrence>> = BTreeMap::new();
    for one in open {
        owners.entry(one.owner.clone()).or_default().push(one);
    }
    let mut queues: Vec<VecDeque<OpenOccurrence>> =
        owners.iter_mut().map(|(owner, own)| behind(owner, std::mem::take(own), place)).collect();
    let last = place.last.as_ref();
    let first = last.map_or(0, |last| owners.keys().filter(|owner| *owner <= last).count());
    let first = first.checked_rem(queues.len()).unwrap_or_default();
    queues.rotate_left(first);
    let mut turns = Vec::new();
    loop {
        let before = turns.len();
        turns.extend(queues.iter_mut().filter_map(VecDeque::pop_front));
        if turns.len() == before {
            return turns;
        }
    }
}

fn behind(owner: &UserId, mut own: Vec<OpenOccurrence>, place: &Place) -> VecDeque<OpenOccurrence> {
    own.sort_by(|one, other| one.id.cmp(&other.id));
    if let Some(last) = place.owners.get(owner) {
        let first = own.iter().position(|one| one.id > *last).unwrap_or_default();
        own.rotate_left(first);
    }
    own.into()
}

/// Where the next look goes on, when the first so many of the turns have had theirs. `after` is where the list was read to.
pub(crate) fn left_at(
    turns: &[OpenOccurrence],
    had: usize,
    before: &Place,
    after: Option<String>,
) -> Place {
    let (had, left) = turns.split_at(had.min(turns.len()));
    let mut owners = BTreeMap::new();
    for one in left {
        let last = before.owners.get(&one.owner).filter(|_| owners.len() < MAX_OWNERS);
        owners.extend(last.map(|last| (one.owner.clone(), last.clone())));
    }
    let with_more: BTreeSet<&UserId> = left.iter().map(|one| &one.owner).collect();
    for one in had.iter().filter(|one| with_more.contains(&one.owner)) {
        owners.insert(one.owner.clone(), one.id.clone());
    }
    let last = had.last().filter(|_| !left.is_empty()).map(|one| one.owner.clone());
    Place { after, owners, last }
}

#[cfg(test)]
mod tests {
    use countersign_run::OccurrenceId;
    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;

    fn open(owner: u8, n: i64) -> OpenOccurrence {
        let source = format!("trig_{owner:032}");
        let id = OccurrenceId::new(&source, Timestamp::from_second(n).unwrap());
        OpenOccurrence { owner: UserId::from_bytes([owner; 16]), id, is_waiting: true }
    }

    fn of(owner: u8, n: i64) -> Vec<OpenOccurrence> {
        (0..n).map(|n| open(owner, n)).collect()
    }

    #[test]
    fn issue_14_whoever_has_many_does_not_keep_the_others_waiting() {
        let all: Vec<_> = of(1, 900).into_iter().chain(of(2, 1)).chain(of(3, 2)).collect();
        let turns = in_turns(all, &Place::default());
        assert_eq!(turns.len(), 903);
        assert_eq!(turns[..5], [open(1, 0), open(2, 0), open(3, 0), open(1, 1), open(3, 1)]);
    }

    proptest! {
        #[test]
        fn issue_14_everything_has_its_turn_however_short_the_time(
            sizes in proptest::collection::vec(1_i64..12, 1..6),
            time in 1_usize..5,
        ) {
            let all: Vec<_> = (0_u8..).zip(&sizes).flat_map(|(owner, n)| of(owner, *n)).collect();
            let most = usize::try_from(*sizes.iter().max().unwrap()).unwrap();
            let (mut place, mut seen) = (Place::default(), BTreeSet::new());
            // Nobody waits for longer than it takes to give everybody as many turns as the one has who has most.
            for _ in 0..(most * sizes.len()).div_ceil(time) + 1 {
                let turns = in_turns(all.clone(), &place);
                prop_assert_eq!(turns.len(), all.len());
                seen.extend(turns.iter().take(time).map(|one| one.id.clone()));
                place = left_at(&turns, time, &place, None);
            }
            prop_assert_eq!(seen.len(), all.len());
        }
    }
}

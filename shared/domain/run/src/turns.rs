//! In which order open occurrences are looked after: owner by owner, so that whoever has many does not keep the others waiting.

use std::collections::{BTreeMap, VecDeque};

use countersign_identity::UserId;
use serde::{Deserialize, Serialize};

use crate::OpenOccurrence;

/// Where the last look at them stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenPlace {
    /// The next look reads what is behind this one in the list; none when the list was looked at to its end.
    pub after: Option<String>,
    /// How many of those that the last look read have had their turn.
    #[serde(default)]
    pub had: usize,
}

/// One of each owner, then the next one of each; of each owner in the order of their ids.
#[must_use]
pub fn in_turns(mut open: Vec<OpenOccurrence>) -> Vec<OpenOccurrence> {
    open.sort_by(|one, other| one.id.cmp(&other.id));
    let mut owners: BTreeMap<UserId, VecDeque<OpenOccurrence>> = BTreeMap::new();
    for one in open {
        owners.entry(one.owner.clone()).or_default().push_back(one);
    }
    let mut turns = Vec::new();
    loop {
        let before = turns.len();
        turns.extend(owners.values_mut().filter_map(VecDeque::pop_front));
        if turns.len() == before {
            return turns;
        }
    }
}

/// How many of so many turns were had before; none when there are not more, so that each look has something to do.
#[must_use]
pub fn had_before(place: &OpenPlace, turns: usize) -> usize {
    if place.had < turns { place.had } else { 0 }
}

/// Where the next look goes on, when `had` turns were had, those before this look among them. It reads the same part of the list
/// until everything in it has had its turn, then what is behind `end`, where this one was read to.
#[must_use]
pub fn left_at(before: &OpenPlace, turns: usize, had: usize, end: Option<String>) -> OpenPlace {
    if had < turns {
        return OpenPlace { after: before.after.clone(), had };
    }
    let is_all = before.after.is_none() && end.is_none();
    OpenPlace { after: end, had: if is_all { had - turns } else { 0 } }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::OccurrenceId;

    fn open(owner: u8, n: i64) -> OpenOccurrence {
        let source = format!("trig_{owner:032}");
        let id = OccurrenceId::new(&source, Timestamp::from_second(n).unwrap());
        OpenOccurrence { owner: UserId::from_bytes([owner; 16]), id, is_waiting: true }
    }

    fn of(owner: u8, n: i64) -> Vec<OpenOccurrence> {
        (0..n).map(|n| open(owner, n)).collect()
    }

    /// What a look reads that has room for so many: what is behind its place, and where it stopped when there is more.
    fn read(
        all: &[OpenOccurrence],
        place: &OpenPlace,
        room: usize,
    ) -> (Vec<OpenOccurrence>, Option<String>) {
        let behind =
            |one: &&OpenOccurrence| place.after.as_ref().is_none_or(|after| one.place() > *after);
        let rest: Vec<_> = all.iter().filter(behind).cloned().collect();
        let part: Vec<_> = rest.iter().take(room).cloned().collect();
        let end = part.last().filter(|_| part.len() < rest.len()).map(OpenOccurrence::place);
        (part, end)
    }

    #[test]
    fn issue_14_whoever_has_many_does_not_keep_the_others_waiting() {
        let all: Vec<_> = of(1, 900).into_iter().chain(of(2, 1)).chain(of(3, 2)).collect();
        let turns = in_turns(all);
        assert_eq!(turns.len(), 903);
        assert_eq!(turns[..5], [open(1, 0), open(2, 0), open(3, 0), open(1, 1), open(3, 1)]);
    }

    proptest! {
        #[test]
        fn issue_14_everything_has_its_turn_however_short_the_time_and_long_the_list(
            sizes in proptest::collection::vec(1_i64..12, 1..6),
            time in 1_usize..5,
            room in 1_usize..30,
        ) {
            let mut all: Vec<_> = (0_u8..).zip(&sizes).flat_map(|(owner, n)| of(owner, *n)).collect();
            all.sort_by_key(OpenOccurrence::place);
            let (mut place, mut seen) = (OpenPlace::default(), BTreeSet::new());
            // In one round each has one turn; a part of the list ends a look early.
            let looks = all.len().div_ceil(time) + all.len().div_ceil(room);
            for _ in 0..looks {
                let (part, end) = read(&all, &place, room);
                let turns = in_turns(part);
                let before = had_before(&place, turns.len());
                let now = before + turns.len().min(time);
                let looked = turns.iter().cycle().skip(before).take(now - before);
                seen.extend(looked.map(|one| one.id.clone()));
                place = left_at(&place, turns.len(), now, end);
            }
            prop_assert_eq!(seen.len(), all.len());
        }

        /// Those that come to their end leave the list, and others come into it.
        #[test]
        fn issue_14_nothing_is_left_for_good_while_others_come_and_go(
            stays in proptest::collection::vec(any::<bool>(), 1..40),
            time in 1_usize..5,
            room in 1_usize..12,
        ) {
            let stays: BTreeMap<_, _> = (0..).map(|n| open(u8::try_from(n % 3).unwrap(), n)).zip(stays).map(|(one, stays)| (one.place(), (one, stays))).collect();
            let mut all: Vec<_> = stays.values().map(|(one, _)| one.clone()).collect();
            let (mut place, mut seen) = (OpenPlace::default(), BTreeSet::new());
            for _ in 0..(stays.len() + 2) * (stays.len() + 2) {
                let (part, end) = read(&all, &place, room);
                let turns = in_turns(part);
                let before = had_before(&place, turns.len());
                let now = before + turns.len().min(time);
                for one in turns.iter().cycle().skip(before).take(now - before) {
                    seen.insert(one.id.clone());
                    all.retain(|other| other.id != one.id || stays[&one.place()].1);
                }
                place = left_at(&place, turns.len(), now, end);
            }
            prop_assert_eq!(seen.len(), stays.len());
        }
    }
}

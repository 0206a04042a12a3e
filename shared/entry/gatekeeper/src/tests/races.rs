//! Decisions and the deadline at the same moment, in random orders: one outcome, told once, one vote for each person.

use countersign_approval::{Request, Status, Verdict};
use futures::future::join_all;

use super::adapters::{World, at, by_mail, gate};
use crate::{GateError, Opened};

/// So many are run; `docs/assurance.md` says so.
const HELD: u64 = 1_000;
const WEEK: i64 = 7 * 24 * 3600;

/// Numbers that follow from a seed (a linear congruence; its upper bits).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

async fn opened(world: &World) -> Request {
    match world.open(gate("10"), "t1", at(0)).await {
        Opened::Pending { id, .. } => world.request(&id),
        Opened::Decided { .. } => panic!("decided"),
    }
}

/// Two to eight votes and sometimes the deadline, each after a few turns of the others. How many votes counted.
async fn race(seed: u64) -> (u64, Status) {
    let mut numbers = Numbers(seed);
    let world = World::new();
    let request = opened(&world).await;
    let mut votes = Vec::new();
    for _ in 0..2 + numbers.below(7) {
        let person = u8::try_from(1 + numbers.below(3)).unwrap();
        let verdict = if numbers.below(3) == 0 { Verdict::Deny } else { Verdict::Approve };
        votes.push((by_mail(&request, person, verdict), numbers.below(12)));
    }
    let cast = votes.iter().map(|(vote, turns)| {
        let (gatekeeper, turns) = (world.gatekeeper(), *turns);
        async move {
            later(turns).await;
            gatekeeper.decide(vote, at(WEEK - 1)).await
        }
    });
    let (gatekeeper, turns) = (world.gatekeeper(), numbers.below(16));
    let expires = numbers.below(2) == 0;
    let clock = async {
        later(turns).await;
        if expires {
            gatekeeper.expire(&request.id, at(WEEK)).await.unwrap();
        }
    };
    let (answers, ()) = tokio::join!(join_all(cast), clock);
    let fresh = answers.iter().filter(|answer| answer.as_ref().is_ok_and(|done| !done.repeated));
    let fresh = fresh.count() as u64;
    for answer in &answers {
        assert!(matches!(answer, Ok(_) | Err(GateError::Decide(_))), "seed {seed}: {answer:?}");
    }
    let status = world.request(&request.id).status;
    let told = world.told("t1").len();
    let state = world.state();
    assert_eq!(state.votes.len() as u64, fresh, "seed {seed}");
    let by_clock = u64::from(status == Status::TimedOut);
    assert_eq!(state.receipts.len() as u64, fresh + by_clock, "seed {seed}");
    assert_eq!(told, usize::from(status.is_final()), "seed {seed}: {status:?}");
    assert_eq!(state.run_closed.get(&request.id).copied(), status.is_final().then_some(status));
    (answers.len() as u64, status)
}

async fn later(turns: u64) {
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn decisions_that_race_have_one_outcome_told_once() {
    let mut outcomes = std::collections::BTreeSet::new();
    let mut votes = 0;
    for seed in 0..HELD {
        let (cast, status) = race(seed).await;
        votes += cast;
        outcomes.insert(status.as_str());
    }
    assert!(votes >= 4 * HELD, "{votes}");
    assert!(outcomes.len() >= 3, "{outcomes:?}");
}

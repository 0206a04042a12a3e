//! What the pages tell of strikes.

use std::collections::BTreeMap;

use countersign_approval::{Assurance, Kind, Request, StrikeRecord};
use countersign_identity::UserId;
use countersign_letter::page::{EffectStrike, EffectStrikeForm, StrikeTold};
use countersign_letter::{Shown, StrikeVerbs, Strikes, moment};
use jiff::Timestamp;

use crate::Context;
use crate::opened::{self, Opened, Visit};
use crate::refusal::Refusal;

/// Rows that a strike is told with.
const MAX_NAMED: usize = 20;

/// The strikes of a request, with the names of those who struck.
pub(crate) struct Told {
    names: BTreeMap<UserId, String>,
    open: bool,
}

impl Told {
    /// Looks the names up.
    pub(crate) async fn of(
        opened: &Opened<'_>,
        context: &Context,
        now: Timestamp,
    ) -> Result<Self, Refusal> {
        let request = opened.request();
        let mut names = BTreeMap::new();
        for record in &request.strikes {
            if !names.contains_key(&record.by) {
                names.insert(record.by.clone(), opened::name(&record.by, context).await?);
            }
        }
        Ok(Self { names, open: may_strike(opened, now) })
    }

    /// What was struck of a step, and whether the reader may change it.
    pub(crate) fn of_step(&self, request: &Request, step: &str) -> Strikes {
        let of_step = request.covers.iter().filter(|covered| covered.step == step);
        let struck = of_step.flat_map(|covered| &covered.struck);
        let by = struck.map(|n| (u64::from(*n) + 1, self.by(request, step, *n))).collect();
        Strikes { by, open: self.open }
    }

    fn by(&self, request: &Request, step: &str, n: u32) -> Shown {
        let record = request.struck_by(step, n);
        let said = record.map(|record| format!("{}, {}", self.name(record), moment(record.at)));
        Shown::line(&said.unwrap_or_else(|| "an approver".to_owned()))
    }

    fn name(&self, record: &StrikeRecord) -> &str {
        self.names.get(&record.by).map_or("somebody", String::as_str)
    }

    /// Every strike, the earliest first.
    pub(crate) fn history(&self, request: &Request) -> Vec<StrikeTold> {
        let told = |record: &StrikeRecord| {
            let (name, at) = (self.name(record), moment(record.at));
            let did = StrikeVerbs::Past.words(list(&record.struck), list(&record.restored));
            let what = format!("{name} {did} of `{}`, {at}", record.step);
            StrikeTold { version: record.version, what: Shown::new(&what, 1_000) }
        };
        request.strikes.iter().map(told).collect()
    }

    /// What whoever looks again has to know of the strike that made this version.
    pub(crate) fn changed(&self, request: &Request) -> Option<Shown> {
        let record = request.last_strike()?;
        let covered = request.covers.iter().find(|covered| covered.step == record.step)?;
        let did =
            StrikeVerbs::Past.counts(record.struck.len() as u64, record.restored.len() as u64);
        let told = format!(
            "{} {did} of the {} requests of `{}` on {}; {} are left. Signatures given before that no longer count.",
            self.name(record),
            covered.count,
            record.step,
            moment(record.at),
            covered.left()
        );
        Some(Shown::new(&told, 1_000))
    }
}

/// Rows as the page numbers them: from 1; none when there are none.
fn list(indices: &[u32]) -> Option<String> {
    let named = indices.iter().take(MAX_NAMED).map(|n| (u64::from(*n) + 1).to_string());
    let named = named.collect::<Vec<String>>().join(", ");
    match indices.len().checked_sub(MAX_NAMED) {
        Some(more) if more > 0 => Some(format!("{named} and {more} more")),
        _ => (!named.is_empty()).then_some(named),
    }
}

/// Whether the page offers striking: what it takes to be offered a vote.
fn may_strike(opened: &Opened<'_>, now: Timestamp) -> bool {
    let request = opened.request();
    request.closed.is_none()
        && now < request.timing.deadline
        && opened.own_vote().is_none()
        && opened.barred.is_none()
        && request.policy.assurance != Assurance::SignedIn
        && request.kind != Kind::Outcome
}

/// What the page of one request offers; none of a step with one request.
pub(crate) async fn of_one(
    opened: &Opened<'_>,
    step: &str,
    n: u64,
) -> Result<Option<EffectStrike>, Refusal> {
    let Visit { context, now, .. } = opened.visit;
    let request = opened.request();
    let covered = request.covers.iter().find(|covered| covered.step == step);
    if covered.is_none_or(|covered| covered.count < 2) {
        return Ok(None);
    }
    let told = Told::of(opened, context, now).await?;
    let form = if told.open {
        let action = format!("{}/strike", opened.visit.page_url());
        let nonce = opened::nonce(opened, context, now).await?;
        Some(EffectStrikeForm { action, nonce, step: step.to_owned() })
    } else {
        None
    };
    let by = told.of_step(request, step).by.remove(&n);
    let says_something = by.is_some() || form.is_some();
    Ok(says_something.then_some(EffectStrike { by, form }))
}

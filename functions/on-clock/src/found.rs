//! What there is to tell, as the stores have it now.

use countersign_identity::UserId;
use countersign_letter::mail::SourceAlert;
use countersign_monitor::{Failing as Failed, MonitorId, MonitorSpec};
use countersign_run::{Occurrence, OccurrenceId, OccurrenceState};
use countersign_store_catalog::{CatalogError, Stored};
use countersign_store_content::derived;
use countersign_store_kit::Window;
use jiff::{SignedDuration, Timestamp};

use crate::{Context, Failing, Happened, SkippedOccurrence, given_up, parked};

/// Of the same source and kind, an owner is told at the earliest after so long.
const APART: SignedDuration = SignedDuration::from_hours(24);

/// So many pages of occurrences, at most, are looked through for the last one that had a run.
const PAGES: usize = 20;

/// So many batches or occurrences are read at once.
pub(crate) const PAGE: i32 = 100;

pub(crate) const PARKED: &str = "parked";
const LEFT_OUT: &str = "left_out";

/// Something that does not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) owner: UserId,
    /// The id of the schedule, monitor or trigger.
    pub(crate) source: String,
    /// What its owner calls it.
    pub(crate) name: String,
    pub(crate) trouble: SourceAlert,
    /// The same with everything of the kind that no mail has told.
    pub(crate) untold: SourceAlert,
    /// Since when.
    pub(crate) since: Timestamp,
    /// When it worked last, as far as that is known: whoever was told after that knows.
    pub(crate) worked_at: Timestamp,
    /// When it was seen.
    pub(crate) at: Timestamp,
    pub(crate) code: String,
    /// Why, for the owner.
    pub(crate) message: String,
    pub(crate) occurrence: Option<OccurrenceId>,
}

impl Found {
    /// A word for what does not work.
    pub(crate) fn kind(&self) -> &'static str {
        match self.trouble {
            SourceAlert::Failing => "failing",
            SourceAlert::FailingInPart => "failing_in_part",
            SourceAlert::Parked { .. } => PARKED,
            SourceAlert::SkippedOccurrence { .. } => LEFT_OUT,
            SourceAlert::Abandoned { .. } => "given_up",
        }
    }

    /// Whether its owner is to be told, who was told last then.
    pub(crate) fn is_to_be_told(&self, told: Option<Timestamp>) -> bool {
        // No other mail has told of it.
        let is_each = matches!(self.trouble, SourceAlert::Abandoned { .. });
        is_each
            || told
                .is_none_or(|told| told < self.worked_at && self.at.duration_since(told) >= APART)
    }

    /// What is parked is lost unless somebody looks after it.
    pub(crate) fn is_noted_each_time(&self) -> bool {
        matches!(self.trouble, SourceAlert::Parked { .. })
    }

    /// What makes a condition one: what it is about, and when it worked before.
    pub(crate) fn occasion(&self, what: &str) -> [u8; 16] {
        derived(&[what, &self.source, self.kind(), &self.worked_at.to_string()])
    }
}

/// What there is to tell of an event; none when it is over, or somebody else tells it.
pub(crate) async fn read(
    context: &Context,
    happened: &Happened,
) -> Result<Option<Found>, CatalogError> {
    match happened {
        Happened::Failing(of) => failing(context, of).await,
        Happened::Parked(of) if of.run.is_none() => parked::read(context, of).await,
        Happened::Parked(_) => Ok(None),
        Happened::SkippedOccurrence(of) => left_out(context, of).await,
        Happened::Abandoned(of) => given_up::read(context, of).await,
    }
}

/// The monitor, when its owner still has it.
pub(crate) async fn monitor(
    context: &Context,
    owner: &UserId,
    id: &MonitorId,
) -> Result<Option<Stored<MonitorSpec>>, CatalogError> {
    context.catalog.collection::<Stored<MonitorSpec>>().own(owner, id).await
}

async fn failing(context: &Context, of: &Failing) -> Result<Option<Found>, CatalogError> {
    let Some(monitor) = monitor(context, &of.owner, &of.monitor).await? else { return Ok(None) };
    let state = context.monitors.standing(&of.monitor).await?.state;
    let is_of = |failing: &Failed| failing.since == of.since;
    let in_part = state.in_part.filter(|in_part| is_of(&in_part.failing));
    let (trouble, message) = match (state.failing.as_ref().filter(|one| is_of(one)), in_part) {
        (Some(_), _) => (SourceAlert::Failing, state.last_error.unwrap_or_default()),
        (None, Some(in_part)) => (SourceAlert::FailingInPart, in_part.why),
        (None, None) => return Ok(None),
    };
    Ok(Some(Found {
        owner: of.owner.clone(),
        source: of.monitor.to_string(),
        name: monitor.spec.name.to_string(),
        trouble,
        untold: trouble,
        since: of.since,
        worked_at: of.since,
        at: of.at,
        code: of.code.clone(),
        message,
        occurrence: None,
    }))
}

async fn left_out(
    context: &Context,
    of: &SkippedOccurrence,
) -> Result<Option<Found>, CatalogError> {
    let Some(occurrence) = context.catalog.occurrence(&of.owner, &of.occurrence).await? else {
        return Ok(None);
    };
    if !occurrence.is_left_out() {
        return Ok(None);
    }
    let Before { since, worked_at, .. } = before(context, &of.owner, &occurrence).await?;
    let reason = occurrence.reason;
    let trouble =
        SourceAlert::SkippedOccurrence { is_missed: occurrence.state == OccurrenceState::Missed };
    Ok(Some(Found {
        owner: of.owner.clone(),
        source: occurrence.source_id,
        name: occurrence.name,
        trouble,
        untold: trouble,
        since,
        worked_at: worked_at.unwrap_or(Timestamp::UNIX_EPOCH),
        at: of.at,
        code: reason.as_ref().map(|reason| reason.code.clone()).unwrap_or_default(),
        message: reason.map(|reason| reason.message).unwrap_or_default(),
        occurrence: Some(of.occurrence.clone()),
    }))
}

/// What came before an occurrence that was left out.
#[derive(Debug)]
struct Before<'a> {
    of: &'a Occurrence,
    /// When its schedule or trigger last had a run.
    worked_at: Option<Timestamp>,
    /// When the first was due of those that were left out with it: no run is between them.
    since: Timestamp,
    is_behind: bool,
    is_over: bool,
}

impl<'a> Before<'a> {
    fn new(of: &'a Occurrence) -> Self {
        Self { of, worked_at: None, since: of.due_at, is_behind: false, is_over: false }
    }

    /// The next older occurrence; the newest comes first.
    fn add(&mut self, one: &Occurrence) {
        let has_run = !one.runs.is_empty();
        if has_run && self.worked_at.is_none() {
            self.worked_at = Some(one.noticed_at);
        }
        self.is_over |= self.is_behind && has_run;
        if self.is_behind && !self.is_over && one.is_left_out() {
            self.since = one.due_at;
        }
        self.is_behind |= one.id == self.of.id;
    }

    fn is_known(&self) -> bool {
        self.worked_at.is_some() && self.is_over
    }
}

/// Looks among the newest occurrences, and among all since its owner was told.
async fn before<'a>(
    context: &Context,
    owner: &UserId,
    of: &'a Occurrence,
) -> Result<Before<'a>, CatalogError> {
    let source = of.source_id.as_str();
    let told = context.catalog.told(source, LEFT_OUT).await?;
    let mut before = Before::new(of);
    let mut after = None;
    for _ in 0..PAGES {
        let window = Window { limit: PAGE, after };
        let page = context.catalog.occurrences(owner, Some(source), window).await?;
        page.items.iter().for_each(|one| before.add(one));
        let last = page.items.last().map(|last| last.noticed_at);
        after = page.next.filter(|_| told.is_some() && last >= told);
        if after.is_none() || before.is_known() {
            break;
        }
    }
    Ok(before)
}

#[cfg(test)]
pub(crate) mod tests {
    use countersign_run::OccurrenceSource;

    use super::*;

    pub(crate) fn found(worked_at: &str, at: &str) -> Found {
        let (worked_at, at) = (worked_at.parse().unwrap(), at.parse().unwrap());
        Found {
            owner: UserId::from_bytes([1; 16]),
            source: format!("mon_{}", "0".repeat(32)),
            name: "New filings".to_owned(),
            trouble: SourceAlert::Failing,
            untold: SourceAlert::Failing,
            since: worked_at,
            worked_at,
            at,
            code: "SAVED_TOKEN_REVOKED".to_owned(),
            message: "SAVED_TOKEN_REVOKED: save it again".to_owned(),
            occurrence: None,
        }
    }

    fn check(worked_at: &str, at: &str, told: Option<&str>, expect: bool) {
        let told = told.map(|told| told.parse().unwrap());
        assert_eq!(found(worked_at, at).is_to_be_told(told), expect, "{worked_at} {at} {told:?}");
    }

    #[test]
    fn issue_14_a_condition_is_told_once_and_another_one_a_day_later() {
        let (early, late) = ("2026-11-24T06:00:00Z", "2026-11-24T09:00:00Z");
        check(early, late, None, true);
        check(early, late, Some("2026-11-24T06:05:00Z"), false);
        check(early, "2026-12-24T06:00:00Z", Some("2026-11-24T06:05:00Z"), false);
        // It has worked since.
        check(late, "2026-11-24T09:05:00Z", Some("2026-11-24T06:05:00Z"), false);
        check(late, "2026-11-25T06:05:00Z", Some("2026-11-24T06:05:00Z"), true);
    }

    #[test]
    fn issue_14_the_same_condition_is_the_same_occasion() {
        let first = found("2026-11-24T06:00:00Z", "2026-11-24T07:00:00Z");
        let again = found("2026-11-24T06:00:00Z", "2026-11-24T08:00:00Z");
        assert_eq!(first.occasion("mail"), again.occasion("mail"));
        assert_ne!(first.occasion("mail"), first.occasion("note"));
        let anew = found("2026-11-24T07:30:00Z", "2026-11-24T08:00:00Z");
        assert_ne!(first.occasion("mail"), anew.occasion("mail"));
    }

    pub(crate) fn occurrence(hour: i64, state: OccurrenceState) -> Occurrence {
        let due_at = Timestamp::from_second(hour * 3600).unwrap();
        let source_id = format!("sched_{}", "0".repeat(32));
        let id = OccurrenceId::new(&source_id, due_at);
        let runs = match state {
            OccurrenceState::Finished => vec![id.run(0)],
            _ => Vec::new(),
        };
        Occurrence {
            id,
            owner: UserId::from_bytes([1; 16]),
            source: OccurrenceSource::Schedule,
            source_id,
            name: "Hourly".to_owned(),
            profile_id: "prof_1".to_owned(),
            due_at,
            noticed_at: due_at,
            asked_by: None,
            fired_by: None,
            chain: Vec::new(),
            others: Vec::new(),
            state,
            reason: None,
            runs,
            status: None,
            finished_at: None,
            max_retries: 0,
            timeout_seconds: 300,
            version: 1,
        }
    }

    #[test]
    fn issue_14_it_is_told_since_when_nothing_came_of_what_was_due() {
        use OccurrenceState::{Finished, Missed, Skipped};
        let states = [Skipped, Finished, Missed, Skipped, Skipped, Finished];
        let all: Vec<_> = (0..).zip(states).map(|(hour, state)| occurrence(hour, state)).collect();
        let of = |n: usize| {
            let mut before = Before::new(&all[n]);
            all.iter().rev().for_each(|one| before.add(one));
            (before.since, before.worked_at)
        };
        let worked = Some(all[5].noticed_at);
        assert_eq!(of(4), (all[2].due_at, worked));
        assert_eq!(of(2), (all[2].due_at, worked));
        assert_eq!(of(0), (all[0].due_at, worked));
        // None has run since it was told last.
        let mut before = Before::new(&all[4]);
        all[2..5].iter().rev().for_each(|one| before.add(one));
        assert_eq!((before.since, before.worked_at), (all[2].due_at, None));
    }
}

//! What asks for runs without a person.

use countersign_identity::{Saved, UserId};
use countersign_profile::{ApprovalPolicy, Profile, ProfileId};
use countersign_run::{Occurrence, OccurrenceSource, RunContext, SourceLimit};
use countersign_run_start::Occasion;
use countersign_schedule::Overlap;
use countersign_trigger::{TriggerId, TriggerSpec};

use crate::begin::Refusal;
use crate::{Schedule, Trigger};

/// What asks for a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A schedule.
    Schedule(&'a Schedule),
    /// A trigger.
    Trigger(&'a Trigger),
}

impl<'s> Source<'s> {
    /// What an occurrence is of, when it is there and asks for runs. A run that a person has asked for is not kept back by its being off.
    ///
    /// # Errors
    /// Why there is no run.
    pub(crate) fn asking(source: Option<Self>, of: &Occurrence) -> Result<Self, Refusal> {
        let source = source.ok_or_else(|| Self::removed(of))?;
        if !source.is_on() && of.asked_by.is_none() {
            return Err(source.off());
        }
        Ok(source)
    }
}

impl Source<'_> {
    /// Whether it asks for runs at the moment.
    pub(crate) fn is_on(&self) -> bool {
        match self {
            Self::Schedule(schedule) => schedule.spec.is_enabled,
            Self::Trigger(trigger) => trigger.spec.is_active,
        }
    }

    /// Why there is no run of one that does not.
    pub(crate) fn off(&self) -> Refusal {
        match self {
            Self::Schedule(_) => Refusal::new("SCHEDULE_DISABLED", "the schedule is not enabled"),
            Self::Trigger(_) => Refusal::new("TRIGGER_INACTIVE", "the trigger is not active"),
        }
    }

    /// The same of one that is not there any more.
    pub(crate) fn removed(of: &Occurrence) -> Refusal {
        match of.source {
            OccurrenceSource::Trigger => Refusal::new("TRIGGER_REMOVED", "the trigger was removed"),
            _ => Refusal::new("SCHEDULE_REMOVED", "the schedule was removed"),
        }
    }

    /// Its agent.
    pub(crate) fn profile_id(&self) -> &ProfileId {
        match self {
            Self::Schedule(schedule) => &schedule.spec.profile_id,
            Self::Trigger(trigger) => &trigger.spec.profile_id,
        }
    }

    /// What it was saved with.
    pub(crate) fn saved(&self) -> Saved<'_> {
        match self {
            Self::Schedule(schedule) => schedule.saved(),
            Self::Trigger(trigger) => trigger.saved(),
        }
    }

    /// What it says of gates before reversible steps; those of triggers ask.
    pub(crate) fn approval_policy(&self) -> Option<ApprovalPolicy> {
        match self {
            Self::Schedule(schedule) => schedule.spec.approval_policy,
            Self::Trigger(_) => Some(ApprovalPolicy::Require),
        }
    }

    /// What becomes of an event, or of a due time that is about to begin, while a run goes on.
    pub(crate) fn overlap(&self) -> Overlap {
        match self {
            Self::Schedule(schedule) => schedule.spec.overlap_at_start(),
            Self::Trigger(trigger) => trigger.spec.overlap,
        }
    }

    /// How many runs of this owner's it may start in a day; none where nothing is said.
    pub(crate) fn limit<'a>(&'a self, owner: &'a UserId) -> Option<SourceLimit<'a>> {
        match self {
            Self::Schedule(_) => None,
            Self::Trigger(trigger) => limit(owner, &trigger.id, &trigger.spec),
        }
    }

    /// What it is.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Schedule(_) => OccurrenceSource::Schedule.as_str(),
            Self::Trigger(_) => OccurrenceSource::Trigger.as_str(),
        }
    }

    /// Gates open by themselves only in runs that the clock starts, when the schedule says so, or leaves it to an agent that does
    /// (K-11). An event from outside is no clock.
    pub(crate) fn occasion(&self, of: &Occurrence, profile: &Profile) -> Occasion {
        match (self, &of.asked_by) {
            (Self::Schedule(schedule), None) => {
                let own: Option<ApprovalPolicy> = schedule.spec.approval_policy;
                let policy = own.unwrap_or(profile.spec.default_approval_policy);
                Occasion::Clock(RunContext::Scheduled, policy)
            }
            _ => Occasion::by_hand(Some(RunContext::Background)),
        }
    }
}

/// How many runs a trigger of this owner's may start in a day; none where nothing is said.
pub(crate) fn limit<'a>(
    owner: &'a UserId,
    trigger: &'a TriggerId,
    spec: &TriggerSpec,
) -> Option<SourceLimit<'a>> {
    let word = OccurrenceSource::Trigger.as_str();
    let most = spec.most_per_day?.to();
    Some(SourceLimit { owner, source: trigger.as_str(), word, most })
}

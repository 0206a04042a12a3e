//! Beginning what is due: with the rights its owner has now, and never more than whoever saved the schedule had.

use countersign_run::{Occurrence, OccurrenceId, OccurrenceState, Quota, RunStatus};
use countersign_run_start::{self as run_start, Invoker, Question, Starter};
use countersign_schedule::asked;
use countersign_store_catalog::{CatalogError, Last};
use countersign_store_kit::Window;
use countersign_web::{FieldError, Problem};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::quota::waits;
use crate::source::Source;
use crate::{Clock, ClockError, Schedule};

/// Of so many occurrences before the last success is looked for.
const LOOK_BACK: i32 = 50;

/// Why there is no run, for good.
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }
}

/// An occurrence of which no run comes, or one that cannot be begun now.
pub(crate) enum NotBegun {
    Refused(Refusal),
    Later(ClockError),
}

impl From<ClockError> for NotBegun {
    fn from(error: ClockError) -> Self {
        Self::Later(error)
    }
}

impl From<CatalogError> for NotBegun {
    fn from(error: CatalogError) -> Self {
        Self::Later(error.into())
    }
}

impl NotBegun {
    /// What is wrong with the question stays wrong; what does not answer may answer later.
    pub(crate) fn of(problem: &Problem) -> Self {
        if problem.status >= 500 {
            return Self::Later(ClockError::of(problem));
        }
        let said = |one: &FieldError| format!("`{}` {}", one.path, one.message);
        let errors: Vec<String> = problem.errors.iter().map(said).collect();
        let message = match errors.as_slice() {
            [] => problem.detail.clone(),
            // A problem with one error says the same itself.
            [one] => one.clone(),
            some => format!("{}: {}", problem.detail, some.join("; ")),
        };
        Self::Refused(Refusal::new(&problem.code, message.chars().take(500).collect::<String>()))
    }
}

impl Clock {
    /// Begins an occurrence, or lets it wait until its owner may start runs again. How it is afterwards.
    pub(crate) async fn begin(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        now: Timestamp,
    ) -> Result<Occurrence, ClockError> {
        match self.still_waits(of, source, now).await? {
            Some(after) => Ok(after),
            None => self.begin_as(of, source, None, now).await,
        }
    }

    pub(crate) async fn begin_as(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        invoker: Option<&Invoker>,
        now: Timestamp,
    ) -> Result<Occurrence, ClockError> {
        match self.ask(of, source, invoker, now).await {
            Ok(()) => Ok(self.catalog.note_begun(of, 1, now).await?),
            // Somebody else, who was not refused, has begun it in between.
            Err(NotBegun::Refused(_)) if self.runs.head(&of.id.run(0)).await?.is_some() => {
                Ok(self.catalog.note_begun(of, 1, now).await?)
            }
            Err(NotBegun::Refused(refusal)) if waits(of, &refusal, now) => {
                self.changed(self.waiting(of, &refusal, now).await?, now).await
            }
            Err(NotBegun::Refused(Refusal { code, message })) => {
                tracing::warn!(occurrence = %of.id, code, "a due run was skipped");
                let skipped = of.ended(OccurrenceState::Skipped, &code, &message, now);
                self.changed(skipped, now).await
            }
            Err(NotBegun::Later(error)) => Err(error),
        }
    }

    /// Writes down what has become of an occurrence, and reports it; how it is then. Whoever was faster has said what it is.
    pub(crate) async fn changed(
        &self,
        after: Occurrence,
        now: Timestamp,
    ) -> Result<Occurrence, ClockError> {
        if self.catalog.move_occurrence(&after).await? {
            self.report(&after, now).await;
            self.remove_unused_body(&after).await;
            return Ok(after);
        }
        Ok(self.catalog.occurrence(&after.owner, &after.id).await?.unwrap_or(after))
    }

    async fn ask(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        invoker: Option<&Invoker>,
        now: Timestamp,
    ) -> Result<(), NotBegun> {
        let source = Source::asking(source, of).map_err(NotBegun::Refused)?;
        let profile = self.catalog.profiles().get(&of.owner, source.profile_id()).await?;
        let removed =
            || NotBegun::Refused(Refusal::new("PROFILE_REMOVED", "the agent was removed"));
        let profile = profile.ok_or_else(removed)?;
        let own = match invoker {
            Some(invoker) => invoker.clone(),
            None => self.owner(source, of).await?,
        };
        let asked = match source {
            Source::Schedule(schedule) => self.question(of, schedule).await?,
            Source::Trigger(trigger) => self.of_event(of, trigger, &profile, now).await?,
        };
        let question = Question {
            run: of.id.run(0),
            profile: &profile,
            playbook: asked.playbook.as_deref(),
            query: &asked.query,
            inputs: &asked.inputs,
            mode: None,
            today: asked.day,
            occasion: source.occasion(of, &profile),
            occurrence: Some(of.id.clone()),
            source_limit: source.limit(&of.owner),
            conversation: None,
        };
        let starter = match invoker {
            // What a person asks for has counted by then.
            Some(_) => Starter { runs_per_day: Quota::runs(0), ..self.starter() },
            None => self.starter(),
        };
        let started = run_start::ask(starter, &own, &question).await;
        started.map(drop).map_err(|problem| NotBegun::of(&problem))
    }

    /// The owner, with the rights that remain of those the schedule or trigger was saved with.
    pub(crate) async fn owner(
        &self,
        source: Source<'_>,
        of: &Occurrence,
    ) -> Result<Invoker, NotBegun> {
        let invoker = run_start::on_behalf(&self.directory, &of.owner, source.saved());
        invoker.await.map_err(|problem| NotBegun::of(&problem))
    }

    async fn question(&self, of: &Occurrence, schedule: &Schedule) -> Result<Asked, ClockError> {
        let times = schedule.spec.timetable();
        let day_of = |at: Timestamp| {
            let utc = at.to_zoned(jiff::tz::TimeZone::UTC).date();
            times.as_ref().map_or(utc, |times| times.day(at))
        };
        let day = day_of(of.due_at);
        let last = self.last_success(of, &of.id).await?.unwrap_or(schedule.created_at);
        let query = asked(&schedule.spec.query_template, day, day_of(last));
        let playbook = schedule.spec.playbook_id.as_deref().map(str::to_owned);
        Ok(Asked { query, day, playbook, inputs: schedule.spec.inputs.clone() })
    }

    /// When the schedule was due the last time that a run of it succeeded.
    async fn last_success(
        &self,
        of: &Occurrence,
        this: &OccurrenceId,
    ) -> Result<Option<Timestamp>, ClockError> {
        let known = self.catalog.last_run(&of.owner, &of.source_id, Last::Success).await?;
        if let Some(known) = known {
            return Ok(Some(known.due_at));
        }
        // Earlier releases did not note it.
        let (source, window) = (Some(of.source_id.as_str()), Window::first(LOOK_BACK));
        let page = self.catalog.occurrences(&of.owner, source, window).await?;
        let succeeded = |one: &&Occurrence| {
            one.id != *this && matches!(one.status, Some(RunStatus::Complete | RunStatus::Partial))
        };
        Ok(page.items.iter().find(succeeded).map(|one| one.due_at))
    }
}

/// A question and the day it is asked on; of a trigger also the playbook that it names, and its inputs.
pub(crate) struct Asked {
    pub(crate) query: String,
    pub(crate) day: Date,
    pub(crate) playbook: Option<String>,
    pub(crate) inputs: Map<String, Value>,
}

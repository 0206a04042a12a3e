//! Looking at a run again and again, and telling what is new.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use countersign_identity::{Requirement, Role};
use countersign_plan::Plan;
use countersign_registry::longest_step;
use countersign_run::{Draft, Event, EventKind, Head, RunId, fold};
use countersign_store_runs::{Pace, Progress};
use countersign_web::{Problem, Signed};
use futures::stream::{self, Stream};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::Context;
use crate::messages::{Beside, Message, message};
use crate::position::Position;

/// How often something is sent although nothing happens, so that nobody in between gives the connection up.
const ALIVE: Duration = Duration::from_secs(15);
/// How often the directory is asked whether the caller may still read.
const CHECKED: Duration = Duration::from_secs(15);

/// What is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Frame {
    /// That the answer begins.
    Hello,
    /// A message, with the id that says everything that was told until then.
    Message(Message, String),
    /// That nothing happened.
    Nothing,
}

/// A reader of a run.
pub(crate) struct Watch {
    context: Arc<Context>,
    signed: Signed,
    run: RunId,
    position: Position,
    plan: Option<Plan>,
    ready: VecDeque<Frame>,
    is_over: bool,
    until: Instant,
    /// When the rights of the caller were asked for last.
    checked: Instant,
    last_sent: Instant,
    pace: Pace,
    /// The wait before the next look.
    pause: Duration,
}

impl Watch {
    pub(crate) fn new(
        context: Arc<Context>,
        signed: Signed,
        run: RunId,
        (position, until): (Position, Instant),
    ) -> Self {
        let now = Instant::now();
        Self {
            context,
            signed,
            run,
            position,
            plan: None,
            ready: [Frame::Hello].into(),
            is_over: false,
            until,
            checked: now,
            last_sent: now,
            pace: Pace::default(),
            pause: Duration::ZERO,
        }
    }

    /// Everything that is told, until the run or the time is over.
    pub(crate) fn frames(self) -> impl Stream<Item = Frame> + Send {
        stream::unfold(self, |mut watch| {
            Box::pin(async move { watch.next().await.map(|frame| (frame, watch)) })
        })
    }

    async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                self.last_sent = Instant::now();
                return Some(frame);
            }
            if self.is_over {
                return None;
            }
            let left = self.until.saturating_duration_since(Instant::now());
            sleep(self.pause.min(left)).await;
            if Instant::now() >= self.until {
                return None;
            }
            if let Err(problem) = self.look().await {
                self.end(&problem);
            }
        }
    }

    /// Tells why nothing more comes. The position stays, so that whoever comes back misses nothing.
    fn end(&mut self, problem: &Problem) {
        let data = json!({ "run": self.run, "status": problem.status, "code": problem.code, "detail": problem.detail });
        self.say(Message::new("problem", data));
        self.is_over = true;
    }

    fn say(&mut self, message: Message) {
        self.ready.push_back(Frame::Message(message, self.position.id()));
    }

    async fn look(&mut self) -> Result<(), Problem> {
        self.check_rights().await?;
        let owner = &self.signed.caller.user;
        let found = self.context.runs.progress(owner, &self.run).await?;
        let progress = found.ok_or_else(Problem::not_found)?;
        let are_all = self.tell(&progress).await?;
        let events = progress.events.len();
        self.is_over = are_all && progress.head.finished_at.is_some();
        self.pause = match (are_all, self.ready.is_empty()) {
            (false, _) => Duration::ZERO,
            (true, true) => self.pace.pause(events),
            (true, false) => {
                self.pace = Pace::default();
                self.pace.pause(events)
            }
        };
        if self.ready.is_empty() && self.last_sent.elapsed() >= ALIVE {
            self.ready.push_back(Frame::Nothing);
        }
        Ok(())
    }

    /// Whether the caller may still read: their token, and what the directory says of them.
    async fn check_rights(&mut self) -> Result<(), Problem> {
        if self.checked.elapsed() >= CHECKED {
            let caller = self.signed.again(&self.context.directory).await?;
            caller.permits(&Requirement::role(Role::Reader), None)?;
            self.checked = Instant::now();
        }
        Ok(())
    }

    /// Tells what is new; says whether that is all.
    async fn tell(&mut self, progress: &Progress) -> Result<bool, Problem> {
        let Progress { head, events, drafts } = progress;
        if self.plan.is_none() {
            self.plan = self.context.runs.plan(&self.run).await?.map(|(plan, _)| plan);
        }
        let (news, are_all) = self.position.news(events);
        for event in news {
            self.tell_event(head, event).await?;
        }
        if are_all && head.finished_at.is_some() && !self.position.is_over() {
            let response = self.context.runs.response(&self.run).await?;
            self.position.end();
            self.say(Message::end(head, response.as_ref()));
        }
        self.tell_drafts(progress, drafts);
        Ok(are_all)
    }

    fn tell_drafts(&mut self, Progress { head, events, .. }: &Progress, drafts: &[Draft]) {
        let order = self.plan.as_ref().map(Plan::order).unwrap_or_default();
        let (state, now) = (fold(head, &order, events), Timestamp::now());
        for draft in drafts.iter().filter(|draft| draft.goes_on(&state, now, longest_step())) {
            for part in self.position.parts(draft) {
                self.say(Message::token(head, (&draft.step, draft.turn), part));
            }
        }
    }

    async fn tell_event(&mut self, head: &Head, event: &Event) -> Result<(), Problem> {
        let (mut request, mut response) = (None, None);
        match &event.kind {
            EventKind::GateOpened { approval } => {
                if let Ok(id) = approval.parse() {
                    request = self.context.approvals.request(&id).await?;
                }
            }
            EventKind::StepEnded { .. } => self.tell_rest(head, &event.step).await?,
            EventKind::Finished { .. } => response = self.context.runs.response(&self.run).await?,
            _ => {}
        }
        let beside = Beside {
            plan: self.plan.as_ref(),
            request: request.as_ref(),
            response: response.as_ref(),
        };
        let message = message(head, event, beside);
        self.position.tell(event);
        self.say(message);
        Ok(())
    }

    /// Tells what is left of an answer of which parts were told, before its step is said to be over.
    async fn tell_rest(&mut self, head: &Head, step: &str) -> Result<(), Problem> {
        if !self.position.follows(step) {
            return Ok(());
        }
        let outcomes = self.context.runs.outcomes(&self.run, &[step], &[step], None).await?;
        let output = outcomes.get(step).map_or(&Value::Null, |outcome| &outcome.output);
        let (turn, parts) = self.position.rest(step, output);
        for part in parts {
            self.say(Message::token(head, (step, turn), part));
        }
        Ok(())
    }
}

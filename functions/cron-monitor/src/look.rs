//! The detection steps of a monitor's playbook, each from its watermark.

use std::collections::{BTreeMap, BTreeSet};

use countersign_actions_detect::{Look, Seen};
use countersign_lambda_entry::Invocation;
use countersign_monitor::{
    Batch, BatchItem, Content, Detection, MAX_BYTES, MAX_REMEMBERED, MAX_SEEN, MarkKind, MonitorId,
    Position, State, TooLarge, Watermark,
};
use countersign_plan::{Plan, PlanStep, Request, inputs, plan, scope};
use countersign_registry::action::Call;
use countersign_run::{Ancestry, Head, OccurrenceReason, RunContext};
use countersign_step_entry::{call, prepare};
use countersign_wiring::Scope;
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use crate::asked::Asked;
use crate::attempts;
use crate::ready::Ready;
use crate::start;
use crate::stops;
use crate::why::Why;
use crate::{Context, TickEvent};

/// What a look needs.
pub(crate) struct Looking<'a> {
    pub(crate) ctx: &'a Context,
    pub(crate) event: &'a TickEvent,
    pub(crate) ready: &'a Ready,
    pub(crate) invocation: &'a Invocation,
}

/// A look that failed.
pub(crate) struct Unseen {
    pub(crate) why: Why,
    /// The watermarks of the steps that did look, where they were, with the time of it: what is not to be asked often is not asked
    /// again because of others (F-101).
    pub(crate) asked: Vec<Watermark>,
}

impl From<Why> for Unseen {
    fn from(why: Why) -> Self {
        Self { why, asked: Vec::new() }
    }
}

/// What the detection steps saw.
#[derive(Default)]
pub(crate) struct Looked {
    /// Their watermarks after the look, where they were before it.
    pub(crate) marks: Vec<Watermark>,
    /// Whether it was the first look of some step, and that is where it begins.
    pub(crate) is_baseline: bool,
    items: Vec<BatchItem>,
    outputs: Map<String, Value>,
    /// The steps that have not looked: what they read is not to be asked so often, they cannot, or the next look takes them.
    rested: BTreeSet<String>,
    proposed: BTreeMap<String, Position>,
    /// The steps whose watermarks move although nothing is new.
    advanced: BTreeSet<String>,
    /// Its only item where that is larger than a batch may be.
    too_large: Option<TooLarge>,
    /// Why a run of it could only end in an error.
    pub(crate) stopped: Option<OccurrenceReason>,
    /// Why a step could not look while others did.
    pub(crate) unseen: Option<Why>,
    /// What led to what is new.
    pub(crate) led_by: Ancestry,
}

impl Looking<'_> {
    /// Carries out every detection step. One that fails keeps its watermark and does not hold up the others, unless it stops at
    /// warnings: that it could not look is one.
    pub(crate) async fn all(&self, steps: &[Detection<'_>]) -> Result<Looked, Unseen> {
        let head = start::head(self.event, self.ready, None, self.invocation.now);
        let plan = self.plan(&head)?;
        let share = steps.len().max(1);
        let scope = scope(&head, &plan);
        let asked = Asked::begin();
        let looks = steps.iter().map(|step| async {
            let (planned, call) =
                self.call(step, &plan, &head, &scope).map_err(|why| why.in_step(step.step))?;
            self.one(step, planned, call, share).await
        });
        let seen = join_all(looks).await;
        asked.end(&self.event.monitor, &self.invocation.request_id);
        if let Some(why) = held_up(steps, &seen) {
            return Err(unseen(why, seen, &self.ready.standing.marks, self.invocation.now));
        }
        let mut looked = self.looked(steps, seen);
        looked.stopped = stops::of_found(steps, looked.too_large.as_ref(), &looked.outputs);
        Ok(looked)
    }

    /// The playbook with its variables as the run will have them.
    fn plan(&self, head: &Head) -> Result<Plan, Why> {
        let playbook = &self.ready.playbook.playbook;
        let inputs = inputs(playbook, &self.ready.inputs()).map_err(|problems| {
            let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
            let said = format!("the inputs do not fit the playbook: {}", said.join("; "));
            Why::new("RUN_INPUTS_INVALID", &said)
        })?;
        let request = Request {
            tenant: String::new(),
            run: head.run.clone(),
            owner: head.owner.clone(),
            profile: head.profile_id.clone(),
            context: RunContext::Monitor,
            inputs,
        };
        Ok(plan(playbook, request))
    }

    async fn one(
        &self,
        step: &Detection<'_>,
        planned: &PlanStep,
        call: Call,
        share: usize,
    ) -> Result<(Watermark, Seen), Why> {
        let failed = |error| Why::of_step(step.step, &error);
        let action = self.ctx.detections.get(step.action).ok_or_else(|| {
            Why::cannot_look(&format!("`{}` cannot look", step.action)).in_step(step.step)
        })?;
        let mark = self.ready.standing.marks.get(step.step).cloned();
        let mark = mark.unwrap_or_else(|| Watermark::new(step.step));
        let kind = action.kind_of(&call).map_err(&failed)?;
        let mark = mark.for_source(kind, &action.source(&call).map_err(failed)?);
        let start = Position::start(MarkKind::Cursor);
        let first = self.ready.monitor.spec.process_first.then_some(&start);
        let look = Look {
            previous: mark.position.as_ref().or(first),
            late: SignedDuration::from_mins(self.ready.monitor.spec.overlap_minutes.get()),
            most: (self.ready.monitor.spec.batch_size.to::<usize>() / share).max(1),
            bytes: MAX_BYTES / share,
            memory: MAX_SEEN.min(MAX_REMEMBERED / share),
            last: mark.last_checked_at.filter(|_| !self.event.asked_for),
            is_kept: true,
            monitor: Some(self.event.monitor.as_str()),
        };
        let seen = attempts::look(action.as_ref(), call, look, planned).await;
        Ok((mark, seen.map_err(failed)?))
    }

    fn call<'p>(
        &self,
        step: &Detection<'_>,
        plan: &'p Plan,
        head: &Head,
        scope: &Scope<'_>,
    ) -> Result<(&'p PlanStep, Call), Why> {
        let unknown = || Why::cannot_look(&format!("there is no action `{}`", step.action));
        let contract = self.ctx.registry.get(step.action).ok_or_else(unknown)?;
        let planned = plan.step(step.step).ok_or_else(unknown)?;
        let prepared = prepare(planned, contract, scope)
            .map_err(|said| Why::new("STEP_INPUT_INVALID", &said.join("; ")))?;
        let Invocation { request_id, now, remaining } = self.invocation;
        let call = Call {
            // Two looks are two: what they reserve of a budget is each one's own.
            idempotency_key: request_id.clone(),
            output_schema: None,
            model: None,
            ..call(head, planned, prepared, *now, *remaining)
        };
        Ok((planned, call))
    }

    /// What they saw. An item that no batch has room for is a batch of its own, in turns with what the other steps have found: the
    /// steps that have to wait find the same at the next look.
    fn looked(&self, steps: &[Detection<'_>], seen: Vec<Result<(Watermark, Seen), Why>>) -> Looked {
        let has = |found: fn(&Seen) -> bool| {
            move |one: &Result<(Watermark, Seen), Why>| {
                one.as_ref().is_ok_and(|(_, seen)| found(seen))
            }
        };
        let (is_large, is_filled) = (has(is_too_large), has(is_filled));
        let is_turn_of_large =
            !seen.iter().any(&is_filled) || self.ready.standing.state.batches.is_multiple_of(2);
        let first_large = seen.iter().position(is_large).filter(|_| is_turn_of_large);
        let mut looked = Looked::default();
        for (place, (step, one)) in steps.iter().zip(seen).enumerate() {
            let waits = match first_large {
                Some(first) => place != first && (is_large(&one) || is_filled(&one)),
                None => is_large(&one),
            };
            match one {
                Ok((mark, seen)) if waits => {
                    looked.put_off(step.step, self.nothing(step), mark, seen, self.invocation.now);
                }
                Ok((mark, seen)) => looked.add(step.step, mark, seen, self),
                Err(why) => looked.fail(step.step, self.nothing(step), why),
            }
        }
        looked
    }

    /// The output of a step that has not looked.
    fn nothing(&self, step: &Detection<'_>) -> Value {
        let position = self.ready.standing.marks.get(step.step).map(|mark| &mark.position);
        let before = position.and_then(|position| position.as_ref()?.value.clone());
        let action = self.ctx.detections.get(step.action);
        action.map(|action| action.nothing(before)).unwrap_or_default()
    }
}

fn is_too_large(seen: &Seen) -> bool {
    seen.too_large.is_some()
}

fn is_filled(seen: &Seen) -> bool {
    !seen.keys.is_empty()
}

/// Why nothing is processed: no step could look, or one that stops at warnings could not.
fn held_up(steps: &[Detection<'_>], seen: &[Result<(Watermark, Seen), Why>]) -> Option<Why> {
    let is_blind = seen.iter().all(Result::is_err);
    let mut failed =
        steps.iter().zip(seen).filter_map(|(step, one)| Some((step, one.as_ref().err()?)));
    failed.find(|(step, _)| is_blind || step.stops_at_warnings).map(|(_, why)| why.clone())
}

/// A look that failed, and which steps have looked.
fn unseen(
    why: Why,
    seen: Vec<Result<(Watermark, Seen), Why>>,
    before: &BTreeMap<String, Watermark>,
    now: Timestamp,
) -> Unseen {
    // One that rests has no position; one that looks at something else for the first time keeps what it had.
    let has_asked = |(mark, seen): &(Watermark, Seen)| {
        let known = before.get(&mark.step_name);
        seen.position.is_some() && known.is_none_or(|known| known.position == mark.position)
    };
    let asked = seen.into_iter().flatten().filter(has_asked);
    let asked =
        asked.map(|(mark, seen)| Watermark { metadata: seen.metadata, ..mark.looked(0, now) });
    Unseen { why, asked: asked.collect() }
}

impl Looked {
    fn add(&mut self, step: &str, mark: Watermark, seen: Seen, looking: &Looking<'_>) {
        let Some(position) = seen.position else { return self.leave_out(step, seen.output) };
        self.outputs.insert(step.to_owned(), seen.output);
        self.led_by = Ancestry::merged([std::mem::take(&mut self.led_by), seen.led_by]);
        if let Some(one) = seen.too_large {
            self.items.push(BatchItem { step: step.to_owned(), key: one.key.clone() });
            self.too_large = Some(one);
        }
        let is_first = mark.position.is_none() && !looking.ready.monitor.spec.process_first;
        self.is_baseline |= is_first;
        let mark = mark.looked(seen.keys.len(), looking.invocation.now);
        self.marks.push(Watermark { metadata: seen.metadata, ..mark });
        let item = |key: String| BatchItem { step: step.to_owned(), key };
        self.items.extend(seen.keys.into_iter().map(item));
        if seen.advances {
            self.advanced.insert(step.to_owned());
        }
        self.proposed.insert(step.to_owned(), position);
    }

    /// What this step has found waits for the next look, and its source is not asked again before it wants to be (F-101).
    fn put_off(&mut self, step: &str, nothing: Value, mark: Watermark, seen: Seen, now: Timestamp) {
        if mark.position.is_some() && seen.position.is_some() {
            self.marks.push(Watermark { metadata: seen.metadata, ..mark.looked(0, now) });
        }
        self.leave_out(step, nothing);
    }

    /// Nothing is known of this step but what was.
    fn leave_out(&mut self, step: &str, nothing: Value) {
        self.outputs.insert(step.to_owned(), nothing);
        self.rested.insert(step.to_owned());
    }

    /// The run is warned that this step could not look.
    fn fail(&mut self, step: &str, mut nothing: Value, why: Why) {
        let warning = format!(
            "it could not look ({}): what is new at its source is not here, and is found once it can",
            why.said
        );
        nothing["warnings"] = json!([warning]);
        nothing["warning_count"] = 1.into();
        self.leave_out(step, nothing);
        self.unseen.get_or_insert(why);
    }

    /// Whether there is something new; or nothing, and the owner wants to hear of it.
    pub(crate) fn is_worth_a_run(&self, ready: &Ready) -> bool {
        let is_heard = ready.timing.suppress_if_empty || self.is_baseline;
        let is_wanted = !is_heard && self.unseen.is_none();
        !self.items.is_empty() || (is_wanted && self.stopped.is_none())
    }

    /// What the steps gave, by step.
    pub(crate) fn outputs(&self) -> &Map<String, Value> {
        &self.outputs
    }

    /// The steps that did not look this time.
    pub(crate) fn rested(&self) -> &BTreeSet<String> {
        &self.rested
    }

    /// The watermarks after a look that found nothing new. Those of a first look move: what is there is known from now on.
    /// Others stay where they are, unless they went past much that is of no interest.
    pub(crate) fn moved(&self, now: Timestamp) -> Vec<Watermark> {
        let moves = |mark: &Watermark| {
            let begins = mark.position.as_ref().is_none_or(Position::is_start);
            begins || self.advanced.contains(&mark.step_name)
        };
        let moved = |mark: &Watermark| match self.proposed.get(&mark.step_name) {
            Some(position) if moves(mark) => mark.clone().moved(position.clone(), now),
            _ => mark.clone(),
        };
        self.marks.iter().map(moved).collect()
    }

    /// The batch of what is new, and what it holds.
    pub(crate) fn batch(
        &self,
        monitor: &MonitorId,
        state: &State,
        now: Timestamp,
    ) -> (Batch, Content) {
        let previous = self.marks.iter().map(|mark| (mark.step_name.clone(), mark.version));
        let batch = Batch::found(monitor, state, self.items.len(), previous.collect(), now);
        let content = Content {
            items: self.items.clone(),
            outputs: self.outputs.clone(),
            proposed: self.proposed.clone(),
            too_large: self.too_large.clone(),
        };
        (batch, content)
    }
}

#[cfg(test)]
mod tests {
    use countersign_run::{warning_count, warning_sentences};

    use super::*;

    fn looked(step: &str, position: Option<&Position>) -> Result<(Watermark, Seen), Why> {
        let seen = Seen {
            output: Value::Null,
            keys: Vec::new(),
            too_large: None,
            position: position.cloned(),
            metadata: Map::new(),
            advances: false,
            led_by: Ancestry::default(),
        };
        Ok((Watermark::new(step), seen))
    }

    #[test]
    fn f_101_a_feed_is_not_asked_more_often_because_another_step_fails() {
        let (start, now) = (Position::start(MarkKind::Cursor), Timestamp::UNIX_EPOCH);
        let off = Why::new("HTTP_STATUS", "off");
        let seen = vec![looked("feed", Some(&start)), looked("rests", None), Err(off.clone())];
        let unseen = unseen(off, seen, &BTreeMap::new(), now);
        assert_eq!(unseen.why.code, "HTTP_STATUS");
        let [feed] = unseen.asked.as_slice() else { panic!("{:?}", unseen.asked) };
        assert_eq!((feed.step_name.as_str(), feed.last_checked_at), ("feed", Some(now)));
        assert_eq!((&feed.position, feed.version), (&None, 0), "nothing is known of it yet");
    }

    #[test]
    fn issue_14_the_run_is_warned_of_a_step_that_could_not_look() {
        let mut looked = Looked::default();
        looked.fail("feed", json!({"count": 0}), Why::new("HTTP_STATUS", "off").in_step("feed"));
        assert_eq!(warning_count(&looked.outputs["feed"]), 1);
        let [said] = warning_sentences(&looked.outputs["feed"], 5).try_into().unwrap();
        assert!(said.contains("HTTP_STATUS: off"), "{said}");
        assert!(looked.rested.contains("feed") && looked.marks.is_empty());
        assert_eq!(looked.unseen.map(|why| why.code).as_deref(), Some("HTTP_STATUS"));
    }
}

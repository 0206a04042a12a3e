//! What a look has to say by itself: what it could not read, and that its steps are others. It is kept with the monitor's state,
//! and the agent's journal has an entry when it begins.

use countersign_journal::{JournalWrite as _, Look, look};
use countersign_monitor::{LookWarnings, State, StepsChanged};
use countersign_step_entry::listed;
use jiff::Timestamp;

use crate::error::TickError;
use crate::look::Looked;
use crate::ready::Ready;
use crate::{Context, TickEvent};

/// The state with what this look has to say; the journal is told first, so that it is told if the tick dies in between.
pub(crate) async fn noted(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    looked: &Looked,
    now: Timestamp,
) -> Result<State, TickError> {
    let mut state = ready.standing.state.clone();
    let steps = looked.outputs().keys().map(String::as_str);
    let changed = StepsChanged::of(&ready.standing.marks, steps, state.steps_changed.as_ref(), now);
    if let Some(changed) = changed {
        write(ctx, event, ready, ("steps", renamed(&changed, ready), false), now).await?;
        state.steps_changed = Some(changed);
    }
    let before = state.warnings.take();
    let mut warnings = LookWarnings::of(looked.outputs(), looked.rested(), before.as_ref(), now);
    if let Some(found) = &mut warnings
        && found.is_news(before.as_ref(), now)
    {
        found.noted_at = now;
        // What has a run is in the entry of that run.
        if !looked.is_worth_a_run(ready) {
            write(ctx, event, ready, ("warnings", unread(found, ready), true), now).await?;
        }
    }
    state.warnings = warnings;
    Ok(state)
}

async fn write(
    ctx: &Context,
    event: &TickEvent,
    ready: &Ready,
    (what, summary, is_partial): (&'static str, String, bool),
    at: Timestamp,
) -> Result<(), TickError> {
    let of = Look {
        monitor: event.monitor.as_str(),
        owner: &event.owner,
        profile_id: ready.agent.id.as_str(),
        what,
        summary,
        is_partial,
        at,
    };
    if let Some(entry) = look(&of, &ready.agent.spec.journal_config) {
        ctx.journal.put_if_new(&entry).await?;
    }
    Ok(())
}

fn renamed(changed: &StepsChanged, ready: &Ready) -> String {
    let spec = &ready.monitor.spec;
    let mut said = vec![format!("The monitor `{}` looks with other steps.", &*spec.name)];
    if !changed.new.is_empty() {
        let means = match spec.process_first {
            true => "everything that is there is new to it",
            false => {
                "its first look is where it begins, and what changed before that is not reported"
            }
        };
        said.push(format!("New here: {}; {means}.", listed(&changed.new)));
    }
    if !changed.gone.is_empty() {
        let gone = listed(&changed.gone);
        said.push(format!("No longer in the playbook: {gone}; its watermark is kept."));
    }
    said.join(" ")
}

fn unread(found: &LookWarnings, ready: &Ready) -> String {
    let (count, first) = (found.count(), found.first());
    let noun = if count == 1 { "warning" } else { "warnings" };
    let more = count.saturating_sub(first.len() as u64);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!(
        "The monitor `{}` looked and could not read everything: {count} {noun}. {}{more}",
        &*ready.monitor.spec.name,
        first.join("; ")
    )
}

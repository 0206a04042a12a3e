//! What the end of a run fires: the owner's triggers that wait for it. Their occurrences are entered here, and begun by the
//! sweeper within a minute. Of a playbook that no trigger waits for, that costs one read.

use countersign_outbox::DomainEvent;
use countersign_run::{Ancestry, Head, Occurrence, TriggeredBy};
use countersign_store_catalog::Noticed;
use countersign_trigger::{FiringTrigger, noticed};
use jiff::Timestamp;

use crate::{Context, Done, FinishError};

/// Enters what the end of a run fires, once for each trigger, however often the run is finished.
pub(crate) async fn note(context: &Context, done: &Done<'_>) -> Result<(), FinishError> {
    let head = done.head;
    // What a member has shaped starts nothing of the owner's.
    let own = head.playbook_id.as_ref().filter(|_| head.team_context.is_none());
    let Some(playbook) = own else { return Ok(()) };
    let mut listeners = context.catalog.end_listeners(&head.owner, playbook).await?;
    listeners.retain(|trigger| trigger.spec.on.takes_end(playbook, done.status));
    if listeners.is_empty() {
        return Ok(());
    }
    let led_by = led_by(context, head).await?;
    let (run, status, playbook) = (head.run.clone(), done.status, playbook.clone());
    let fired = TriggeredBy::After { run, status, playbook };
    for trigger in &listeners {
        let firing = FiringTrigger {
            owner: &head.owner,
            trigger: &trigger.id,
            spec: &trigger.spec,
            fired: &fired,
            led_by: &led_by,
            at: done.at,
        };
        let occurrence = noticed(&firing);
        let entered = context.catalog.notice_event(&occurrence, &fired.event(), None).await?;
        if entered == Noticed::New && occurrence.is_looped() {
            tracing::error!(occurrence = %occurrence.id, "TRIGGER_LOOP: a trigger would fire itself");
            say_left_out(context, &occurrence, done.at).await;
        }
    }
    Ok(())
}

/// As the clock says it of all others; should that be lost, the sweeper says it.
async fn say_left_out(context: &Context, of: &Occurrence, now: Timestamp) {
    if let Err(error) = context.bus.publish(&[DomainEvent::left_out(of, now)]).await {
        tracing::warn!(occurrence = %of.id, %error, "listeners have to wait for a run that was left out");
        return;
    }
    if let Err(error) = context.catalog.said(&of.id).await {
        tracing::warn!(occurrence = %of.id, %error, "listeners hear once more of a run that was left out");
    }
}

/// What led to whatever this run leads to.
async fn led_by(context: &Context, head: &Head) -> Result<Ancestry, FinishError> {
    let first = match head.repeated_of_monitor() {
        Some(run) => context.runs.head(run).await?,
        None => None,
    };
    let Some(id) = &first.as_ref().unwrap_or(head).occurrence else {
        return Ok(Ancestry::default());
    };
    let known = context.catalog.occurrence(&head.owner, id).await?;
    Ok(known.map(|known| known.leads_on()).unwrap_or_default())
}

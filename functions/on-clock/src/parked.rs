//! What is parked and no notice of a run has told, and what of it no mail has told.

use countersign_letter::mail::SourceAlert;
use countersign_monitor::{Batch, BatchState};
use countersign_store_catalog::{Batched, CatalogError};
use countersign_store_kit::Window;
use jiff::{SignedDuration, Timestamp};

use crate::found::{Found, PAGE, PARKED, monitor};
use crate::{Context, Parked};

/// What was parked so long before the last one was told, or is told with one that came before: the next mail comes a day after.
const UNTOLD: SignedDuration = SignedDuration::from_hours(48);

pub(crate) async fn read(context: &Context, of: &Parked) -> Result<Option<Found>, CatalogError> {
    let Some(monitor) = monitor(context, &of.owner, &of.monitor).await? else { return Ok(None) };
    let Some(batched) = named(context, of).await? else { return Ok(None) };
    let Some(parked_at) = parked_at(&batched.batch) else { return Ok(None) };
    Ok(Some(Found {
        owner: of.owner.clone(),
        source: of.monitor.to_string(),
        name: monitor.spec.name.to_string(),
        trouble: SourceAlert::Parked { items: batched.batch.count, batches: 1 },
        untold: untold(context, of, &batched, parked_at).await?,
        since: parked_at,
        // Each batch is something else that is parked.
        worked_at: parked_at,
        at: of.at,
        code: of.code.clone(),
        message: batched.batch.refused_for.map(|why| why.message).unwrap_or_default(),
        occurrence: batched.occurrence.map(|occurrence| occurrence.id),
    }))
}

/// The batch that an event names. Where its owner has had it processed since, the one before it that was parked and is in no mail.
/// What is said of a batch may come before it is so, and what became of it instead is no trouble.
async fn named(context: &Context, of: &Parked) -> Result<Option<Batched>, CatalogError> {
    let Some(batched) = context.monitors.batch(&of.monitor, of.number).await? else {
        return Ok(None);
    };
    if batched.batch.state == BatchState::Parked || batched.batch.reopened_at.is_none() {
        return Ok(Some(batched));
    }
    let told = context.catalog.told(of.monitor.as_str(), PARKED).await?;
    let since = of.at.checked_sub(UNTOLD).unwrap_or(of.at).max(told.unwrap_or(Timestamp::MIN));
    let page = context.monitors.batches(&of.monitor, Window::first(PAGE)).await?;
    let is_untold = |one: &Batched| {
        one.batch.is_parked_without_notice()
            && parked_at(&one.batch).is_some_and(|parked| parked > since)
    };
    let untold = page.items.into_iter().filter(is_untold);
    Ok(untold.max_by_key(|one| (one.batch.closed_at, one.batch.number)))
}

/// When a batch was parked; none of one that is not.
fn parked_at(batch: &Batch) -> Option<Timestamp> {
    (batch.state == BatchState::Parked).then(|| batch.closed_at.unwrap_or(batch.created_at))
}

/// This batch together with those that were parked within a day of the last mail, and are in none.
async fn untold(
    context: &Context,
    of: &Parked,
    batched: &Batched,
    parked_at: Timestamp,
) -> Result<SourceAlert, CatalogError> {
    let (mut items, mut batches) = (batched.batch.count, 1);
    let told = context.catalog.told(of.monitor.as_str(), PARKED).await?;
    let Some(told) = told.filter(|told| *told < parked_at) else {
        return Ok(SourceAlert::Parked { items, batches });
    };
    let long_before = parked_at.checked_sub(UNTOLD).unwrap_or(parked_at);
    let mut after = None;
    loop {
        let page = context.monitors.batches(&of.monitor, Window { limit: PAGE, after }).await?;
        for other in page.items.iter().map(|other| &other.batch) {
            // A monitor has one open batch: those before it were closed before it, but for one that was opened again.
            let is_long_ago = other.closed_at.is_some_and(|at| at <= told.max(long_before));
            if is_long_ago && other.reopened_at.is_none() {
                return Ok(SourceAlert::Parked { items, batches });
            }
            let is_before =
                (other.closed_at, other.number) < (Some(parked_at), batched.batch.number);
            if other.is_parked_without_notice() && is_before && !is_long_ago {
                (items, batches) = (items + other.count, batches + 1);
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok(SourceAlert::Parked { items, batches });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_what_is_not_parked_is_not_told() {
        let (monitor, at) =
            (countersign_monitor::MonitorId::from_bytes([1; 16]), Timestamp::UNIX_EPOCH);
        let open = Batch::found(&monitor, &countersign_monitor::State::default(), 1, [].into(), at);
        assert_eq!(parked_at(&open), None);
        let later = Timestamp::from_second(9).unwrap();
        let parked = Batch { state: BatchState::Parked, closed_at: Some(later), ..open.clone() };
        assert_eq!(parked_at(&parked), Some(later));
        assert_eq!(parked_at(&Batch { state: BatchState::Committed, ..parked }), None);
    }
}

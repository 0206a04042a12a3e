//! Runs by which people have repeated the runs of parked batches.

use std::collections::BTreeMap;

use countersign_monitor::Batch;
use countersign_run::{RunId, RunStatus};
use countersign_web::Problem;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Context;

/// So many repetitions of one another are followed.
const MOST: usize = 20;

/// The last run by which somebody has repeated the run of a parked batch. What it has done is done; the batch stays parked.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Repeated {
    /// That run.
    #[schema(value_type = String)]
    execution_id: RunId,
    /// How it ended; `running` until then, also while it waits for people.
    #[schema(value_type = String)]
    status: RunStatus,
}

/// The repetitions of parked batches, by the run that is repeated.
pub(crate) async fn repeats<'a>(
    ctx: &Context,
    batches: impl Iterator<Item = &'a Batch>,
) -> Result<BTreeMap<RunId, Repeated>, Problem> {
    let parked = batches.filter(|batch| batch.state.is_parked()).map(|batch| batch.run.clone());
    let mut open: Vec<(RunId, RunId)> = parked.map(|run| (run.clone(), run)).collect();
    let mut found = BTreeMap::new();
    for _ in 0..=MOST {
        let runs: Vec<&RunId> = open.iter().map(|(_, last)| last).collect();
        let heads = ctx.runs.heads(&runs).await?;
        let mut next = Vec::new();
        for (run, last) in open {
            let Some(head) = heads.get(&last) else { continue };
            if run != last {
                let status = head.status.unwrap_or(RunStatus::Running);
                let repeated = Repeated { execution_id: last, status };
                found.insert(run.clone(), repeated);
            }
            next.extend(head.repeated_by.clone().map(|repeat| (run, repeat)));
        }
        open = next;
        if open.is_empty() {
            break;
        }
    }
    Ok(found)
}

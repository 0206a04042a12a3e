//! The Lambda `cron-sweep`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_clock::Clock;
use countersign_gatekeeper::Bootstrap;
use countersign_lambda_entry::{Boot, Setting, StartError, handler, serve};
use countersign_recovery::Runner;
use countersign_states::Schedules as NativeSchedules;
use countersign_store_catalog::{Catalog, MonitorStore};
use countersign_store_knowledge::KnowledgeStore;
use countersign_store_tokens::Tokens;
use cron_sweep::{Approvals, Knowledge, Monitors, Runs, SchedulerSync, Schedules, SweepTask};

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let tokens = Tokens::new(boot.table(Setting::TableTokens)?);
            let Bootstrap { gatekeeper, runs: store, .. } =
                Bootstrap::waking(&boot, Arc::new(tokens))?;
            let runner = Runner::open(&boot, store.clone())?;
            let runs = Runs { runner, store, gatekeeper: gatekeeper.clone() };
            let table = boot.table(Setting::TableKnowledge)?;
            let knowledge = Knowledge::new(KnowledgeStore::new(table, boot.blobs()?));
            let table = || boot.table(Setting::TableCatalog);
            let scheduler_sync = SchedulerSync {
                catalog: Catalog::new(table()?),
                schedules: native(&boot, Setting::ScheduleFunctionArn)?,
                monitors: native(&boot, Setting::MonitorFunctionArn)?,
            };
            let monitors = Monitors {
                store: MonitorStore::new(table()?, boot.blobs()?),
                schedules: scheduler_sync.monitors.clone(),
            };
            let schedules = Schedules(Clock::new(&boot)?);
            let tasks: Arc<[Arc<dyn SweepTask>]> = Arc::new([
                Arc::new(Approvals(gatekeeper)),
                Arc::new(schedules),
                Arc::new(monitors),
                Arc::new(scheduler_sync),
                Arc::new(runs),
                Arc::new(knowledge),
            ]);
            Ok(handler(move |_event, invocation| {
                let tasks = Arc::clone(&tasks);
                Box::pin(async move { cron_sweep::handle(&tasks, &invocation).await })
            }))
        })
    })
}

/// Native schedules that call this function.
fn native(boot: &Boot, function: Setting) -> Result<NativeSchedules, StartError> {
    Ok(NativeSchedules::new(
        &boot.aws,
        boot.settings.need(Setting::ScheduleGroup)?,
        boot.settings.need(Setting::ScheduleRoleArn)?,
        boot.settings.need(function)?,
    ))
}

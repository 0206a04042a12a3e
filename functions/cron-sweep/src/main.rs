//! The Lambda `cron-sweep`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_clock::Clock;
use countersign_gatekeeper::Bootstrap;
use countersign_lambda_entry::{Setting, handler, serve};
use countersign_recovery::Runner;
use countersign_states::{self as states, Machine};
use countersign_store_catalog::MonitorStore;
use countersign_store_knowledge::KnowledgeStore;
use countersign_store_tokens::Tokens;
use cron_sweep::{Approvals, Chore, Knowledge, Monitors, Runs, Schedules};

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let tokens = Tokens::new(boot.table(Setting::TableTokens, &boot.dynamo())?);
            let Bootstrap { gatekeeper, runs: store, .. } =
                Bootstrap::waking(&boot, Arc::new(tokens))?;
            let machine = Machine::new(&boot.aws, boot.settings.need(Setting::RunMachineArn)?);
            let runner = Runner::new(store.clone(), machine);
            let runs = Runs { runner, store, gatekeeper: gatekeeper.clone() };
            let table = boot.table(Setting::TableKnowledge, &boot.dynamo())?;
            let knowledge = Knowledge(KnowledgeStore::new(table, boot.blobs()?));
            let schedules = Schedules(Clock::new(&boot)?);
            let monitors = Monitors {
                store: MonitorStore::new(
                    boot.table(Setting::TableCatalog, &boot.dynamo())?,
                    boot.blobs()?,
                ),
                schedules: states::Schedules::new(
                    &boot.aws,
                    boot.settings.need(Setting::ScheduleGroup)?,
                    boot.settings.need(Setting::ScheduleRoleArn)?,
                    boot.settings.need(Setting::MonitorFunctionArn)?,
                ),
            };
            let chores: Arc<[Arc<dyn Chore>]> = Arc::new([
                Arc::new(Approvals(gatekeeper)),
                Arc::new(schedules),
                Arc::new(runs),
                Arc::new(monitors),
                Arc::new(knowledge),
            ]);
            Ok(handler(move |_event, invocation| {
                let chores = Arc::clone(&chores);
                Box::pin(async move { cron_sweep::handle(&chores, &invocation).await })
            }))
        })
    })
}

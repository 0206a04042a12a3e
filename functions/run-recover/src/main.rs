//! The Lambda `run-recover`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::{Setting, handler, serve};
use countersign_recovery::Runner;
use countersign_states::Machine;
use countersign_store_runs::RunStore;

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let runs =
                RunStore::new(boot.table(Setting::TableRuns, &boot.dynamo())?, boot.blobs()?);
            let machine = Machine::new(&boot.aws, boot.settings.need(Setting::RunMachineArn)?);
            let runner = Arc::new(Runner::new(runs, machine));
            Ok(handler(move |event, invocation| {
                let runner = Arc::clone(&runner);
                Box::pin(async move { run_recover::handle(&runner, event, &invocation).await })
            }))
        })
    })
}

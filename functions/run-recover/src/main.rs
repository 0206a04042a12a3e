//! The Lambda `run-recover`: wiring only.

use std::process::ExitCode;

use countersign_lambda_entry::{Boot, Setting, StartError, run};
use countersign_recovery::Runner;
use countersign_store_runs::RunStore;
use run_recover::handle;

fn main() -> ExitCode {
    run(runner, |runner, event, invocation| {
        Box::pin(async move { handle(runner, event, &invocation).await })
    })
}

fn runner(boot: &Boot) -> Result<Runner, StartError> {
    let runs = RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?);
    Runner::open(boot, runs)
}

//! The Lambda `connector-test`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use connector_test::{Context, router};
use countersign_web::door;

fn main() -> ExitCode {
    countersign_reader::child().unwrap_or_else(start)
}

fn start() -> ExitCode {
    door::serve(|boot| Ok(router(Arc::new(Context::new(boot)?))))
}

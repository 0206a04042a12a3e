//! The Lambda `hooks`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_web::door;
use hooks::{Context, router};

fn main() -> ExitCode {
    door::serve(|boot| Ok(router(Arc::new(Context::new(boot)?))))
}

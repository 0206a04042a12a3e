//! The Lambda `hooks`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::run;
use countersign_web::door;
use hooks::{Context, router};

fn main() -> ExitCode {
    run(
        |boot| Ok(router(Arc::new(Context::new(boot)?))),
        |router, event, _| Box::pin(async move { Ok(door::answer(router.clone(), event).await?) }),
    )
}

//! The Lambda `connector-test`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use connector_test::{Context, router};
use countersign_lambda_entry::{handler, serve};
use countersign_web::door;

fn main() -> ExitCode {
    countersign_reader::child().unwrap_or_else(start)
}

fn start() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let router = router(Arc::new(Context::new(&boot)?));
            Ok(handler(move |event, _| {
                let router = router.clone();
                Box::pin(async move { Ok(door::answer(router, event).await?) })
            }))
        })
    })
}

//! The Lambda `hooks`: wiring only.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::{handler, serve};
use countersign_web::door;
use hooks::{Context, router};

fn main() -> ExitCode {
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

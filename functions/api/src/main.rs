//! The Lambda of `api`.

use std::process::ExitCode;
use std::sync::Arc;

use api::{Context, handle, router};

fn main() -> ExitCode {
    countersign_lambda_entry::serve(|boot| {
        Box::pin(async move {
            let router = router(&Arc::new(Context::new(&boot)?));
            Ok(countersign_lambda_entry::handler(move |event, invocation| {
                handle(router.clone(), event, invocation)
            }))
        })
    })
}

//! The Lambda of `authorizer`.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::{decode, handler, serve};
use countersign_web::token::Verifier;

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let verifier = Arc::new(Verifier::of(&boot.settings)?);
            Ok(handler(move |event, _| {
                let verifier = verifier.clone();
                Box::pin(async move {
                    let answer = authorizer::handle(decode(event)?, verifier).await;
                    Ok(serde_json::to_value(answer).unwrap_or_default())
                })
            }))
        })
    })
}

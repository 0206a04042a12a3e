//! The Lambda of `authorizer`.

use std::process::ExitCode;
use std::sync::Arc;

use countersign_lambda_entry::{Setting, StartError, decode, handler, serve};
use countersign_web::token::Verifier;

fn main() -> ExitCode {
    serve(|boot| {
        Box::pin(async move {
            let settings = &boot.settings;
            let (issuer, audience) =
                (settings.need(Setting::JwtIssuer)?, settings.need(Setting::JwtAudience)?);
            let (secret, jwks) =
                (settings.get(Setting::JwtHs256Secret), settings.get(Setting::JwtJwksUrl));
            let verifier = Verifier::new(secret, jwks, issuer, audience, settings.allow_loopback());
            let name = "JWT_HS256_SECRET or JWT_JWKS_URL";
            let verifier = Arc::new(
                verifier
                    .map_err(|error| StartError::Invalid { name, reason: error.to_string() })?,
            );
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

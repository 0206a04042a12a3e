//! An effect to test and show pages with, also for other crates; no release build has it.

use crate::file::{Excerpt, FileAction, FileEffect, TextHash};
use crate::http::{
    Body, CredentialUse, Effect, HttpEffect, Part, SecretForm, SecretPart, Version, Via,
};

/// A payment at an invented bank.
#[must_use]
pub fn payment() -> Effect {
    payment_of("1250.00", "Nordwind Energie GmbH", "DE02 1203 0000 0000 2020 51")
}

/// The removal of an invented file.
#[must_use]
pub fn removal() -> Effect {
    Effect::File(FileEffect {
        v: Version,
        action: FileAction::Delete,
        document: "doc_00000000000000000000000000000001".to_owned(),
        title: "Notes".to_owned(),
        path: "research/notes.md".to_owned(),
        to: None,
        before: Some(TextHash { bytes: 6, sha256: "ab".repeat(32) }),
        edits: Vec::new(),
        after: None,
        text: Some(Excerpt::of("# Old\n")),
        restorable_days: Some(30),
        key: "9f86d081884c7d659a2feaa0c55ad015".to_owned(),
    })
}

/// A payment of an amount to somebody's account.
#[must_use]
pub fn payment_of(amount: &str, payee: &str, account: &str) -> Effect {
    let body = serde_json::json!({
        "amount": amount, "currency": "EUR", "payee": payee, "account": account, "reference": "Invoice 2026-0311",
    });
    let text = |text: &str| Part::Text(text.to_owned());
    Effect::Http(HttpEffect {
        v: Version,
        method: "POST".to_owned(),
        url: "https://api.bank.example/v1/payments".to_owned(),
        query: Vec::new(),
        headers: vec![
            ("accept".to_owned(), text("application/json")),
            (
                "authorization".to_owned(),
                Part::Secret(SecretPart {
                    secret: "token".to_owned(),
                    form: SecretForm::Bearer,
                    scheme: None,
                }),
            ),
            ("idempotency-key".to_owned(), text("9f86d081884c7d659a2feaa0c55ad015")),
            ("user-agent".to_owned(), text("Countersign")),
        ],
        body: Some(Body { media: "application/json".to_owned(), text: body.to_string() }),
        credential: Some(CredentialUse {
            id: "cred_00000000000000000000000000000001".to_owned(),
            auth: "bearer_token".to_owned(),
            token_url: None,
            scope: None,
            client_auth: None,
        }),
        via: Via { connector: "bank".to_owned(), endpoint: "pay".to_owned() },
        shape: None,
        path_secret: None,
    })
}

//! What the documents show in Python does what they say.

use std::process::Command;

use countersign_trigger::hook::{Message, Secret};
use jiff::Timestamp;
use serde_json::Value;

use crate::blocks::{Block, blocks};

const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const BODY: &str = r#"{"invoice": "2026-117"}"#;

/// Runs the block with these lines behind it; what that prints.
fn printed(block: &str, behind: &str) -> Value {
    let program = format!("{block}\n{behind}");
    let done = Command::new("python3").args(["-c", &program]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

#[test]
fn a_webhook_that_is_signed_as_the_documents_show_is_taken() {
    let is_it = |block: &Block| block.language == "python" && block.text.contains("webhook-id");
    let block = blocks().into_iter().find(is_it).expect("docs/triggers.md has it");
    let call = format!("import json; print(json.dumps(headers('{SECRET}', 'msg_1', b'{BODY}')))");
    let headers = printed(&block.text, &call);
    let named = |name: &str| headers[name].as_str().unwrap().to_owned();
    let (id, at) = (named("webhook-id"), named("webhook-timestamp"));
    let signature = named("webhook-signature");
    let message = Message::read(&[&id], &[&at], &[&signature], Timestamp::now()).unwrap();
    let key = Secret::parse(SECRET).unwrap();
    assert!(message.is_signed_by(std::slice::from_ref(&key), BODY.as_bytes()), "{}", block.place);
    assert!(!message.is_signed_by(&[key], b"another body"));
}

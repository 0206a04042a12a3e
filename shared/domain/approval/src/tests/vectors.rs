//! The published vectors of digest v2: what the code gives, and what somebody gets who has only the formulas.

mod formulas;

use std::path::PathBuf;

use countersign_canonical::canonical;
use countersign_effect::{Effect, Mail, effect_leaf, row_leaf, tree};
use countersign_run::StepWarnings;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::make::{after, attempt, caller, opening, start, unknown_call, user};
use crate::{
    Assurance, Choice, Column, Covered, Decided, Digest, Door, Format, Kind, Layout, OnReject,
    Opening, OutcomeAnswer, Preview, Request, RunContext, StepEffects, Strike, Struck, Subject,
    UnknownCall, Verdict, decide, part_salt, strike,
};

/// Set to write the file instead of comparing it.
const WRITE: &str = "COUNTERSIGN_WRITE_VECTORS";

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs/digest-vectors.json")
}

/// A payment with its credential where each auth type puts it.
fn payment(auth: &str) -> Value {
    let secret = |part: &str, form: &str| json!({ "secret": part, "as": form });
    let mut headers = vec![json!(["accept", "application/json"])];
    let mut query = vec![json!(["note", "Zürich {amount}"])];
    match auth {
        "api_key_query" => query.push(json!(["key", secret("api_key", "plain")])),
        "api_key_header" => headers.push(json!(["apikey", secret("api_key", "plain")])),
        "bearer_token" => headers.push(json!(["authorization", secret("token", "bearer")])),
        "token_scheme" => {
            let slot = json!({ "secret": "token", "as": "scheme", "scheme": "Token" });
            headers.push(json!(["authorization", slot]));
        }
        "basic" => headers.push(json!(["authorization", secret("username:password", "basic")])),
        "oauth2_client_credentials" | "oauth2_refresh_token" => {
            headers.push(json!(["authorization", secret("access_token", "bearer")]));
        }
        _ => {}
    }
    headers.push(json!(["idempotency-key", "9f86d081884c7d659a2feaa0c55ad015"]));
    headers.push(json!(["user-agent", "Countersign"]));
    let mut credential = json!({ "id": "cred_00000000000000000000000000000001", "auth": auth });
    if auth.starts_with("oauth2_") {
        credential["token_url"] = "https://id.bank.example/token".into();
        credential["scope"] = "payments".into();
        credential["client_auth"] = "header".into();
    }
    let body = r#"{"amount":"1000000.00","order":9007199254740993,"secret":{"secret":"token"}}"#;
    json!({
        "family": "http", "v": 1, "method": "POST", "url": "https://api.bank.example/v1/payments",
        "query": query, "headers": headers,
        "body": { "media": "application/json", "text": body },
        "credential": if auth == "none" { Value::Null } else { credential },
        "via": { "connector": "bank", "endpoint": "pay" },
    })
}

fn effects() -> Vec<(String, Value)> {
    let auths = [
        "none",
        "api_key_query",
        "api_key_header",
        "bearer_token",
        "token_scheme",
        "basic",
        "oauth2_client_credentials",
    ];
    let mut all: Vec<_> =
        auths.iter().map(|auth| (format!("JSON, {auth}"), payment(auth))).collect();
    let mut graphql = payment("bearer_token");
    graphql["shape"] = "graphql".into();
    graphql["body"]["text"] =
        r#"{"query":"mutation($a: Int!) { pay(a: $a) { id } }","variables":{"a":7}}"#.into();
    all.push(("GraphQL".to_owned(), graphql));
    let mut form = payment("basic");
    form["body"] = json!({ "media": "application/x-www-form-urlencoded", "text": "a=1&to=M%C3%BCller+%26+Co" });
    all.push(("form".to_owned(), form));
    let mut bare = payment("none");
    bare["method"] = "DELETE".into();
    bare["body"] = Value::Null;
    all.push(("no body".to_owned(), bare));
    let mut in_path = payment("path_token");
    in_path["url"] = "https://api.bank.example/bot{token}/v1/payments".into();
    in_path["path_secret"] = json!({ "secret": "token", "as": "plain" });
    all.push(("JSON, path_token".to_owned(), in_path));
    all.push(("a file that is changed".to_owned(), patch()));
    all.push(("JSON, oauth2_refresh_token".to_owned(), payment("oauth2_refresh_token")));
    let mut letter = payment("oauth2_refresh_token");
    letter["body"] = mail();
    all.push(("a mail".to_owned(), letter));
    all
}

/// A mail with what is said about it.
fn mail() -> Value {
    let parts = json!({ "to": "Maria <maria@example.org>", "subject": "Grüße", "text": "Dear Maria,\n\nfrom Zürich." });
    let mail = Mail::of(parts.as_object().unwrap()).unwrap();
    serde_json::to_value(mail.body(Some(&json!({ "threadId": "18c" })))).unwrap()
}

fn patch() -> Value {
    json!({
        "family": "file", "v": 1, "action": "patch", "document": "doc_00000000000000000000000000000001",
        "title": "Notes", "path": "research/notes.md", "before": { "bytes": 8, "sha256": "ab".repeat(32) },
        "edits": [{ "operation": "replace", "target": "Zürich", "content": "Genf" }],
        "after": { "bytes": 5, "sha256": "cd".repeat(32) }, "text": { "text": "Genf\n", "left_out": 0 },
        "key": "9f86d081884c7d659a2feaa0c55ad015",
    })
}

fn effect_text(value: &Value) -> String {
    serde_json::from_value::<Effect>(value.clone()).unwrap().text().unwrap()
}

fn effect_vectors() -> Vec<Value> {
    let one = |(name, value): (String, Value)| {
        let text = effect_text(&value);
        json!({ "name": name, "text": text, "leaf": effect_leaf(&text) })
    };
    effects().into_iter().map(one).collect()
}

fn rows() -> Vec<Value> {
    vec![
        json!({ "payee": "Müller", "amount": "10.00", "ids": [9_007_199_254_740_993_i64, u64::MAX, i64::MIN] }),
        json!({ "z": 1, "é": "東京 🏦", "e\u{301}": null, "\u{10000}": 1, "\u{ffff}": 2 }),
        json!("line\nbreak \u{1} \"quoted\" \\ /"),
        json!({}),
        json!([]),
        Value::Null,
    ]
}

fn row_vectors() -> Vec<Value> {
    let one = |row: &Value| json!({ "row": row.to_string(), "text": canonical(row).unwrap(), "leaf": row_leaf(row).unwrap() });
    rows().iter().map(one).collect()
}

/// Leaf `i` is the SHA-256 of `i` in decimal digits.
fn leaves(count: usize) -> Vec<Digest> {
    (0..count).map(|n| Digest::from_bytes(Sha256::digest(n.to_string()).into())).collect()
}

fn tree_vectors() -> Vec<Value> {
    let one = |count: usize| json!({ "leaves": count, "root": tree::root(&leaves(count)) });
    [0, 1, 2, 3, 7, 10_000].into_iter().map(one).collect()
}

/// What is left of seven and of two effects after some were struck.
fn strike_vectors() -> Vec<Value> {
    let one = |(count, struck): (usize, &[usize])| {
        let all = leaves(count);
        let kept = (0..count).filter(|n| !struck.contains(n)).map(|n| all[n]);
        json!({ "leaves": count, "struck": struck, "root": tree::root(&kept.collect::<Vec<_>>()) })
    };
    [(7, &[3, 5][..]), (7, &[0][..]), (40, &[3, 17][..]), (2, &[0, 1][..])]
        .into_iter()
        .map(one)
        .collect()
}

fn steps() -> Vec<StepEffects> {
    let texts: Vec<String> = effects().iter().map(|(_, value)| effect_text(value)).collect();
    let step = |step: &str, texts: &[String]| StepEffects {
        step: step.to_owned(),
        action: "call_connector".to_owned(),
        texts: texts.to_vec(),
    };
    vec![step("pay", &texts[..3]), step("tell", &texts[7..8])]
}

fn openings() -> Vec<(&'static str, Opening)> {
    let of = |subject: Subject| Opening { subject, irreversible: true, ..opening(2) };
    let gate = Opening {
        prompt: "Pay the usual 10 EUR?\nZürich – 東京".to_owned(),
        preview: Preview::of(&json!(rows()), 2).unwrap(),
        layout: Layout {
            columns: vec![Column {
                label: Some("Amount".to_owned()),
                format: Format::Money,
                currency: Some("EUR".to_owned()),
                ..Column::of("amount")
            }],
        },
        context: RunContext::Scheduled,
        on_reject: OnReject::Skip,
        ..of(Subject {
            plan_seal: "seal".to_owned(),
            effects: steps(),
            later: vec!["report".to_owned()],
            ..Subject::of(Kind::Step)
        })
    };
    let own = of(Subject { effects: steps()[..1].to_vec(), ..Subject::of(Kind::Tool) });
    let call = |n: u32| UnknownCall {
        leaf: effect_leaf(&steps()[0].texts[n as usize]),
        key_hours: (n == 0).then_some(24),
        ..unknown_call(n)
    };
    let outcome = of(Subject {
        effects: steps()[..1].to_vec(),
        outcome: (0..3).map(call).collect(),
        ..Subject::of(Kind::Outcome)
    });
    vec![("a gate", gate), ("a step's own request", own), ("an unknown outcome", outcome)]
}

/// The gate with two of its three payments struck out.
fn struck_gate() -> (Vec<StepEffects>, Request) {
    let opening = openings().remove(0).1;
    let effects = opening.subject.effects.clone();
    let request = Request::open(opening, start()).unwrap();
    let wish = Strike {
        digest: Some(request.digest.to_string()),
        version: None,
        step: "pay".to_owned(),
        indices: vec![0, 2],
        door: Door::Rest,
        assurance: Assurance::SignedIn,
    };
    match strike(&request, &effects, &wish, &caller(&user(1)), after(1)).unwrap() {
        Struck::Changed(moved) => (effects, moved.request),
        Struck::Unchanged => panic!("nothing was struck"),
    }
}

/// The gate behind two steps that could not read everything.
fn warned_gate() -> (Vec<StepEffects>, Request) {
    let of = |step: &str, first: &[&str], asks: bool| StepWarnings {
        step: step.to_owned(),
        count: 3,
        first: first.iter().map(|text| (*text).to_owned()).collect(),
        hash: hex::encode(Sha256::digest(step)),
        asks,
    };
    let mut opening = openings().remove(0).1;
    let sentence = "märz.csv, `amount`: row 14: `4.200,00 €` is not of type number";
    opening.subject.warnings = vec![of("read", &[sentence], true), of("rates", &[], false)];
    (opening.subject.effects.clone(), Request::open(opening, start()).unwrap())
}

fn subject_vectors() -> Vec<Value> {
    let one = |name: &str, effects: &[StepEffects], request: &Request| {
        let texts: Vec<Value> = effects.iter().map(|step| json!(step.texts)).collect();
        json!({
            "name": name, "kind": request.kind, "effects": texts, "layout": request.layout,
            "subject": request.subject().unwrap(), "digest": request.digest,
        })
    };
    let mut all: Vec<Value> = openings()
        .into_iter()
        .map(|(name, opening)| {
            let effects = opening.subject.effects.clone();
            one(name, &effects, &Request::open(opening, start()).unwrap())
        })
        .collect();
    let (effects, request) = struck_gate();
    all.push(one("a gate with strikes", &effects, &request));
    let (effects, request) = warned_gate();
    all.push(one("a gate with warnings", &effects, &request));
    all
}

/// The parts of a receipt of the gate, each with the bytes it hides.
fn receipt_vectors() -> Vec<Value> {
    let request = Request::open(openings().remove(0).1, start()).unwrap();
    let mut approve = attempt(&request, Verdict::Approve);
    approve.note = Some("wie üblich".to_owned());
    let decided = decide(&request, &[], &approve, &caller(&user(1)), after(1)).unwrap();
    let Decided::Recorded(done) = decided else { panic!("repeated") };
    let bytes = |value: Value| canonical(&value).unwrap().into_bytes();
    let covers: &Vec<Covered> = &done.request.covers;
    let parts = [
        ("step", b"gate".to_vec(), done.receipt.step),
        ("subject", done.request.digest.as_bytes().to_vec(), done.receipt.subject),
        ("preview", bytes(done.request.preview.summary()), done.receipt.preview.unwrap()),
        ("effects", bytes(json!(covers)), done.receipt.effects.unwrap()),
        ("policy", bytes(json!(done.request.policy)), done.receipt.policy),
        ("note", "wie üblich".as_bytes().to_vec(), done.receipt.note.unwrap()),
    ];
    let (answers, digest) = answered();
    let parts = parts.into_iter().chain([("answers", bytes(json!(answers)), digest)]);
    let salt = done.request.salt;
    let one = |(part, bytes, digest): (&str, Vec<u8>, Digest)| {
        json!({
            "part": part, "salt": salt, "part_salt": part_salt(&salt, part),
            "bytes": hex::encode(bytes), "digest": digest,
        })
    };
    parts.into_iter().map(one).collect()
}

/// The answers to the question about an unknown outcome, and their part of the receipt.
fn answered() -> (Vec<OutcomeAnswer>, Digest) {
    let request = Request::open(openings().remove(2).1, start()).unwrap();
    let mut answer = attempt(&request, Verdict::Approve);
    answer.answers = vec![
        OutcomeAnswer::new(0, Choice::Done, Some("Kontoauszug 47, „gebucht“")),
        OutcomeAnswer::new(1, Choice::NotDone, None),
        OutcomeAnswer::new(2, Choice::Again, None),
    ];
    let decided = decide(&request, &[], &answer, &caller(&user(1)), after(1)).unwrap();
    let Decided::Recorded(done) = decided else { panic!("repeated") };
    assert_eq!(done.request.salt, Request::open(openings().remove(0).1, start()).unwrap().salt);
    (done.vote.answers, done.receipt.answers.unwrap())
}

fn vectors() -> Value {
    json!({
        "format": "countersign/v2",
        "rules": {
            "canonical": "RFC 8785, except that whole numbers of 64 bits keep all digits",
            "leaf": "SHA-256(0x00 + \"countersign/v2/\" + type + 0x00 + text); type is effect or row",
            "node": "SHA-256(0x01 + left + right); trees as in RFC 9162, section 2.1; no leaves: SHA-256 of nothing",
            "struck": "effects of a subject that are struck are left out of their step's tree; they are numbered from 0",
            "trees": "leaf i is SHA-256(i in decimal digits), i from 0; struck leaves are left out",
            "layout": "SHA-256(\"countersign/v2/layout\" + 0x00 + canonical(layout))",
            "digest": "SHA-256(\"countersign/v2/\" + kind + 0x00 + subject)",
            "part_salt": "SHA-256(\"countersign/v2/salt/\" + part + 0x00 + salt)",
            "receipt": "SHA-256(\"countersign/v2/salted/\" + part + 0x00 + part_salt + bytes); digests enter as 32 raw bytes",
        },
        "effects": effect_vectors(),
        "rows": row_vectors(),
        "trees": tree_vectors(),
        "strikes": strike_vectors(),
        "subjects": subject_vectors(),
        "receipts": receipt_vectors(),
    })
}

#[test]
fn the_published_vectors_are_what_the_code_gives() {
    let own = format!("{}\n", serde_json::to_string_pretty(&vectors()).unwrap());
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(file(), &own).unwrap();
    }
    let published = std::fs::read_to_string(file()).unwrap();
    assert!(published == own, "docs/digest-vectors.json is not what the code gives: set {WRITE}=1");
}

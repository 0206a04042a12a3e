//! Killed while it pays: what is written down afterwards is that nobody knows, who allowed it, and where to look.

mod answers;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::case::{Person, Refusal, person, refusal, step, until};
use crate::effects::{connector, playbook};
use crate::provider_server;
use crate::saboteur::kill_at;
use crate::world::world;

/// A ledger of somebody else's, whose first callers die once it has their request.
struct Bank {
    port: u16,
    posts: Arc<Mutex<Vec<String>>>,
}

impl Bank {
    async fn open(deaths: usize) -> Self {
        let listener = provider_server::listener();
        let port = listener.local_addr().unwrap().port();
        let posts: Arc<Mutex<Vec<String>>> = Arc::default();
        let (seen, deaths) = (Arc::clone(&posts), AtomicUsize::new(deaths));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = vec![0; 64 * 1024];
                let read = stream.read(&mut request).await.unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..read]).into_owned();
                if !request.starts_with("POST") {
                    continue;
                }
                seen.lock().unwrap().push(request);
                let kills = |left: usize| left.checked_sub(1);
                if deaths.fetch_update(Ordering::SeqCst, Ordering::SeqCst, kills).is_ok() {
                    kill_at(&stream).expect("the function that sends is killed");
                    continue;
                }
                let body = r#"{"id":"pay_1","state":"booked"}"#;
                let head = format!(
                    "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        Self { port, posts }
    }

    fn posts(&self) -> Vec<String> {
        self.posts.lock().unwrap().clone()
    }
}

struct Scene {
    bank: Bank,
    ana: Person,
    maria: Person,
    agent: String,
    run: String,
}

impl Scene {
    /// An approved payment whose function was killed while it paid, up to the question what happened.
    async fn killed(id: &str) -> (Self, Value) {
        let (scene, question, _) = Self::killed_with(id, 1, 1).await;
        (scene, question)
    }

    /// The same for a gate that takes so many signatures, and so many deaths; the other signer is the third.
    async fn killed_with(id: &str, quorum: u8, deaths: usize) -> (Self, Value, Person) {
        let bank = Bank::open(deaths).await;
        let maria = person("maria", &["global:analyst", "decide"]).await;
        let tom = person("tom", &["global:analyst", "decide"]).await;
        let ana = person("ana", &["global:analyst"]).await;
        let signers: Vec<&Person> = [&maria, &tom].into_iter().take(usize::from(quorum)).collect();
        let agent = ana.agent(&signers).await;
        let definition = connector(bank.port)
            .replace("  auth: {type: none}", "  auth: {type: none}\n  idempotency: {hours: 24}");
        ana.post("/connectors", &json!({ "yaml": definition })).await;
        ana.bind(&agent, "test-ledger").await;
        let gate = format!(
            "  - {{name: ask, step_type: approval, prompt: \"Pay {{amount}}?\", quorum: {quorum}}}"
        );
        let plan = playbook(id, &gate)
            .replace("    endpoint: book\n", "    endpoint: book\n    timeout_seconds: 3\n");
        ana.playbook(&plan).await;
        let run = ana.start(&agent, id, json!({ "amount": "7.00" })).await;
        let scene = Self { bank, ana, maria, agent, run };
        let gate = scene.open("").await;
        scene.decide(&gate, "approve").await;
        if quorum > 1 {
            decide(&tom, &gate, "approve", &json!({})).await;
        }
        until("the payment is sent", || async { scene.bank.posts().first().cloned() }).await;
        let during = scene.ana.run(&scene.run).await;
        assert_eq!(step(&during, "pay")["status"], "sending", "{during:#}");
        let question = scene.open(gate["approval"].as_str().unwrap()).await;
        assert_eq!(question["kind"], "outcome", "{question:#}");
        (scene, question, tom)
    }

    /// The open request of the run, other than this one.
    async fn open(&self, other: &str) -> Value {
        until("a request", || async {
            let page = self.maria.get("/approvals?status=pending").await;
            let mut items = page["items"].as_array().unwrap().iter();
            items.find(|item| item["run"] == self.run && item["approval"] != other).cloned()
        })
        .await
    }

    async fn decide(&self, request: &Value, word: &str) {
        decide(&self.maria, request, word, &json!({})).await;
    }

    async fn answer(&self, question: &Value, answers: Value) -> Value {
        decide(&self.maria, question, "approve", &json!({ "answers": answers })).await
    }

    /// An answer that is refused for what is at this place.
    async fn refuses(&self, question: &Value, body: &Value, place: &str) {
        let path = address(question);
        let seen = self.maria.get(&path).await;
        let body = merged(&json!({ "digest": seen["digest"], "version": seen["version"] }), body);
        let path = format!("{}{path}/approve", crate::case::FACTORY);
        let said = self.maria.door.post(&path, &body).await;
        let Refusal { status, places, said, .. } = refusal(said);
        assert_eq!((status, places), (422, vec![place.to_owned()]), "{body}: {said}");
    }

    async fn over(&self) -> Value {
        until("the run is over", || async {
            let now = self.ana.run(&self.run).await;
            let state = now["state"].as_str().unwrap_or_default();
            (!["running", "awaiting_approval"].contains(&state)).then_some(now)
        })
        .await
    }

    /// Run, journal, mail and notification say that nobody knows, and the same.
    async fn is_told_as_unknown(&self, done: &Value) {
        assert_ne!(done["state"], "complete", "{done:#}");
        let pay = step(done, "pay");
        assert_eq!((&pay["status"], &pay["code"]), (&json!("unknown"), &json!("EFFECT_UNKNOWN")));
        let said = pay["message"].as_str().unwrap();
        let key = key(&self.bank.posts()[0]);
        let start = format!(
            "`pay` to 127.0.0.1:{}: approved by {} (rcpt_",
            self.bank.port, self.maria.username
        );
        assert!(said.starts_with(&start), "{said}");
        assert!(said.ends_with(&format!("outcome unknown. Look there for key {key}.")), "{said}");
        let journal = self.ana.get(&format!("/profiles/{}/journal", self.agent)).await;
        let summary = journal["items"][0]["summary"].as_str().unwrap();
        assert!(summary.contains(said), "the journal tells another story: {summary}");
        for lie in ["not decided", "timed out", "STEP_LOST", "not run"] {
            assert!(!summary.contains(lie), "`{lie}`: {summary}");
        }
        let mail = until("the mail", || async {
            let mails = world().mailbox().to(&self.ana.email).await.unwrap();
            mails.into_iter().find(|mail| mail.text.contains(&self.run))
        })
        .await;
        assert_eq!(mail.subject, "Test agent: outcome unknown");
        assert!(mail.text.contains("look there"), "{}", mail.text);
    }
}

/// The value of the key's header.
fn key(request: &str) -> String {
    let line = request.lines().find(|line| line.to_ascii_lowercase().contains("idempotency-key:"));
    line.unwrap().split_once(':').unwrap().1.trim().to_owned()
}

fn address(request: &Value) -> String {
    format!("/approvals/{}", request["approval"].as_str().unwrap())
}

/// One object with the members of both.
fn merged(one: &Value, other: &Value) -> Value {
    let members = [one, other].into_iter().flat_map(|object| object.as_object().unwrap().clone());
    Value::Object(members.collect())
}

async fn decide(person: &Person, request: &Value, word: &str, more: &Value) -> Value {
    let path = address(request);
    let seen = person.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    person.post(&format!("{path}/{word}"), &merged(&decision, more)).await
}

#[tokio::test]
async fn killed_while_paying_and_refused_again_stays_unknown() {
    let (scene, question) = Scene::killed("pay-unknown").await;
    scene.decide(&question, "reject").await;
    let done = scene.over().await;
    scene.is_told_as_unknown(&done).await;
    assert_eq!(scene.bank.posts().len(), 1, "it was sent again without a yes");
    let events = scene.ana.get(&format!("/executions/{}/events", scene.run)).await;
    let sending = events.as_array().unwrap().iter().filter(|event| event["kind"] == "sending");
    assert_eq!(sending.count(), 1, "{events:#}");
}

#[tokio::test]
async fn killed_while_paying_and_cancelled_stays_unknown() {
    let (scene, _) = Scene::killed("pay-cancelled").await;
    scene.ana.post(&format!("/executions/{}/cancel", scene.run), &json!({})).await;
    let done = scene.over().await;
    assert_eq!(done["state"], "cancelled");
    scene.is_told_as_unknown(&done).await;
    assert_eq!(scene.bank.posts().len(), 1);
}

#[tokio::test]
async fn k_49_killed_while_paying_and_sent_again_sends_the_same_with_the_same_key() {
    let (scene, question) = Scene::killed("pay-again").await;
    scene.answer(&question, json!([{ "choice": "again" }])).await;
    let done = scene.over().await;
    assert_eq!(
        (&done["state"], &step(&done, "pay")["status"]),
        (&json!("complete"), &json!("done"))
    );
    let posts = scene.bank.posts();
    let [first, second] = posts.as_slice() else { panic!("{} posts", posts.len()) };
    assert_eq!(key(first), key(second));
    let body = |request: &str| request.split_once("\r\n\r\n").unwrap().1.to_owned();
    assert_eq!(body(first), body(second));
}

#[tokio::test]
async fn k_49_a_payment_that_was_seen_at_the_bank_is_done_and_says_who_saw_it() {
    let (scene, question) = Scene::killed("pay-seen").await;
    let seen = scene.maria.get(&address(&question)).await;
    let call = &seen["outcome"][0];
    let sent = &scene.bank.posts()[0];
    assert_eq!(
        (&call["n"], &call["call"], &call["key"]),
        (&json!(1), &json!(1), &json!(key(sent)))
    );
    assert_eq!(call["sends"]["target"]["method"], "POST", "{seen:#}");
    let whole = scene.maria.get(call["effect"].as_str().unwrap()).await;
    assert_eq!((&whole["sends"], &whole["leaf"]), (&call["sends"], &call["leaf"]));
    assert!(
        seen["prompt"]
            .as_str()
            .unwrap()
            .contains(&format!("approved by {} (rcpt_", scene.maria.username))
    );
    assert_eq!(call["again_warning"], Value::Null, "the bank remembers for 24 hours");
    let refused = [
        (json!({}), "answers"),
        (json!({ "answers": [{ "choice": "done", "evidence": "  " }] }), "answers[0].evidence"),
        (json!({ "answers": [{ "choice": "maybe" }] }), "answers[0].choice"),
        (json!({ "answers": [{ "evidence": "seen" }] }), "answers[0].choice"),
        (
            json!({ "answers": [{ "choice": "again" }, { "n": 2, "choice": "again" }] }),
            "answers[1].n",
        ),
        (json!({ "answers": [{ "n": 0, "choice": "again" }] }), "answers[0].n"),
    ];
    for (body, place) in refused {
        scene.refuses(&question, &body, place).await;
    }
    let said =
        scene.answer(&question, json!([{ "choice": "done", "evidence": "statement 47" }])).await;
    let done = scene.over().await;
    let pay = step(&done, "pay");
    assert_eq!((&done["state"], &pay["status"]), (&json!("complete"), &json!("done")), "{done:#}");
    assert_eq!(scene.bank.posts().len(), 1, "it was sent again");
    let message = pay["message"].as_str().unwrap();
    let receipt = said["receipt"].as_str().unwrap();
    let told = format!(
        "{} said that it was done, with the evidence “statement 47” ({receipt})",
        scene.maria.username
    );
    assert!(message.contains(&told), "{message}");
    let journal = scene.ana.get(&format!("/profiles/{}/journal", scene.agent)).await;
    let summary = journal["items"][0]["summary"].as_str().unwrap();
    assert!(summary.contains("with the evidence “statement 47”"), "{summary}");
}

#[tokio::test]
async fn k_49_a_payment_that_did_not_happen_fails_and_says_so() {
    let (scene, question) = Scene::killed("pay-not-done").await;
    scene.answer(&question, json!([{ "n": 1, "choice": "not_done" }])).await;
    let done = scene.over().await;
    let pay = step(&done, "pay");
    assert_eq!(
        (&pay["status"], &pay["code"]),
        (&json!("failed"), &json!("EFFECT_NOT_DONE")),
        "{done:#}"
    );
    assert_eq!(done["state"], "error");
    assert_eq!(scene.bank.posts().len(), 1);
    let told = format!("{} said that it was not done", scene.maria.username);
    assert!(pay["message"].as_str().unwrap().contains(&told), "{pay:#}");

    // The same payment is asked for again, and whoever signs it is told of the first.
    let again = format!("/executions/{}/repeat", scene.run);
    let again = scene.ana.post(&again, &json!({})).await["id"].as_str().unwrap().to_owned();
    let request = scene.maria.request(&again).await;
    let remarks = scene.maria.get(&address(&request)).await["remarks"].to_string();
    let key = key(&scene.bank.posts()[0]);
    for part in ["was not done", &key, &scene.run, "sends it again, with the same key"] {
        assert!(remarks.contains(part), "`{part}` is not in {remarks}");
    }
}

//! Rights that are taken away between two signatures, and approvers who never had them.

use countersign_cli::CliError;
use countersign_cli::door::Door;
use countersign_cli::token::login;
use countersign_identity::Scopes;
use serde_json::{Value, json};

use crate::case::{FACTORY, Person, admin, grant, person, refusal, revoke, until};
use crate::effects::{Elsewhere, payer, playbook};
use crate::schedules::invoke;
use crate::world::world;

const BOTH: &str = "  - {name: ask, step_type: approval, prompt: \"Pay {amount}?\", quorum: 2}";

/// A payment that ann and bob have to sign.
struct Scene {
    elsewhere: Elsewhere,
    ana: Person,
    ann: Person,
    bob: Person,
    run: String,
    path: String,
}

impl Scene {
    async fn open(id: &str) -> Self {
        let elsewhere = Elsewhere::open().await;
        let ann = person("ann", &["global:analyst", "decide"]).await;
        let bob = person("bob", &["global:analyst", "decide"]).await;
        let (ana, _) = payer(&elsewhere, &ann).await;
        let agent = ana.agent(&[&ann, &bob]).await;
        ana.bind(&agent, "test-ledger").await;
        ana.playbook(&playbook(id, BOTH)).await;
        let run = ana.start(&agent, id, json!({ "amount": "12.50" })).await;
        let request = ann.request(&run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        Self { elsewhere, ana, ann, bob, run, path }
    }

    async fn approve(&self, person: &Person) -> Value {
        let seen = person.get(&self.path).await;
        let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        person.post(&format!("{}/approve", self.path), &decision).await
    }

    /// Nothing was sent, and the request says who counts for nothing, and why.
    async fn waits_without_ann(&self, why: &str, waits_for: &[&str]) {
        let seen = self.bob.get(&self.path).await;
        assert_eq!((&seen["status"], &seen["given"]), (&json!("pending"), &json!(1)), "{seen:#}");
        assert_eq!(seen["waits_for"], json!(waits_for));
        let votes = seen["votes"].as_array().unwrap();
        let of = |person: &Person| {
            votes.iter().find(|vote| vote["username"] == person.username).unwrap().clone()
        };
        assert_eq!(of(&self.ann)["not_counted"], why, "{seen:#}");
        assert_eq!(of(&self.bob)["not_counted"], Value::Null, "{seen:#}");
        assert_eq!(self.ana.run(&self.run).await["state"], "awaiting_approval");
        assert_eq!(self.elsewhere.posts(), 0, "it was paid with one valid signature");
    }

    async fn is_paid_and_tells_of_three(&self) {
        let done = self.ana.reaches(&self.run, "complete").await;
        assert_eq!(self.elsewhere.posts(), 1);
        let decisions = done["approvals"][0]["decisions"].as_array().unwrap();
        let lost: Vec<bool> =
            decisions.iter().map(|decision| decision["not_counted"].is_string()).collect();
        assert_eq!(lost, [true, false, false], "{done:#}");
    }
}

#[tokio::test]
async fn r_003_an_approval_does_not_count_once_its_person_may_not_decide() {
    let scene = Scene::open("pay-withdrawn").await;
    assert_eq!(scene.approve(&scene.ann).await["approvals"], 1);
    revoke(&scene.ann, "decide").await;
    let seen = scene.bob.get(&scene.path).await;
    assert_eq!(seen["given"], 0, "it is counted as it would be decided: {seen:#}");
    let answer = scene.approve(&scene.bob).await;
    assert_eq!(
        (&answer["status"], &answer["approvals"], &answer["quorum"], &answer["not_counted"]),
        (&json!("pending"), &json!(1), &json!(2), &json!(1)),
        "{answer:#}"
    );
    scene.waits_without_ann("capability_missing", &[]).await;

    // With her rights she is asked again: what was found not to count stays so.
    grant(&scene.ann, "decide").await;
    scene.waits_without_ann("capability_missing", &[&scene.ann.username]).await;
    let answer = scene.approve(&scene.ann).await;
    assert_eq!((&answer["status"], &answer["repeated"]), (&json!("approved"), &json!(false)));
    scene.is_paid_and_tells_of_three().await;
}

#[tokio::test]
async fn r_003_an_approval_over_a_link_does_not_count_once_its_person_may_not_decide() {
    let scene = Scene::open("pay-withdrawn-link").await;
    let (anns, bobs) = (scene.ann.link().await, scene.bob.link().await);
    let (ann, bob) = (scene.ann.approver(), scene.bob.approver());
    let page = ann.open(&anns).await.unwrap();
    let signed = ann.decide(&anns, &page, "approve", "").await.unwrap();
    assert!(signed.html.contains("One more signature is needed"), "{}", signed.html);
    revoke(&scene.ann, "decide").await;

    let page = bob.open(&bobs).await.unwrap();
    let lost = "The approval of ann does not count any more";
    assert!(page.html.contains("0 of 2 given") && page.html.contains(lost), "{}", page.html);
    let signed = bob.decide(&bobs, &page, "approve", "").await.unwrap();
    for shown in ["One more signature is needed", "Not counted", "the earlier approval of 1 person"]
    {
        assert!(signed.status == 200 && signed.html.contains(shown), "{}", signed.html);
    }
    scene.waits_without_ann("capability_missing", &[]).await;
    let receipt = bob.open(&bobs).await.unwrap();
    assert!(receipt.html.contains("Not counted"), "{}", receipt.html);

    let page = ann.open(&anns).await.unwrap();
    assert!(page.html.contains("Your own approval does not count any more"), "{}", page.html);
    assert!(ann.decide(&anns, &page, "approve", "").await.is_err(), "the page offers no form");
    grant(&scene.ann, "decide").await;
    let page = ann.open(&anns).await.unwrap();
    let signed = ann.decide(&anns, &page, "approve", "").await.unwrap();
    assert!(signed.html.contains("the run goes on"), "{}", signed.html);
    scene.is_paid_and_tells_of_three().await;
    let story = bob.open(&bobs).await.unwrap();
    assert!(story.html.contains("not counted: "), "{}", story.html);
}

#[tokio::test]
async fn r_003_an_approval_of_a_revoked_token_does_not_count_and_a_new_session_gives_it_again() {
    let scene = Scene::open("pay-revoked").await;
    scene.approve(&scene.ann).await;
    let revoke = format!("/api/admin/users/{}/revoke-tokens", scene.ann.id);
    admin(world()).post(&revoke, &json!({})).await.unwrap();
    assert_eq!(scene.approve(&scene.bob).await["status"], "pending");
    scene.waits_without_ann("token_revoked", &[&scene.ann.username]).await;
    // A token of the second in which all were revoked is void as well.
    let answer = until("a new session decides", || async {
        let scopes = Scopes::parse(["global:analyst"]);
        let token = login(&world().stack, &scene.ann.id, scopes).unwrap();
        let door = Door::with(&world().stack.url(), token).unwrap();
        let path = format!("{FACTORY}{}", scene.path);
        let seen = door.get(&path).await.ok()?;
        let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        door.post(&format!("{path}/approve"), &decision).await.ok()
    });
    assert_eq!(answer.await["status"], "approved");
    scene.is_paid_and_tells_of_three().await;
}

/// The mails to somebody whose subject begins so.
async fn mailed(person: &Person, subject: &str) -> usize {
    let mails = world().mailbox().to(&person.email).await.unwrap();
    mails.iter().filter(|mail| mail.subject.starts_with(subject)).count()
}

#[tokio::test]
async fn k_12_whoever_may_not_decide_is_not_reminded_and_the_owner_is_told_that_too_few_may() {
    const TOO_FEW: &str = "A run of yours waits for signatures that too few people can give";
    let scene = Scene::open("pay-reminded").await;
    let approval = scene.path.rsplit('/').next().unwrap();
    let remind = async |n: u32| {
        let event = json!({ "approval": approval, "action": "remind", "n": n });
        invoke("gate-deadline", &event).await;
    };
    revoke(&scene.ann, "decide").await;
    remind(0).await;
    until("bob is reminded", || async {
        (mailed(&scene.bob, "Reminder").await == 1).then_some(())
    })
    .await;
    until("ana is told", || async { (mailed(&scene.ana, TOO_FEW).await == 1).then_some(()) }).await;
    assert_eq!(mailed(&scene.ann, "Reminder").await, 0);
    // Once she can decide again she is reminded as well; and the owner is told once.
    remind(1).await;
    grant(&scene.ann, "decide").await;
    remind(2).await;
    until("ann is reminded", || async {
        (mailed(&scene.ann, "Reminder").await == 1).then_some(())
    })
    .await;
    until("bob is reminded", || async {
        (mailed(&scene.bob, "Reminder").await == 3).then_some(())
    })
    .await;
    assert_eq!(mailed(&scene.ana, TOO_FEW).await, 1);
}

#[tokio::test]
async fn k_25_whoever_may_not_make_a_call_does_not_sign_it() {
    let elsewhere = Elsewhere::open().await;
    let rita = person("rita", &["global:reader", "decide"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let (ana, agent) = payer(&elsewhere, &rita).await;
    let gate = "  - {name: ask, step_type: approval, prompt: \"Pay {amount}?\"}";
    let later = format!(
        "{gate}\n  - {{name: text, step_type: tool, action: transform_data, inputs: {{data: [{{amount: \"{{amount}}\"}}]}}, params: {{operations: []}}}}"
    );
    let at_once = playbook("pay-by-reader", gate);
    // What is paid is known only behind the gate: the step asks for itself.
    let known_later = playbook("pay-by-reader-later", &later)
        .replace("\"{amount}\"}\n", "\"{text.data[0].amount}\"}\n");
    let alone = playbook("pay-by-reader-alone", "");
    for (id, text) in [
        ("pay-by-reader", &at_once),
        ("pay-by-reader-later", &known_later),
        ("pay-by-reader-alone", &alone),
    ] {
        ana.playbook(text).await;
        let body = json!({ "profile": agent, "playbook": id, "inputs": { "amount": "5.00" } });
        let said = refusal(ana.door.post(&format!("{FACTORY}/executions"), &body).await);
        assert_eq!(
            (said.status, said.code.as_str()),
            (422, "APPROVAL_UNREACHABLE"),
            "{}",
            said.said
        );
        let why = format!("`{}` does not hold the role `analyst`", rita.username);
        assert!(said.said.contains(&why), "{id}: {}", said.said);
    }

    // Beside enough others she is warned of, and nobody asks her.
    let agent = ana.agent(&[&rita, &maria]).await;
    ana.bind(&agent, "test-ledger").await;
    let body =
        json!({ "profile": agent, "playbook": "pay-by-reader", "inputs": { "amount": "5.00" } });
    let started = ana.post("/executions", &body).await;
    let warnings = started["warnings"].to_string();
    assert!(warnings.contains(&rita.username) && warnings.contains("analyst"), "{warnings}");
    let request = maria.request(started["id"].as_str().unwrap()).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    assert_eq!(seen["requirement"]["required_role"], "analyst", "{seen:#}");
    assert_eq!(seen["waits_for"], json!([maria.username]), "{seen:#}");

    // Whoever is a reader by now does not sign either.
    grant(&maria, "macro:reader").await;
    revoke(&maria, "global:analyst").await;
    let scopes = Scopes::parse(["global:analyst", "macro:reader"]);
    let token = login(&world().stack, &maria.id, scopes).unwrap();
    let door = Door::with(&world().stack.url(), token).unwrap();
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    let refused = door.post(&format!("{FACTORY}{path}/approve"), &decision).await;
    assert!(matches!(refused, Err(CliError::Refused { status: 403, .. })), "{refused:?}");
    assert_eq!(elsewhere.posts(), 0, "a reader has paid");
}

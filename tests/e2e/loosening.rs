//! Nobody loosens who must sign: neither a request nor a forwarded link, nor rights that were taken away.

use countersign_cli::CliError;
use countersign_cli::approver::Page;
use countersign_cli::door::Door;
use countersign_cli::mailbox::Mail;
use countersign_cli::token::{login, operator};
use countersign_identity::Scopes;
use reqwest::Client;
use serde_json::{Value, json};

use crate::case::{FACTORY, Person, gated, person, revoke, rows, step, until};
use crate::effects::{Elsewhere, payer, playbook};
use crate::world::world;

/// What a start that must be refused says.
async fn refusal(ana: &Person, body: &Value) -> (u16, String, String) {
    match ana.door.post(&format!("{FACTORY}/executions"), body).await {
        Err(CliError::Refused { status, code, title, .. }) => {
            (status, code.unwrap_or_default(), title)
        }
        other => panic!("{body} was not refused: {other:?}"),
    }
}

async fn deactivate(person: &Person) {
    let url = format!("{}/api/admin/users/{}", world().stack.url(), person.id);
    let operator = operator(&world().stack).unwrap();
    let change = Client::builder().no_proxy().build().unwrap();
    let change = change.patch(url).bearer_auth(operator).json(&json!({ "active": false }));
    assert_eq!(change.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn k_11_a_request_cannot_make_its_requester_an_approver() {
    let ana = person("ana", &["global:analyst", "decide"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&ana, &maria]).await;
    ana.playbook(&format!("run_context: background{}", gated("gated-context", ""))).await;
    let start = |context: &str| json!({ "profile": agent, "playbook": "gated-context", "inputs": rows(), "run_context": context });
    for clock in ["scheduled", "monitor"] {
        let (status, code, title) = refusal(&ana, &start(clock)).await;
        assert_eq!((status, code.as_str()), (422, "INVALID_INPUT"));
        assert!(title.contains("`run_context`"), "{title}");
    }
    let started = ana.post("/executions", &start("interactive")).await;
    assert_eq!(started["run_context"], "background", "{started:#}");
    let warnings = started["warnings"].to_string();
    assert!(warnings.contains("run_context"), "what is raised is told: {warnings}");
    let run = started["id"].as_str().unwrap();
    let request = maria.request(run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    let (status, code) = ana.refused(&format!("{path}/approve"), Some(&decision)).await;
    assert_eq!((status, code.as_str()), (403, "REQUESTER_BARRED"));
    maria.post(&format!("{path}/approve"), &decision).await;
    ana.reaches(run, "complete").await;

    // Whoever waits for the end is told too.
    let mut start = start("interactive");
    start["approval_policy"] = json!("skip");
    let over = ana.post("/executions?wait=25", &start).await;
    assert_eq!(over["status"], "partial", "{over:#}");
    assert!(over["start_warnings"].to_string().contains("run_context"), "{over:#}");
}

#[tokio::test]
async fn k_25_an_irreversible_endpoint_asks_for_an_analyst_at_the_moment_of_acting() {
    let elsewhere = Elsewhere::open().await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let (ana, agent) = payer(&elsewhere, &maria).await;
    crate::case::admin(world())
        .post(&format!("/api/admin/users/{}/grants", ana.id), &json!({ "scope": "macro:reader" }))
        .await
        .unwrap();
    let scopes = Scopes::parse(["global:analyst", "macro:reader"]);
    let door = Door::with(&world().stack.url(), login(&world().stack, &ana.id, scopes).unwrap());
    let ana = Person { door: door.unwrap(), ..ana };
    ana.playbook(&playbook("pay-demoted", "")).await;
    let run = ana.start(&agent, "pay-demoted", json!({ "amount": "3.00" })).await;
    let request = maria.request(&run).await;
    revoke(&ana, "global:analyst").await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    let done = ana.reaches(&run, "error").await;
    assert_eq!(step(&done, "pay")["code"], "PERMISSION_DENIED", "{done:#}");
    assert_eq!(elsewhere.posts(), 0, "a reader has paid");
}

#[tokio::test]
async fn k_06_a_deactivated_approver_and_a_token_without_scopes_read_nothing() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let tom = person("tom", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria, &tom]).await;
    ana.playbook(&gated("gated-standing", "")).await;
    let run = ana.start(&agent, "gated-standing", rows()).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    // A token without scopes, of somebody who has some.
    let token = login(&world().stack, &maria.id, Scopes::default()).unwrap();
    let bare = Person { door: Door::with(&world().stack.url(), token).unwrap(), ..maria };
    for path in ["/approvals", "/approvals?role=owner", &path] {
        assert_eq!(bare.refused(path, None).await, (403, "PERMISSION_DENIED".to_owned()), "{path}");
    }
    // The link of somebody who was deactivated, and of somebody who has no role left.
    let (marias, toms) = (bare.link().await, tom.link().await);
    let page = bare.approver().open(&marias).await.unwrap();
    assert!(page.status == 200 && page.field("nonce").is_some());
    deactivate(&bare).await;
    revoke(&tom, "global:reader").await;
    for (person, link) in [(&bare, &marias), (&tom, &toms)] {
        for address in [link.clone(), format!("{link}/rows"), format!("{link}/rows?page=1")] {
            let shown = person.approver().open(&address).await.unwrap();
            assert_eq!((shown.status, shown.field("nonce")), (404, None));
            assert!(!shown.html.contains("Gated rows") && !shown.html.contains("appr_"));
        }
    }
    let answer = bare.approver().decide(&marias, &page, "approve", "").await.unwrap();
    assert_eq!(answer.status, 404);
    assert_eq!(ana.run(&run).await["state"], "awaiting_approval");
}

/// Sends the form of a page as a browser does, without waiting for a code.
async fn send(link: &str, page: &Page, fields: &[(&str, &str)]) -> Page {
    let nonce = page.field("nonce").unwrap();
    let form = [&[("nonce", nonce.as_str())], fields].concat();
    let client = Client::builder().no_proxy().build().unwrap();
    let answer = client.post(link).form(&form).send().await.unwrap();
    Page { status: answer.status().as_u16(), html: answer.text().await.unwrap() }
}

async fn codes(person: &Person) -> Vec<String> {
    let mails = world().mailbox().to(&person.email).await.unwrap();
    mails.iter().filter_map(Mail::code).collect()
}

#[tokio::test]
async fn a_code_is_bound_to_its_verdict_and_a_forwarded_link_cannot_use_them_up() {
    let elsewhere = Elsewhere::open().await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let (ana, agent) = payer(&elsewhere, &maria).await;
    ana.playbook(&playbook("pay-coded", "")).await;
    let run = ana.start(&agent, "pay-coded", json!({ "amount": "8.00" })).await;
    let link = maria.link().await;
    let page = maria.approver().open(&link).await.unwrap();
    // Somebody else holds the link as well, and asks more often than there ever were codes.
    for _ in 0..12 {
        let asked = send(&link, &page, &[("decision", "approve")]).await;
        assert_eq!((asked.status, asked.asks_for_code()), (200, true), "{}", asked.html);
    }
    let mailed = until("a mailed code", || async {
        Some(codes(&maria).await).filter(|codes| !codes.is_empty())
    });
    let code = mailed.await.remove(0);
    let crossed = send(&link, &page, &[("decision", "deny"), ("code", &code)]).await;
    assert_eq!(crossed.status, 403, "a code mailed to approve has denied");
    assert_eq!(ana.run(&run).await["state"], "awaiting_approval");
    let right = send(&link, &page, &[("decision", "approve"), ("code", &code)]).await;
    assert_eq!(right.status, 200, "{}", right.html);
    ana.reaches(&run, "complete").await;
    assert_eq!((codes(&maria).await.len(), elsewhere.posts()), (1, 1));
}

#[tokio::test]
async fn approvers_who_cannot_sign_are_named_before_anything_runs() {
    let ana = person("ana", &["global:analyst", "decide"]).await;
    let (gone, weak) = (
        person("gone", &["global:reader", "decide"]).await,
        person("weak", &["global:reader"]).await,
    );
    let (maria, bare) =
        (person("maria", &["global:reader", "decide"]).await, person("bare", &["decide"]).await);
    deactivate(&gone).await;
    let agent = ana.agent(&[]).await;
    let named = |people: &[&str], quorum: u32| {
        format!("    approvers: [{}]\n    quorum: {quorum}", people.join(", "))
    };
    let all = [&ana, &gone, &weak, &bare].map(|person| person.username.as_str());
    let all = [&all[..], &["nobody-here", maria.username.as_str()]].concat();
    ana.playbook(&gated("gated-unreachable", &named(&all, 2))).await;
    let body = |id: &str| json!({ "profile": agent, "playbook": id, "inputs": rows(), "run_context": "background" });
    let (status, code, title) = refusal(&ana, &body("gated-unreachable")).await;
    assert_eq!((status, code.as_str()), (422, "APPROVAL_UNREACHABLE"), "{title}");
    for (name, why) in [
        (&*ana.username, "requesters do not sign `background` runs"),
        (&gone.username, "is not active"),
        (&weak.username, "does not hold the capability `decide`"),
        (&bare.username, "does not hold the role `reader`"),
        ("nobody-here", "is not in the directory"),
        ("playbook.steps.sign_off", "2 signatures are needed and 1"),
    ] {
        let line = title.lines().find(|line| line.contains(name));
        assert!(line.is_some_and(|line| line.contains(why)), "{name}: {title}");
    }
    assert!(!title.contains(&maria.username), "who can sign is not blamed: {title}");
    let runs = ana.get("/executions").await;
    assert!(runs["items"].as_array().unwrap().is_empty(), "something was started: {runs:#}");
    // Enough good ones: it starts, and says who is not.
    ana.playbook(&gated("gated-enough", &named(&["nobody-here", &maria.username], 1))).await;
    let started = ana.post("/executions", &body("gated-enough")).await;
    let warnings = started["warnings"].to_string();
    assert!(warnings.contains("nobody-here") && !warnings.contains(&maria.username), "{warnings}");
    maria.request(started["id"].as_str().unwrap()).await;
}

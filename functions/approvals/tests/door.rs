//! The mail door against a request in memory, with real links, nonces, codes and decisions.
#![expect(clippy::unwrap_used, reason = "constants of the tests")]

mod codes;
mod hostile;
mod strikes;
mod world;

use countersign_approval::{Assurance, Status, Verdict};
use serde_json::Value;
use world::{Answer, World, after, field, form};

/// Requests a mail scanner, a preview and a prefetcher make.
const CURIOUS: [(&str, &[(&str, &str)]); 4] = [
    ("HEAD", &[("user-agent", "Mozilla/5.0 (compatible; LinkScanner)")]),
    ("GET", &[("user-agent", "Mozilla/5.0 (compatible; LinkScanner)")]),
    ("GET", &[("purpose", "prefetch"), ("sec-purpose", "prefetch;prerender")]),
    ("GET", &[("x-purpose", "preview"), ("range", "bytes=0-1023")]),
];

fn check(answer: &Answer, status: u16, says: &str) {
    assert_eq!(answer.status, status, "{}", answer.title());
    assert!(answer.html.contains(says), "`{says}` is missing on `{}`", answer.title());
}

#[tokio::test]
async fn k_06_a_mail_scanner_changes_nothing() {
    let world = World::new(Assurance::Link);
    let before = world.state();
    for round in 0..3 {
        for (method, headers) in CURIOUS {
            for path in [
                String::new(),
                "/rows".to_owned(),
                "/rows?page=2".to_owned(),
                "/warnings?page=2".to_owned(),
                format!("?x={round}"),
            ] {
                let answer = world.ask(method, &path, headers, "", after(60)).await;
                assert_eq!(answer.status, 200, "{method} {path}");
                assert_eq!(answer.html.is_empty(), method == "HEAD");
            }
        }
    }
    assert_eq!(world.acts(), 0);
    assert_eq!(world.state(), before);
}

#[tokio::test]
async fn every_answer_stays_out_of_caches_frames_and_referrers() {
    let world = World::new(Assurance::Link);
    let answers = [
        world.get(after(60)).await,
        world.ask("POST", "", &[], "nonce=x", after(60)).await,
        world.ask("DELETE", "", &[], "", after(60)).await,
        world.ask_at("not-a-link", "GET", &[], "", after(60)).await,
        world.get(after(30 * 86_400)).await,
    ];
    for answer in answers {
        let header = |name: &str| answer.headers[name].as_str().unwrap_or_default().to_owned();
        assert!(header("cache-control").contains("no-store"), "{}", answer.status);
        assert_eq!(header("referrer-policy"), "same-origin");
        assert_eq!(header("x-content-type-options"), "nosniff");
        let policy = header("content-security-policy");
        for part in [
            "default-src 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test]
async fn a_link_decides_once_and_a_double_click_gets_the_same_receipt() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    let body = form(&page, "approve", "");
    let first = world.post(&body, after(70)).await;
    check(&first, 200, "You approved");
    assert_eq!(world.status(), Status::Approved);
    let second = world.post(&body, after(71)).await;
    check(&second, 200, "You approved");
    assert_eq!(first.html, second.html);
    assert_eq!(world.votes().len(), 1);
    check(&world.get(after(80)).await, 200, "Already approved");
}

#[tokio::test]
async fn k_17_another_decision_on_a_closed_request_is_told_its_story() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    world.post(&form(&page, "deny", "not these rows"), after(70)).await;
    assert_eq!(world.status(), Status::Denied);
    assert_eq!(world.votes()[0].note.as_deref(), Some("not these rows"));
    let late = world.post(&form(&page, "approve", ""), after(90)).await;
    check(&late, 409, "Already denied");
    check(&late, 409, "Bo Ferreira");
    assert_eq!(world.status(), Status::Denied);
}

#[tokio::test]
async fn k_06_the_link_of_somebody_without_rights_shows_nothing() {
    for take in [World::revoke, World::take_scopes] {
        let world = World::new(Assurance::Link);
        let before = world.get(after(60)).await;
        check(&before, 200, "Officer cross-reference");
        take(&world);
        for (method, rest) in [("GET", ""), ("GET", "/rows"), ("GET", "/rows?page=2")] {
            let answer = world.ask(method, rest, &[], "", after(70)).await;
            check(&answer, 404, "Link not recognised");
            for secret in ["cross-reference", "Person 1", "nonce", "Bo Ferreira", "appr_"] {
                assert!(!answer.html.contains(secret), "`{secret}` on `{}`", answer.title());
            }
        }
        let voted = world.post(&form(&before, "approve", ""), after(71)).await;
        check(&voted, 404, "Link not recognised");
        assert_eq!((world.status(), world.acts()), (Status::Pending, 0));
    }
}

#[tokio::test]
async fn k_06_whoever_may_not_decide_any_more_is_told_so_and_offered_no_buttons() {
    let world = World::new(Assurance::Link);
    let before = world.get(after(60)).await;
    check(&before, 200, "Yours is the only signature needed");
    world.take_decide();
    let page = world.get(after(70)).await;
    check(&page, 200, "You may not decide approvals any more");
    check(&page, 200, "Officer cross-reference");
    for offered in ["<button", "<form", "Yours is the only", "your signature</h1>"] {
        assert!(!page.html.contains(offered), "`{offered}` is on the page");
    }
    let refused = world.post(&form(&before, "approve", ""), after(71)).await;
    assert_eq!((refused.status, world.status()), (403, Status::Pending));
}

#[tokio::test]
async fn f_200_whoever_signs_is_told_before_that_nothing_can_be_sent() {
    let world = World::new(Assurance::Link);
    check(&world.get(after(60)).await, 200, "Approving sends 60 requests");
    let why = "pay cannot be sent as things stand: the connector is not bound.";
    world.unbind(why);
    let page = world.get(after(70)).await;
    for said in ["As things stand, approving sends nothing. <a", why] {
        check(&page, 200, said);
    }
    assert!(!page.html.contains("Approving sends"), "{}", page.html);
    // Whoever knows that it is mended soon may sign all the same.
    let signed = world.post(&form(&page, "approve", ""), after(80)).await;
    assert_eq!((signed.status, world.status()), (200, Status::Approved));
}

#[tokio::test]
async fn altered_expired_and_replaced_links_open_nothing() {
    let world = World::new(Assurance::Link);
    let token = world.token();
    for at in [0, 10, token.len() / 2, token.len() - 2] {
        let mut altered: Vec<char> = token.chars().collect();
        altered[at] = if altered[at] == 'A' { 'B' } else { 'A' };
        let altered: String = altered.into_iter().collect();
        for method in ["GET", "HEAD", "POST"] {
            assert_eq!(
                world.ask_at(&altered, method, &[], "", after(60)).await.status,
                404,
                "{at} {method}"
            );
        }
    }
    check(&world.ask_at(&token[..40], "GET", &[], "", after(60)).await, 404, "Link not recognised");
    check(&world.get(after(9 * 86_400)).await, 410, "Link expired");
    world.reissue();
    check(&world.get(after(60)).await, 410, "Link replaced");
    assert_eq!(world.acts(), 0);
}

#[tokio::test]
async fn k_01_a_malformed_form_changes_nothing() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    let nonce = field(&page.html, "nonce");
    let tampered = format!("{}A", &nonce[..nonce.len() - 1]);
    let bodies = [
        String::new(),
        format!("nonce={nonce}"),
        "decision=approve".to_owned(),
        "nonce=&decision=approve".to_owned(),
        "nonce=AAAA&decision=approve".to_owned(),
        format!("nonce={nonce}&decision=OK"),
        format!("nonce={nonce}&decision=deny&decision=approve"),
        format!(
            "nonce={}&decision=approve",
            if tampered == nonce { "B".to_owned() } else { tampered }
        ),
        format!("nonce={nonce}&decision=approve&note={}", "x".repeat(2_001)),
    ];
    for body in bodies {
        assert_eq!(world.post(&body, after(70)).await.status, 422, "{body}");
    }
    let json = format!("{{\"nonce\":\"{nonce}\",\"decision\":\"approve\"}}");
    let answer =
        world.ask("POST", "", &[("content-type", "application/json")], &json, after(70)).await;
    assert_eq!(answer.status, 422);
    assert_eq!((world.acts(), world.status()), (0, Status::Pending));
}

#[tokio::test]
async fn a_page_is_good_for_thirty_minutes_and_for_what_it_showed() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    check(
        &world.post(&form(&page, "approve", ""), after(60 + 1_801)).await,
        409,
        "open for more than half an hour",
    );
    world.amend();
    check(&world.post(&form(&page, "approve", ""), after(70)).await, 409, "Please look again");
    assert_eq!((world.status(), world.votes().len()), (Status::Pending, 0));
}

#[tokio::test]
async fn the_nonce_of_one_link_is_worth_nothing_with_another() {
    let (one, other) = (World::new(Assurance::Link), World::new(Assurance::Link));
    other.reissue();
    let page = other.ask_at(&other.token_of_version(2), "GET", &[], "", after(60)).await;
    check(&one.post(&form(&page, "approve", ""), after(70)).await, 409, "Please look again");
    assert_eq!(one.status(), Status::Pending);
}

#[tokio::test]
async fn forms_of_other_sites_are_refused() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    let foreign: [&[(&str, &str)]; 5] = [
        &[("origin", "null")],
        &[("origin", "null"), ("sec-fetch-site", "same-origin")],
        &[("origin", "https://evil.example")],
        &[("origin", "null"), ("sec-fetch-site", "cross-site")],
        &[("origin", "https://agents.example.org.evil.example")],
    ];
    for headers in foreign {
        let answer = world.ask("POST", "", headers, &form(&page, "approve", ""), after(70)).await;
        assert_eq!(answer.status, 403, "{headers:?}");
    }
    assert_eq!(world.status(), Status::Pending);
    let own: &[(&str, &str)] = &[("sec-fetch-site", "same-origin")];
    assert_eq!(
        world.ask("POST", "", own, &form(&page, "approve", ""), after(70)).await.status,
        200
    );
}

#[tokio::test]
async fn k_12_after_the_deadline_nothing_is_decided() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(7 * 86_400 - 60)).await;
    let late = after(7 * 86_400);
    check(&world.post(&form(&page, "approve", ""), late).await, 409, "The deadline has passed");
    check(&world.get(late).await, 200, "The deadline has passed");
    assert!(world.votes().is_empty());
}

#[tokio::test]
async fn signed_in_requests_are_shown_and_not_decided_here() {
    let world = World::new(Assurance::SignedIn);
    let page = world.get(after(60)).await;
    assert!(page.status == 200 && !page.html.contains("<form"));
    let nonce = world.nonce(after(60)).await;
    let answer = world.post(&format!("nonce={nonce}&decision=approve"), after(70)).await;
    check(&answer, 403, "Please sign in");
    assert_eq!(world.status(), Status::Pending);
}

#[tokio::test]
async fn the_page_links_only_to_the_configured_base() {
    let world = World::new(Assurance::Link);
    let headers: &[(&str, &str)] =
        &[("host", "evil.example"), ("x-forwarded-host", "evil.example")];
    let page = world.ask("GET", "", headers, "", after(60)).await;
    assert!(!page.html.contains("evil.example"));
    let rows = format!("https://agents.example.org/a/{}/rows", world.token());
    check(&page, 200, &rows);
    check(&page, 200, "Showing 10 of 120");
    check(
        &world.ask("GET", "/rows?page=2", &[], "", after(60)).await,
        200,
        "Rows 101 to 120 of 120",
    );
    let warnings = world.ask("GET", "/warnings?page=2", &[], "", after(60)).await;
    check(&warnings, 200, "130 of 400 warnings; the others are not listed");
    check(&warnings, 200, "a.csv, row 130: no number");
}

#[tokio::test]
async fn f_200_every_request_and_the_whole_question_have_a_page() {
    let world = World::new(Assurance::Link);
    let page = world.ask("GET", "/effects/pay/51", &[], "", after(60)).await;
    check(&page, 200, "51.50");
    check(&page, 200, "Request 51 of 60");
    check(&page, 200, &format!("/a/{}/effects/pay/52", world.token()));
    check(&world.ask("GET", "/prompt", &[], "", after(60)).await, 200, "Please look at");
    for missing in ["/effects/pay/61", "/effects/other/1", "/effects/pay/0"] {
        assert_eq!(world.ask("GET", missing, &[], "", after(60)).await.status, 404, "{missing}");
    }
    for path in ["/effects/pay/1", "/prompt"] {
        assert_eq!(world.ask("POST", path, &[], "", after(60)).await.status, 405, "{path}");
    }
    assert_eq!(world.acts(), 0);
}

#[tokio::test]
async fn unknown_paths_and_methods_are_named() {
    let world = World::new(Assurance::Link);
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
        let answer = world.ask(method, "", &[], "", after(60)).await;
        assert_eq!(
            (answer.status, answer.headers["allow"].as_str()),
            (405, Some("GET, HEAD, POST")),
            "{method}"
        );
    }
    assert_eq!(world.ask("POST", "/rows", &[], "", after(60)).await.status, 405);
    assert_eq!(world.ask("GET", "/elsewhere", &[], "", after(60)).await.status, 404);
}

#[tokio::test]
async fn the_sample_events_are_served() {
    let world = World::new(Assurance::Link);
    for (name, status) in [("get", 404), ("head", 404), ("rows", 404), ("post", 404)] {
        let path = format!("{}/../../events/approvals/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let event: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        // The tokens of the samples are of another deployment.
        assert_eq!(world.serve(event, after(60)).await.status, status, "{name}");
    }
}

#[tokio::test]
async fn a_denial_is_a_verdict_like_any_other() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    check(&world.post(&form(&page, "deny", ""), after(70)).await, 200, "You denied");
    assert_eq!((world.status(), world.votes()[0].verdict), (Status::Denied, Verdict::Deny));
}

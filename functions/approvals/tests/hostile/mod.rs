//! Scanners that open every link, and forms that no page sends.

use std::collections::BTreeSet;

use countersign_approval::{Assurance, Status};

use crate::world::{World, after, field};

/// So many requests of scanners are tried; `docs/assurance.md` says so.
const SCANNED: usize = 192;
/// So many malformed forms are posted; it says so too.
const MALFORMED: usize = 62;

const AGENTS: [&str; 8] = [
    "Mozilla/5.0 (compatible; LinkScanner)",
    "Microsoft Office/16.0 SafeLinks",
    "Proofpoint URL Defense",
    "Barracuda Sentinel",
    "Slackbot-LinkExpanding 1.0",
    "facebookexternalhit/1.1",
    "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0",
    "curl/8.5.0",
];

const HINTS: [&[(&str, &str)]; 4] = [
    &[],
    &[("purpose", "prefetch"), ("sec-purpose", "prefetch;prerender")],
    &[("x-purpose", "preview"), ("range", "bytes=0-1023")],
    &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")],
];

#[tokio::test]
async fn k_06_no_request_of_a_scanner_changes_anything() {
    let world = World::new(Assurance::Link);
    let before = world.state();
    let mut tried = BTreeSet::new();
    for method in ["HEAD", "GET"] {
        for path in ["", "/rows", "/rows?page=2"] {
            for (agent, hints) in AGENTS.iter().flat_map(|agent| HINTS.map(|hints| (agent, hints)))
            {
                let headers = [&[("user-agent", *agent)], hints].concat();
                let answer = world.ask(method, path, &headers, "", after(60)).await;
                assert_eq!(answer.status, 200, "{method} {path} {headers:?}");
                tried.insert(format!("{method} {path} {headers:?}"));
            }
        }
    }
    assert_eq!((world.acts(), world.state() == before), (0, true));
    assert_eq!(tried.len(), SCANNED);
}

/// Bodies that are no decision of this page, although most carry its nonce.
fn malformed(nonce: &str) -> Vec<String> {
    let mut bodies: Vec<String> = [
        "".to_owned(),
        "=".to_owned(),
        "&&&".to_owned(),
        "%".to_owned(),
        "decision=approve".to_owned(),
        "nonce=&decision=approve".to_owned(),
        "nonce=AAAA&decision=approve".to_owned(),
        format!("nonce={nonce}"),
        format!("nonce={nonce};decision=approve"),
        format!("Nonce={nonce}&Decision=approve"),
        format!("nonce[]={nonce}&decision[]=approve"),
        format!("nonce={nonce}&nonce={nonce}&decision=approve"),
        format!("nonce={}&decision=approve", &nonce[..nonce.len() - 3]),
        format!("nonce={nonce}{nonce}&decision=approve"),
        format!("nonce={}&decision=approve", "A".repeat(1_001)),
        format!("{{\"nonce\":\"{nonce}\",\"decision\":\"approve\"}}"),
        format!("<form nonce='{nonce}' decision='approve'/>"),
        format!("nonce={nonce}&decision=approve&note={}", "x".repeat(2_001)),
        format!("nonce={nonce}&decision=approve&padding={}", "x".repeat(330_000)),
    ]
    .to_vec();
    let decisions = [
        "",
        "yes",
        "OK",
        "APPROVE",
        "Approve",
        "approve+",
        "+approve",
        "approve%00",
        "approve%0A",
        "approved",
        "1",
        "true",
        "null",
        "%5B%5D",
        "deny%2Capprove",
        "deny+approve",
        "%D0%B0pprove",
        "%FF",
        "approve&decision=deny",
        "approve&decision=approve",
        "deny&decision=approve",
        "sign",
        "approvedeny",
    ];
    bodies.extend(decisions.map(|decision| format!("nonce={nonce}&decision={decision}")));
    let more = [
        "note=a&note=b",
        "code=1&code=2",
        "choice-x=done",
        "choice-01=done",
        "choice-%2B1=done",
        "choice-=done",
        "choice--1=done",
        "choice-4294967296=done",
        "choice-0=maybe",
        "choice-0=done&choice-0=again",
        "evidence-x=y",
        "evidence-0=a&evidence-0=b",
    ];
    bodies.extend(more.map(|more| format!("nonce={nonce}&decision=approve&{more}")));
    bodies
}

#[tokio::test]
async fn k_01_no_malformed_form_decides() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    let nonce = field(&page.html, "nonce");
    let good = format!("nonce={nonce}&decision=approve");
    let kinds = [
        "",
        "application/json",
        "text/plain",
        "text/html",
        "application/xml",
        "multipart/form-data; boundary=x",
        "application/octet-stream",
        "application/x-www-form-urlencodedx",
    ];
    let form = "application/x-www-form-urlencoded";
    let mut posts: BTreeSet<(&str, String)> =
        malformed(&nonce).into_iter().map(|body| (form, body)).collect();
    posts.extend(kinds.map(|kind| (kind, good.clone())));
    for (kind, body) in &posts {
        let answer = world.ask("POST", "", &[("content-type", kind)], body, after(70)).await;
        let shown: String = body.chars().take(120).collect();
        assert!((400..500).contains(&answer.status), "{kind} {shown}: {}", answer.status);
        assert_eq!((world.acts(), world.status()), (0, Status::Pending), "{kind} {shown}");
    }
    assert_eq!(posts.len(), MALFORMED);
    // The page they were made of decides.
    assert_eq!(world.post(&good, after(80)).await.status, 200);
}

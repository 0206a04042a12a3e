//! Striking out through the pages.

use countersign_approval::{Assurance, Request, Status};

use crate::check;
use crate::world::{Answer, World, after, field, form};

/// The form of a page's marks with these rows marked.
fn marks(page: &Answer, last: u32, rows: &[u32]) -> String {
    let nonce = field(&page.html, "nonce");
    assert!(!nonce.is_empty(), "`{}` has no form", page.title());
    let rows: String = rows.iter().map(|row| format!("&row={row}")).collect();
    format!("nonce={nonce}&step=pay&first=1&last={last}{rows}")
}

async fn strike(world: &World, body: &str, at: i64) -> Answer {
    world.ask("POST", "/strike", &[], body, after(at)).await
}

fn struck(world: &World) -> (u32, Vec<u32>) {
    let request: Request = world.state().request;
    (request.version, request.covers[0].struck.clone())
}

/// The page that the answer sends a browser to.
#[track_caller]
fn check_seen(answer: &Answer, world: &World) {
    assert_eq!(answer.status, 303, "{}: {}", answer.title(), answer.html);
    let page = format!("https://agents.example.org/a/{}", world.token());
    assert_eq!(answer.headers["location"], page.as_str());
}

#[tokio::test]
async fn k_09_marked_rows_are_struck_out_and_the_new_version_is_shown() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    check(&page, 200, "name=\"row\" value=\"50\"");
    assert!(!page.html.contains("name=\"row\" value=\"51\""), "only what is shown has a mark");
    check_seen(&strike(&world, &marks(&page, 50, &[4, 18]), 70).await, &world);
    assert_eq!(struck(&world), (2, vec![3, 17]));

    let page = world.get(after(80)).await;
    check(&page, 200, "Bo Ferreira struck out 2 of the 60 requests of `pay`");
    check(&page, 200, "Showing 50 of 60 requests, 2 struck out");
    check(&page, 200, "Approving sends 58 requests");
    check(&page, 200, "value=\"4\" checked");
    check(&page, 200, "Bo Ferreira struck out 4, 18 of `pay`");
    check(&page, 200, "Written before 2 of 60 requests were struck out");
    assert_eq!(page.html.matches("class=\"struck\"").count(), 2);
    // Clearing one mark brings its row back.
    check_seen(&strike(&world, &marks(&page, 50, &[18]), 90).await, &world);
    assert_eq!(struck(&world), (3, vec![17]));
    // A vote of the page before is void; that of the newest counts.
    check(&world.post(&form(&page, "approve", ""), after(95)).await, 409, "Please look again");
    let page = world.get(after(96)).await;
    check(&world.post(&form(&page, "approve", ""), after(97)).await, 200, "You approved");
}

#[tokio::test]
async fn k_09_a_double_click_strikes_once() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    let body = marks(&page, 50, &[4]);
    check_seen(&strike(&world, &body, 70).await, &world);
    check_seen(&strike(&world, &body, 71).await, &world);
    assert_eq!(struck(&world), (2, vec![3]));
    check(&strike(&world, &marks(&page, 50, &[5]), 72).await, 409, "Please look again");
}

#[tokio::test]
async fn k_09_the_page_of_a_request_beyond_those_shown_strikes_it_alone() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    strike(&world, &marks(&page, 50, &[2]), 65).await;
    let page = world.ask("GET", "/effects/pay/51", &[], "", after(70)).await;
    check(&page, 200, "Strike out this request");
    let one = |page: &Answer, row: &str| {
        format!("nonce={}&step=pay&first=51&last=51{row}", field(&page.html, "nonce"))
    };
    check_seen(&strike(&world, &one(&page, "&row=51"), 75).await, &world);
    assert_eq!(struck(&world), (3, vec![1, 50]), "what was struck elsewhere stays");
    check(&world.get(after(76)).await, 200, "1 more is struck out");

    let page = world.ask("GET", "/effects/pay/51", &[], "", after(80)).await;
    check(&page, 200, "by <bdi>Bo Ferreira");
    check(&page, 200, "Bring this request back");
    check_seen(&strike(&world, &one(&page, ""), 85).await, &world);
    assert_eq!(struck(&world), (4, vec![1]));
}

#[tokio::test]
async fn k_09_striking_takes_the_code_that_voting_takes() {
    let world = World::new(Assurance::LinkCode);
    let page = world.get(after(60)).await;
    let body = marks(&page, 50, &[4, 18]);
    let asked = strike(&world, &body, 70).await;
    check(&asked, 200, "Enter the code we mailed you");
    check(&asked, 200, "strike out 2 rows");
    check(&asked, 200, "/strike\"");
    assert_eq!((struck(&world), world.codes().len()), ((1, vec![]), 1));
    let code = world.codes()[0].clone();

    // A code mailed to strike out does not approve, and one mailed to approve does not strike out.
    let vote = format!("{}&code={code}", form(&page, "approve", ""));
    assert_eq!(world.post(&vote, after(71)).await.status, 403);
    world.post(&form(&page, "approve", ""), after(72)).await;
    let to_approve = world.codes()[1].clone();
    if to_approve != code {
        let wrong = strike(&world, &format!("{body}&code={to_approve}"), 73).await;
        check(&wrong, 403, "That code is not right");
    }
    assert_eq!((world.status(), struck(&world)), (Status::Pending, (1, vec![])));
    check_seen(&strike(&world, &format!("{body}&code={code}"), 74).await, &world);
    assert_eq!(struck(&world), (2, vec![3, 17]));
    // The code is of the version before.
    let page = world.get(after(80)).await;
    let again = strike(&world, &format!("{}&code={code}", marks(&page, 50, &[])), 81).await;
    assert_eq!((again.status, struck(&world).0), (403, 2));
}

#[tokio::test]
async fn k_09_a_code_mailed_for_one_row_strikes_out_no_other() {
    let world = World::new(Assurance::LinkCode);
    let page = world.get(after(60)).await;
    check(&strike(&world, &marks(&page, 50, &[4]), 70).await, 200, "strike out 1 row");
    let code = world.codes()[0].clone();
    for rows in [&[5][..], &[4, 5]] {
        let other = format!("{}&code={code}", marks(&page, 50, rows));
        let answer = strike(&world, &other, 71).await;
        assert_eq!((answer.status, struck(&world)), (403, (1, vec![])), "{}", answer.title());
    }
    let same = format!("{}&code={code}", marks(&page, 50, &[4]));
    check_seen(&strike(&world, &same, 72).await, &world);
    assert_eq!(struck(&world), (2, vec![3]));
}

#[tokio::test]
async fn k_09_what_cannot_be_struck_mails_no_code() {
    let world = World::new(Assurance::LinkCode);
    let page = world.get(after(60)).await;
    // Unchanged marks.
    check_seen(&strike(&world, &marks(&page, 50, &[]), 70).await, &world);
    let beyond = marks(&page, 61, &[61]);
    check(&strike(&world, &beyond, 70).await, 422, "Nothing was struck out");
    let all: Vec<u32> = (1..=60).collect();
    check(&strike(&world, &marks(&page, 60, &all), 70).await, 422, "deny the request");
    let other = marks(&page, 50, &[1]).replace("step=pay", "step=other");
    check(&strike(&world, &other, 70).await, 422, "Nothing was struck out");
    assert_eq!((world.codes().len(), struck(&world)), (0, (1, vec![])));
}

#[tokio::test]
async fn k_06_only_our_own_form_strikes() {
    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    let body = marks(&page, 50, &[4]);
    let foreign: &[(&str, &str)] = &[("origin", "https://evil.example")];
    assert_eq!(world.ask("POST", "/strike", foreign, &body, after(70)).await.status, 403);
    assert_eq!(strike(&world, &body.replace("nonce=", "nonce=A"), 70).await.status, 422);
    assert_eq!(strike(&world, "step=pay&first=1&last=50&row=1", 70).await.status, 422);
    check(&strike(&world, &body, 60 + 1_801).await, 409, "open for more than half an hour");
    for method in ["GET", "HEAD"] {
        check_seen(&world.ask(method, "/strike", &[], "", after(70)).await, &world);
    }
    assert_eq!((world.acts(), struck(&world)), (0, (1, vec![])));
}

#[tokio::test]
async fn k_09_whoever_must_sign_in_or_has_voted_only_sees_what_was_struck() {
    let signed_in = World::new(Assurance::SignedIn);
    let page = signed_in.get(after(60)).await;
    assert!(!page.html.contains("name=\"row\""));
    let nonce = signed_in.nonce(after(60)).await;
    let body = format!("nonce={nonce}&step=pay&first=1&last=50&row=4");
    check(&strike(&signed_in, &body, 70).await, 403, "Please sign in");
    assert_eq!(struck(&signed_in), (1, vec![]));

    let world = World::new(Assurance::Link);
    let page = world.get(after(60)).await;
    world.post(&form(&page, "deny", ""), after(65)).await;
    check(&strike(&world, &marks(&page, 50, &[4]), 70).await, 409, "Already denied");
    let one = world.ask("GET", "/effects/pay/51", &[], "", after(71)).await;
    assert!(one.status == 200 && !one.html.contains("<form"));
}

//! Codes that are mailed when a link alone does not decide.

use countersign_approval::{Assurance, Status};

use crate::check;
use crate::world::{World, after, form};

#[tokio::test]
async fn link_and_code_needs_the_code_that_was_mailed() {
    let world = World::new(Assurance::LinkCode);
    let page = world.get(after(60)).await;
    let body = form(&page, "approve", "fine");
    let asked = world.post(&body, after(70)).await;
    check(&asked, 200, "Enter the code we mailed you");
    assert_eq!((world.status(), world.codes().len()), (Status::Pending, 1));
    let code = world.codes()[0].clone();
    let wrong = if code == "000000" { "000001" } else { "000000" };
    check(
        &world.post(&format!("{body}&code={wrong}"), after(80)).await,
        403,
        "That code is not right",
    );
    assert_eq!(world.status(), Status::Pending);
    let spaced = format!("{body}&code={}+{}", &code[..3], &code[3..]);
    check(&world.post(&spaced, after(90)).await, 200, "You approved");
    assert_eq!(
        (world.status(), world.votes()[0].assurance),
        (Status::Approved, Assurance::LinkCode)
    );
    // The code page sent twice: the same receipt, no second code.
    check(&world.post(&spaced, after(91)).await, 200, "You approved");
    assert_eq!(world.codes().len(), 1);
}

#[tokio::test]
async fn a_code_is_good_for_five_tries_and_ten_minutes() {
    let world = World::new(Assurance::LinkCode);
    let page = world.get(after(60)).await;
    let body = form(&page, "approve", "");
    world.post(&body, after(70)).await;
    let code = world.codes()[0].clone();
    let wrong = if code == "000000" { "000001" } else { "000000" };
    for _ in 0..5 {
        assert_eq!(world.post(&format!("{body}&code={wrong}"), after(80)).await.status, 403);
    }
    check(
        &world.post(&format!("{body}&code={code}"), after(81)).await,
        403,
        "A new code is needed",
    );
    assert_eq!(world.status(), Status::Pending);
    world.post(&body, after(90)).await;
    let second = world.codes()[1].clone();
    check(
        &world.post(&format!("{body}&code={second}"), after(90 + 601)).await,
        403,
        "A new code is needed",
    );
    assert_eq!(world.status(), Status::Pending);
}

#[tokio::test]
async fn no_code_is_mailed_for_somebody_who_may_not_decide() {
    let world = World::new(Assurance::LinkCode);
    let page = world.get(after(60)).await;
    world.revoke();
    check(&world.post(&form(&page, "approve", ""), after(70)).await, 404, "Link not recognised");
    assert!(world.codes().is_empty());
    assert_eq!(world.status(), Status::Pending);
}

#[tokio::test]
async fn a_code_mailed_to_approve_does_not_deny_and_the_reverse() {
    for (asked, other) in [("approve", "deny"), ("deny", "approve")] {
        let world = World::new(Assurance::LinkCode);
        let page = world.get(after(60)).await;
        world.post(&form(&page, asked, ""), after(70)).await;
        let code = world.codes()[0].clone();
        let crossed = format!("{}&code={code}", form(&page, other, ""));
        check(&world.post(&crossed, after(80)).await, 403, "A new code is needed");
        assert_eq!(world.status(), Status::Pending);
        let straight = format!("{}&code={code}", form(&page, asked, ""));
        assert_eq!(world.post(&straight, after(90)).await.status, 200);
        assert_eq!(world.votes().len(), 1);
    }
}

#[tokio::test]
async fn a_forwarded_link_cannot_use_up_the_codes() {
    let world = World::new(Assurance::LinkCode);
    let page = world.get(after(60)).await;
    let (approve, deny) = (form(&page, "approve", ""), form(&page, "deny", ""));
    // Asking again and again mails nothing more: the code that was mailed stays good.
    for second in 70..90 {
        check(&world.post(&approve, after(second)).await, 200, "Enter the code we mailed you");
    }
    assert_eq!(world.codes().len(), 1);
    // With patience a stranger gets more mailed, of either verdict, but not without end.
    let mut refused = 0;
    for minute in 2..30 {
        let body = if minute % 2 == 0 { &approve } else { &deny };
        refused += u32::from(world.post(body, after(60 * minute)).await.status == 429);
    }
    assert_eq!(world.codes().len(), 5);
    assert!(refused > 0);
    // Later the approver gets one, and it decides.
    let late = 60 * 45;
    let page = world.get(after(late)).await;
    let body = form(&page, "approve", "");
    check(&world.post(&body, after(late)).await, 200, "Enter the code we mailed you");
    let code = world.codes().last().unwrap().clone();
    check(&world.post(&format!("{body}&code={code}"), after(late + 60)).await, 200, "You approved");
}

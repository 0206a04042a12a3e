//! Tickets and connections, when they are old and when there are many.

use std::collections::BTreeSet;

use countersign_identity::{Presented, Scopes, TokenUse, UserId};
use countersign_store_content::{
    Connection, ContentStore, MAX_CONNECTIONS, OPEN_FOR, TICKET_FOR, Ticket,
};
use countersign_store_kit::Blobs;
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};

async fn content() -> ContentStore {
    let blobs = Blobs::of(&super::aws().await, "no-bucket-is-needed");
    ContentStore::new(super::table("content").await, blobs)
}

fn token(n: u8) -> Presented {
    Presented {
        user: UserId::from_bytes([n; 16]),
        token_id: "t-1".to_owned(),
        session: None,
        account: None,
        issued_at: 1_000,
        expires_at: None,
        token_use: TokenUse::Login,
        scopes: Scopes::default(),
        capabilities: BTreeSet::new(),
        second_factor: false,
    }
}

#[tokio::test]
async fn k_31_a_ticket_is_good_for_a_minute_and_of_many_who_take_it_one_has_it() {
    let (content, now) = (content().await, Timestamp::now());
    let ticket = Ticket { token: token(1), until: now.saturating_add(TICKET_FOR).unwrap() };
    content.issue_ticket("old", &ticket).await.unwrap();
    let late = ticket.until.saturating_add(SignedDuration::from_secs(1)).unwrap();
    assert_eq!(content.take_ticket("old", late).await.unwrap(), None);
    assert_eq!(content.take_ticket("old", now).await.unwrap(), None, "it was used up");
    content.issue_ticket("new", &ticket).await.unwrap();
    let taken = join_all((0..8).map(|_| content.take_ticket("new", now))).await;
    let taken: Vec<Ticket> = taken.into_iter().filter_map(Result::unwrap).collect();
    assert_eq!(taken, [ticket]);
}

#[tokio::test]
async fn a_155_of_many_connections_the_newest_stay() {
    let (content, now) = (content().await, Timestamp::now());
    let connection = |n: u32, user: u8| Connection {
        id: format!("c{n:02}="),
        token: token(user),
        opened_at: now.saturating_add(SignedDuration::from_secs(n.into())).unwrap(),
        until: now.saturating_add(OPEN_FOR).unwrap(),
    };
    content.connect(&connection(99, 2)).await.unwrap();
    for n in 0..MAX_CONNECTIONS as u32 {
        assert_eq!(content.connect(&connection(n, 1)).await.unwrap(), []);
    }
    let made_room = content.connect(&connection(50, 1)).await.unwrap();
    assert_eq!(made_room, [connection(0, 1)]);
    let user = UserId::from_bytes([1; 16]);
    let open = content.connections(&user).await.unwrap();
    assert_eq!(open.len(), MAX_CONNECTIONS);
    assert!(open.iter().all(|one| one.id != "c00="));
    for _ in 0..2 {
        content.disconnect("c50=").await.unwrap();
    }
    assert_eq!(content.connections(&user).await.unwrap().len(), MAX_CONNECTIONS - 1);
    assert_eq!(content.connections(&UserId::from_bytes([2; 16])).await.unwrap().len(), 1);
}

//! Conversations against the table: how many questions they have, and what comes after their removal.

use countersign_identity::UserId;
use countersign_run::{AskedIn, Conversation, ConversationId, Head, RunId};
use countersign_store_kit::Window;
use countersign_store_runs::{Asked, Created, RunLimits, RunStore};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::runs::{head, store};

fn conversation() -> Conversation {
    Conversation {
        id: ConversationId::from_bytes([3; 16]),
        user_id: UserId::from_bytes([1; 16]),
        profile_id: "p".to_owned(),
        title: "A".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
    }
}

/// The n-th question of it.
fn question(n: u32) -> Head {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&n.to_be_bytes());
    let asked_in = AskedIn {
        conversation: conversation().id,
        is_on_web: false,
        number: n,
        has_summary: false,
    };
    let started_at = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(n.into());
    Head { asked_in: Some(asked_in), started_at, ..head(&RunId::from_bytes(bytes)) }
}

async fn ask(store: &RunStore, n: u32) -> Result<Created, countersign_store_kit::StoreError> {
    let with = match n {
        1 => store.begin_conversation(&conversation()).unwrap(),
        _ => store.continue_conversation(&conversation()),
    };
    let asked = Asked { inputs: json!({}), samples: None, playbook: None };
    store.create(&question(n), &asked, RunLimits::NONE, &[with]).await
}

/// The numbers of its questions, newest first.
async fn numbers(store: &RunStore, before: Option<u32>, limit: i32) -> Vec<u32> {
    let before = before.map(question);
    let page =
        store.asked_in(&conversation().id, before.as_ref(), Window::first(limit)).await.unwrap();
    page.items.iter().map(|head| head.asked_in.as_ref().unwrap().number).collect()
}

#[tokio::test]
async fn r_105_a_conversation_that_is_removed_is_gone_with_its_questions_and_takes_no_more() {
    let (store, of) = (store().await, conversation());
    assert!(ask(&store, 2).await.unwrap_err().is_condition(), "it has not begun");
    for n in 1..=130 {
        assert_eq!(ask(&store, n).await.unwrap(), Created::New);
    }
    assert!(matches!(ask(&store, 1).await.unwrap(), Created::Existing(_)), "the same question");
    assert_eq!(numbers(&store, None, 3).await, [130, 129, 128]);
    assert_eq!(numbers(&store, Some(100), 3).await, [99, 98, 97]);
    assert_eq!(numbers(&store, Some(1), 3).await, [0; 0]);
    let listed = store.conversations(&of.user_id, Window::first(10)).await.unwrap();
    assert_eq!(listed.items, std::slice::from_ref(&of));

    let other = UserId::from_bytes([2; 16]);
    assert!(!store.forget_conversation(&other, &of.id).await.unwrap());
    assert_eq!(store.rename_conversation(&other, &of.id, "B").await.unwrap(), None);
    assert!(store.forget_conversation(&of.user_id, &of.id).await.unwrap());
    assert!(!store.forget_conversation(&of.user_id, &of.id).await.unwrap());
    assert_eq!(numbers(&store, None, 3).await, [0; 0]);
    assert!(ask(&store, 131).await.unwrap_err().is_condition(), "it is gone");
    assert!(store.head(&question(130).run).await.unwrap().is_some(), "its runs stay");
}

//! Accounts and people, when many sign in at once.

use countersign_identity::{Capability, UserId};
use countersign_store_directory::{
    Directory, DirectoryError, Email, FirstRights, NewUser, Subject, User, Username,
};
use futures::future::join_all;
use jiff::Timestamp;

async fn directory() -> Directory {
    Directory::new(super::table("directory").await)
}

fn account(n: u8) -> Subject {
    Subject::parse(&format!("{n:08x}-bbbb-4ccc-8ddd-eeeeeeeeeeee")).unwrap()
}

fn person(name: &str, subject: Option<Subject>) -> User {
    let new = NewUser {
        id: subject.map_or(UserId::from_bytes([9; 16]), |subject| subject.person()),
        username: Username::parse(name).unwrap(),
        email: Email::parse(&format!("{name}@example.org")).unwrap(),
        email_verified: false,
        display_name: name.to_owned(),
        subject,
    };
    new.at(Timestamp::now()).unwrap()
}

fn administrator() -> FirstRights {
    let scopes = vec!["global:admin".parse().unwrap()];
    FirstRights { scopes, capabilities: vec![Capability::Administer] }
}

#[tokio::test]
async fn r_003_of_many_accounts_with_a_persons_address_one_becomes_theirs() {
    let directory = directory().await;
    let ada = directory.create(&person("ada", None)).await.unwrap();
    let tied = (0..8).map(|n| directory.tie(&ada, account(n), Timestamp::now()));
    let tied = join_all(tied).await;
    let winners: Vec<usize> = (0..8).filter(|n| tied[*n].is_ok()).collect();
    assert_eq!(winners.len(), 1, "{tied:?}");
    let winner = account(u8::try_from(winners[0]).unwrap());
    let known = directory.by_subject(&winner).await.unwrap().unwrap();
    assert_eq!(
        (known.id, known.subject, known.email_verified),
        (ada.id.clone(), Some(winner), true)
    );
    // Once more is no change, and no other account gets in beside it.
    directory.tie(&ada, winner, Timestamp::now()).await.unwrap();
    let other = directory.tie(&ada, account(77), Timestamp::now()).await;
    assert!(matches!(other, Err(DirectoryError::Taken { what: "account", .. })), "{other:?}");
    assert!(directory.by_subject(&account(77)).await.unwrap().is_none());
}

#[tokio::test]
async fn an_account_that_was_parted_makes_room() {
    let directory = directory().await;
    let ada = directory.create(&person("ada", None)).await.unwrap();
    directory.tie(&ada, account(1), Timestamp::now()).await.unwrap();
    let known = directory.user(&ada.id).await.unwrap().unwrap();
    directory.untie(&known, Timestamp::now()).await.unwrap();
    assert!(directory.by_subject(&account(1)).await.unwrap().is_none());
    directory.tie(&ada, account(2), Timestamp::now()).await.unwrap();
    // Who still holds the old reading changes nothing.
    let late = directory.untie(&known, Timestamp::now()).await;
    assert!(matches!(late, Err(DirectoryError::Changed)), "{late:?}");
    assert_eq!(directory.by_subject(&account(2)).await.unwrap().unwrap().id, ada.id);
}

#[tokio::test]
async fn a_first_right_that_was_taken_stays_taken() {
    let directory = directory().await;
    let (root, rights) = (person("root", Some(account(1))), administrator());
    let entered = join_all((0..4).map(|_| directory.enter(&root, &rights))).await;
    assert!(entered.iter().all(Result::is_ok), "{entered:?}");
    let standing = directory.standing_of(&root.id).await.unwrap().unwrap();
    assert!(standing.capabilities.contains(&Capability::Administer));
    directory.take(&root.id, Capability::Administer).await.unwrap();
    directory.enter(&root, &rights).await.unwrap();
    let standing = directory.standing_of(&root.id).await.unwrap().unwrap();
    assert!(standing.capabilities.is_empty(), "{standing:?}");
}

#[tokio::test]
async fn nobody_enters_under_anothers_name_or_account() {
    let directory = directory().await;
    directory.create(&person("ada", Some(account(1)))).await.unwrap();
    let mut twin = person("ada", Some(account(2)));
    let taken = directory.create(&twin).await;
    assert!(matches!(taken, Err(DirectoryError::Taken { what: "username", .. })), "{taken:?}");
    twin.username = Username::parse("ada-2").unwrap();
    let taken = directory.create(&twin).await;
    assert!(matches!(taken, Err(DirectoryError::Taken { what: "email", .. })), "{taken:?}");
    twin.email = Email::parse("ada-2@example.org").unwrap();
    twin.subject = Some(account(1));
    let taken = directory.create(&twin).await;
    assert!(matches!(taken, Err(DirectoryError::Taken { what: "account", .. })), "{taken:?}");
}

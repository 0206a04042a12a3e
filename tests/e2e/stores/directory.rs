//! Accounts and people, when many sign in at once.

use countersign_identity::{Accounts, Capability, UserId};
use countersign_store_directory::{
    Account, Directory, DirectoryError, Email, FirstRights, Holder, NewUser, PoolSubject, User,
    UserChange, Username,
};
use futures::future::join_all;
use jiff::Timestamp;

pub(super) async fn directory() -> Directory {
    Directory::new(super::table("directory").await)
}

fn account(n: u8) -> Account {
    let subject = PoolSubject::parse(&format!("{n:08x}-bbbb-4ccc-8ddd-eeeeeeeeeeee")).unwrap();
    Account { pool: "us-east-1_EXAMPLE".to_owned(), subject }
}

async fn holder(directory: &Directory, account: &Account) -> Holder {
    directory.holder(&account.subject).await.unwrap()
}

async fn tie(directory: &Directory, user: &User, account: &Account) -> Result<(), DirectoryError> {
    directory.tie(user, account, Timestamp::now()).await
}

pub(super) fn person(name: &str, account: Option<Account>) -> User {
    let id = account.as_ref().map(|account| account.subject.person());
    let new = NewUser {
        id: id.unwrap_or(UserId::from_bytes([9; 16])),
        username: Username::parse(name).unwrap(),
        email: Email::parse(&format!("{name}@example.org")).unwrap(),
        email_verified: false,
        display_name: name.to_owned(),
        account,
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
    let accounts: Vec<Account> = (0..8).map(account).collect();
    let tied = join_all(accounts.iter().map(|account| tie(&directory, &ada, account))).await;
    let winners: Vec<usize> = (0..8).filter(|n| tied[*n].is_ok()).collect();
    assert_eq!(winners.len(), 1, "{tied:?}");
    let winner = &accounts[winners[0]];
    let Holder::Person(known) = holder(&directory, winner).await else { panic!("nobody") };
    assert_eq!(
        (&known.id, &known.account, known.email_verified),
        (&ada.id, &Some(winner.clone()), true)
    );
    let other = tie(&directory, &ada, &account(77)).await;
    assert!(matches!(other, Err(DirectoryError::Taken { what: "account", .. })), "{other:?}");
    assert_eq!(holder(&directory, &account(77)).await, Holder::Nobody);
}

#[tokio::test]
async fn an_account_that_was_parted_never_comes_back_and_makes_room() {
    let directory = directory().await;
    let ada = directory.create(&person("ada", None)).await.unwrap();
    tie(&directory, &ada, &account(1)).await.unwrap();
    let known = directory.user(&ada.id).await.unwrap().unwrap();
    directory.part(&known, Timestamp::now()).await.unwrap();
    assert_eq!(holder(&directory, &account(1)).await, Holder::Parted);
    let entry = directory.entry_of(&ada.id).await.unwrap().unwrap();
    assert_eq!(entry.accounts, Accounts::NoneOf(account(1).pool));
    assert!(entry.not_before.is_some());
    assert!(tie(&directory, &ada, &account(1)).await.is_err());
    tie(&directory, &ada, &account(2)).await.unwrap();
    // Who still holds the old reading changes nothing.
    let late = directory.part(&known, Timestamp::now()).await;
    assert!(matches!(late, Err(DirectoryError::Changed)), "{late:?}");
    assert_eq!(holder(&directory, &account(1)).await, Holder::Parted);
    let entry = directory.entry_of(&ada.id).await.unwrap().unwrap();
    let Accounts::Only(only) = entry.accounts else { panic!("{:?}", entry.accounts) };
    assert_eq!(only.subject, account(2).subject.to_string());
}

#[tokio::test]
async fn an_account_of_a_pool_that_is_gone_gives_way() {
    let directory = directory().await;
    let ada = directory.create(&person("ada", Some(account(1)))).await.unwrap();
    let other = Account { pool: "us-east-1_ANOTHER".to_owned(), ..account(2) };
    tie(&directory, &ada, &other).await.unwrap();
    assert!(matches!(holder(&directory, &other).await, Holder::Person(_)));
    // Back at the pool of before, the account of before is theirs again: nobody has parted it.
    let Holder::Former(back) = holder(&directory, &account(1)).await else { panic!("not theirs") };
    tie(&directory, &back, &account(1)).await.unwrap();
    assert!(matches!(holder(&directory, &account(1)).await, Holder::Person(_)));
}

#[tokio::test]
async fn a_first_right_that_was_taken_stays_taken() {
    let directory = directory().await;
    let root = directory.create(&person("root", Some(account(1)))).await.unwrap();
    let rights = administrator();
    let appoint = || directory.appoint(&root, &rights, Timestamp::now());
    assert!(appoint().await.unwrap());
    let entry = directory.entry_of(&root.id).await.unwrap().unwrap();
    assert!(entry.capabilities.contains(&Capability::Administer));
    directory.take(&root.id, Capability::Administer).await.unwrap();
    assert!(!appoint().await.unwrap());
    let entry = directory.entry_of(&root.id).await.unwrap().unwrap();
    assert!(entry.capabilities.is_empty(), "{entry:?}");
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
    twin.account = Some(account(1));
    let taken = directory.create(&twin).await;
    assert!(matches!(taken, Err(DirectoryError::Taken { what: "account", .. })), "{taken:?}");
}

#[tokio::test]
async fn an_inactive_person_is_not_appointed_and_their_turn_is_not_spent() {
    let directory = directory().await;
    let root = directory.create(&person("root", None)).await.unwrap();
    let active = |active| UserChange { active: Some(active), ..UserChange::default() };
    directory.change(&root.id, &active(false), Timestamp::now()).await.unwrap();
    assert!(!directory.appoint(&root, &administrator(), Timestamp::now()).await.unwrap());
    directory.change(&root.id, &active(true), Timestamp::now()).await.unwrap();
    assert!(directory.appoint(&root, &administrator(), Timestamp::now()).await.unwrap());
}

//! What the directory says of whoever started a run, read in the same request as the view of a step.

use std::collections::BTreeSet;
use std::sync::Arc;

use countersign_identity::{
    Capability, DirectoryEntry, Presented, Refused, Scope, Scopes, TokenUse, UserId,
};
use countersign_plan::Plan;
use countersign_run::RunId;
use countersign_store_directory::Directory;
use countersign_store_runs::{ReadAsked, ReadWith, RunStore};
use jiff::Timestamp;

use super::directory::{directory, person};
use super::revisions::drafted;

const STEP: &str = "draft";

/// A run of Ada's whose plan is known.
struct Scene {
    directory: Directory,
    store: RunStore,
    run: RunId,
    plan: Arc<Plan>,
    ada: UserId,
}

impl Scene {
    async fn open(n: u8) -> Self {
        let (directory, (store, run)) = (directory().await, drafted(n).await);
        let plan = store.view(&run, STEP).await.unwrap().unwrap().plan;
        let ada = directory.create(&person("ada", None)).await.unwrap().id;
        Self { directory, store, run, plan, ada }
    }

    async fn grants(&self, scopes: &[&str]) {
        for scope in scopes {
            let scope: Scope = scope.parse().unwrap();
            self.directory.grant(&self.ada, &scope, &self.ada, Timestamp::now()).await.unwrap();
        }
    }

    /// A token of Ada's, of a session.
    fn token(&self) -> Presented {
        Presented {
            user: self.ada.clone(),
            token_id: "t-1".to_owned(),
            session: Some("s-1".to_owned()),
            account: None,
            issued_at: 7,
            expires_at: None,
            token_use: TokenUse::Login,
            scopes: Scopes::default(),
            capabilities: BTreeSet::new(),
            second_factor: false,
        }
    }

    /// What is read with the view, for a run that was started with these scopes.
    async fn read(&self, scopes: &Scopes) -> Option<DirectoryEntry> {
        let lookups = self.directory.lookups(&self.ada, scopes, Some(&self.token()));
        let others = BTreeSet::new();
        let with = ReadWith { others: &others, asked: ReadAsked::Nothing, other_tables: &lookups };
        let view = self.store.view_with(&self.run, STEP, Arc::clone(&self.plan), with).await;
        let view = view.unwrap().unwrap();
        assert!(view.own.is_some(), "what is read of the run stays apart from it");
        self.directory.found(&view.other_tables).unwrap()
    }
}

#[tokio::test]
async fn r_003_what_was_taken_away_is_missing_from_the_next_view() {
    let scene = Scene::open(81).await;
    scene.grants(&["macro:analyst", "equity:reader"]).await;
    let now = Timestamp::now();
    let (directory, ada) = (&scene.directory, &scene.ada);
    directory.give(ada, Capability::Decide, ada, now).await.unwrap();
    let started = Scopes::parse(["macro:analyst"]);

    let entry = scene.read(&started).await.unwrap();
    assert_eq!((&entry.user, &entry.scopes), (ada, &started), "only what was asked for");
    assert!(entry.capabilities.is_empty() && entry.effective(&scene.token()).is_ok());

    directory.revoke(ada, &"macro:analyst".parse().unwrap()).await.unwrap();
    assert_eq!(scene.read(&started).await.unwrap().scopes, Scopes::default());
}

#[tokio::test]
async fn r_003_a_session_that_was_ended_is_found_with_the_next_view() {
    let scene = Scene::open(82).await;
    scene.grants(&["macro:analyst"]).await;
    let started = Scopes::parse(["macro:analyst"]);
    let void = async || scene.read(&started).await.unwrap().effective(&scene.token()).err();
    assert_eq!(void().await, None);
    scene.directory.revoke_token(&scene.ada, "s-1", Timestamp::now()).await.unwrap();
    assert_eq!(void().await, Some(Refused::TokenRevoked));
}

#[tokio::test]
async fn r_003_of_many_scopes_nothing_is_read_with_the_view() {
    let scene = Scene::open(83).await;
    let topics = ["a", "b", "c", "d", "e", "f", "g"].map(|topic| format!("{topic}:reader"));
    let many = Scopes::parse(topics.iter().map(String::as_str));
    assert_eq!(many.iter().count(), 7);
    assert_eq!(scene.read(&many).await, None);
}

//! What is told of the requests of a run afterwards, with the names of people.

use std::collections::BTreeMap;

use countersign_approval::ports::PortError;
use countersign_approval::{ApprovalRecord, Request, RunId, Vote};
use countersign_identity::UserId;
use countersign_store_approvals::{Approvals, Loaded};
use countersign_store_directory::Directory;
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};

use crate::asking::able_now;
use crate::clock::silent;
use crate::error::{GateError, GateFuture};
use crate::recount::recount;

/// Requests that are read together.
const AT_ONCE: usize = 8;

/// Reads the records of requests.
#[derive(Clone)]
pub struct Recorder {
    /// The requests.
    pub approvals: Approvals,
    /// The people.
    pub directory: Directory,
}

impl Recorder {
    /// The records of every request of a run, in the order they were opened.
    ///
    /// # Errors
    /// [`GateError`] when a table does not answer.
    pub async fn of_run(&self, run: &RunId) -> Result<Vec<ApprovalRecord>, GateError> {
        let places = self.approvals.places(run).await;
        let places = places.map_err(GateError::doing("reading the gates of the run"))?;
        let reads: Vec<BoxFuture<'_, _>> =
            places.iter().map(|place| self.approvals.load(&place.approval)).collect();
        let found = futures::stream::iter(reads).buffered(AT_ONCE);
        let found: Vec<Option<Loaded>> =
            found.try_collect().await.map_err(GateError::doing("reading the requests"))?;
        let mut loaded = Vec::new();
        for one in found.into_iter().flatten() {
            loaded.push(self.recounted(one).await?);
        }
        loaded.sort_by_key(|loaded| loaded.request.opened_at);
        let people = loaded.iter().map(|Loaded { request, votes }| (request, votes.as_slice()));
        let names = self.names(people).await?;
        let mut records = Vec::with_capacity(loaded.len());
        for loaded in &loaded {
            records.push(self.waited_for(loaded, record(loaded, &names)).await?);
        }
        Ok(records)
    }

    /// A request with the approvals marked that do not count at this moment.
    ///
    /// # Errors
    /// [`GateError`] when the directory does not answer.
    pub fn recounted(&self, loaded: Loaded) -> GateFuture<'_, Loaded> {
        Box::pin(async move { Ok(recount(&self.directory, loaded).await?) })
    }

    /// The record of one request, which counts the approvals that are not marked in it.
    ///
    /// # Errors
    /// [`GateError`] when the directory does not answer.
    pub fn of<'a>(&'a self, loaded: &'a Loaded) -> GateFuture<'a, ApprovalRecord> {
        Box::pin(async move {
            let people = [(&loaded.request, loaded.votes.as_slice())];
            let names = self.names(people.into_iter()).await?;
            self.waited_for(loaded, record(loaded, &names)).await
        })
    }

    /// The username of a person; the id of somebody the directory has never had.
    ///
    /// # Errors
    /// [`GateError`] when the directory does not answer.
    pub async fn username(&self, person: &UserId) -> Result<String, GateError> {
        let user = self.directory.user(person).await;
        let user = user.map_err(|error| PortError::of("looking up a person", &error))?;
        Ok(user.map_or_else(|| person.to_string(), |user| user.username.to_string()))
    }

    /// The record without those who may not decide any more: nobody waits for them.
    async fn waited_for(
        &self,
        loaded: &Loaded,
        mut record: ApprovalRecord,
    ) -> Result<ApprovalRecord, GateError> {
        if record.waits_for.is_empty() {
            return Ok(record);
        }
        record.waits_for.clear();
        for person in able_now(&self.directory, &loaded.request, silent(loaded)).await? {
            record.waits_for.push(self.username(&person).await?);
        }
        Ok(record)
    }

    async fn names<'a>(
        &self,
        requests: impl Iterator<Item = (&'a Request, &'a [Vote])> + Send,
    ) -> Result<BTreeMap<UserId, String>, GateError> {
        let people = requests.flat_map(|(request, votes)| ApprovalRecord::people(request, votes));
        let mut names = BTreeMap::new();
        for person in people.collect::<std::collections::BTreeSet<UserId>>() {
            let name = self.username(&person).await?;
            names.insert(person, name);
        }
        Ok(names)
    }
}

fn record(loaded: &Loaded, names: &BTreeMap<UserId, String>) -> ApprovalRecord {
    let name = |person: &UserId| names.get(person).cloned().unwrap_or_else(|| person.to_string());
    ApprovalRecord::of(&loaded.request, &loaded.votes, &name)
}

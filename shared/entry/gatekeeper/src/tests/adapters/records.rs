//! The requests, in memory.

use super::*;

impl Records for World {
    fn create<'a>(
        &'a self,
        request: &'a Request,
        token: &'a TaskToken,
    ) -> BoxFuture<'a, StoreResult<Created>> {
        Box::pin(async move {
            let Some(mut state) = self.powered("table").await else { return off() };
            if state.requests.contains_key(&request.id) {
                return Ok(Created::Exists);
            }
            state.requests.insert(request.id.clone(), request.clone());
            state.tokens.insert(request.id.clone(), token.clone());
            state.unasked.insert(request.id.clone(), (1, request.opened_at));
            Ok(Created::New)
        })
    }

    fn reattach<'a>(
        &'a self,
        id: &'a ApprovalId,
        token: &'a TaskToken,
        _now: Timestamp,
    ) -> BoxFuture<'a, StoreResult<bool>> {
        Box::pin(async move {
            let Some(mut state) = self.powered("table").await else { return off() };
            let is_newest = state.tokens.get(id).is_none_or(|kept| kept.turn() <= token.turn());
            let waits = state.requests[id].status == Status::Pending && is_newest;
            if waits {
                state.tokens.insert(id.clone(), token.clone());
            }
            Ok(waits)
        })
    }

    fn token<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, StoreResult<Option<TaskToken>>> {
        Box::pin(async move {
            let Some(state) = self.powered("table").await else { return off() };
            Ok(state.tokens.get(id).cloned())
        })
    }

    fn load<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, StoreResult<Option<Loaded>>> {
        Box::pin(async move {
            let Some(state) = self.powered("table").await else { return off() };
            let of_this = state.votes.iter().filter(|(of, _)| of == id);
            let votes = of_this.map(|(_, vote)| vote.clone()).collect();
            Ok(state.requests.get(id).map(|request| Loaded { request: request.clone(), votes }))
        })
    }

    fn commit<'a>(&'a self, commit: &'a Commit<'a>) -> BoxFuture<'a, StoreResult<Committed>> {
        Box::pin(async move {
            let Some(mut state) = self.powered("table").await else { return off() };
            if !state.holds(commit) {
                return Ok(Committed::Stale);
            }
            let id = commit.after.id.clone();
            state.requests.insert(id.clone(), commit.after.clone());
            state.votes.extend(commit.vote.map(|vote| (id.clone(), vote.clone())));
            state.receipts.extend(commit.receipt.map(|r| (r.id.clone(), r.clone())));
            if commit.after.status.is_final() {
                state.unmoved.insert(id.clone());
            }
            if commit.after.version != commit.before.version {
                state.unasked.insert(id, (commit.after.version, commit.now));
            }
            Ok(Committed::Done)
        })
    }

    fn moved<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, StoreResult<()>> {
        Box::pin(async move {
            let Some(mut state) = self.powered("table").await else { return off() };
            state.unmoved.remove(&request.id);
            state.tokens.remove(&request.id);
            Ok(())
        })
    }

    fn asked<'a>(&'a self, id: &'a ApprovalId, version: u32) -> BoxFuture<'a, StoreResult<()>> {
        Box::pin(async move {
            let Some(mut state) = self.powered("table").await else { return off() };
            if state.unasked.get(id).is_some_and(|(waits, _)| *waits == version) {
                state.unasked.remove(id);
            }
            Ok(())
        })
    }

    fn is_unasked<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, StoreResult<bool>> {
        Box::pin(async move {
            let Some(state) = self.powered("table").await else { return off() };
            Ok(state.unasked.contains_key(id))
        })
    }

    fn places<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, StoreResult<Vec<Place>>> {
        Box::pin(async move {
            let Some(state) = self.powered("table").await else { return off() };
            let of_run = state.requests.values().filter(|request| request.position.run == *run);
            Ok(of_run.map(|request| state.place(&request.id)).collect())
        })
    }

    fn overdue(&self, now: Timestamp, _most: i32) -> BoxFuture<'_, StoreResult<Vec<Place>>> {
        Box::pin(async move {
            let Some(state) = self.powered("table").await else { return off() };
            let due = |r: &&Request| r.status == Status::Pending && r.timing.deadline <= now;
            Ok(state.requests.values().filter(due).map(|r| state.place(&r.id)).collect())
        })
    }

    fn unmoved(&self, _before: Timestamp, _most: i32) -> BoxFuture<'_, StoreResult<Vec<Place>>> {
        Box::pin(async move {
            let Some(state) = self.powered("table").await else { return off() };
            Ok(state.unmoved.iter().map(|id| state.place(id)).collect())
        })
    }

    fn unannounced(
        &self,
        before: Timestamp,
        _most: i32,
    ) -> BoxFuture<'_, StoreResult<Vec<ApprovalId>>> {
        Box::pin(async move {
            let Some(state) = self.powered("table").await else { return off() };
            let old = state.unasked.iter().filter(|(_, (_, since))| *since <= before);
            Ok(old.map(|(id, _)| id.clone()).collect())
        })
    }

    fn unsealed(&self, _before: Timestamp, _most: i32) -> BoxFuture<'_, StoreResult<Vec<Receipt>>> {
        Box::pin(async move {
            let Some(state) = self.powered("table").await else { return off() };
            let waits = |receipt: &&Receipt| !state.ledger.contains(&receipt.id);
            Ok(state.receipts.values().filter(waits).cloned().collect())
        })
    }
}

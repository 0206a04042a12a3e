//! What turns may use, where they are recorded, and where answers are shown: in the memory of a test.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use countersign_model_list::Terms;
use countersign_registry::action::Call;
use countersign_run::{Draft, ModelCall, ModelCallStatus};
use futures::future::{BoxFuture, pending};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::{Drafts, LlmError, ModelBudget, Written};

/// A purse: what was reserved and then settled, turn by turn, with how the turn ended; and how many turns it pays for.
pub(super) struct Purse {
    pub(super) turns: usize,
    pub(super) settled: Mutex<Vec<(u64, u64)>>,
    pub(super) ended: Mutex<Vec<ModelCall>>,
    /// Set so that a draft is never written.
    pub(super) never_shown: bool,
    /// Set so that the run is cancelled when its first draft is written.
    pub(super) is_cancelled: bool,
    /// Told of each draft.
    pub(super) seen: Notify,
    /// What was shown of an answer, and null when it was removed.
    pub(super) shown: Mutex<Vec<Value>>,
}

impl Drafts for Purse {
    fn write<'a>(
        &'a self,
        _: &'a Call,
        draft: &'a Draft,
        before: &'a BTreeMap<String, String>,
    ) -> BoxFuture<'a, Written> {
        assert_ne!(*before, draft.texts);
        self.shown.lock().unwrap().push(json!([draft.turn, draft.texts]));
        self.seen.notify_one();
        let (waits, is_cancelled) = (self.never_shown, self.is_cancelled);
        Box::pin(async move {
            match is_cancelled {
                true => Written::Cancelled,
                false if waits => pending().await,
                false => Written::Shown,
            }
        })
    }
}

impl ModelBudget for Purse {
    fn reserve<'a>(
        &'a self,
        _: &'a Call,
        turn: &'a ModelCall,
        _: &'a Terms,
    ) -> BoxFuture<'a, Result<(), LlmError>> {
        assert_eq!(turn.status, ModelCallStatus::Asked);
        let spent = self.settled.lock().unwrap().len() >= self.turns;
        let refused = LlmError::RunBudget {
            limit: "5 tokens".to_owned(),
            figures: "it may use up to 6 tokens".to_owned(),
        };
        Box::pin(async move { if spent { Err(refused) } else { Ok(()) } })
    }

    fn settle<'a>(
        &'a self,
        _: &'a Call,
        reserved: &'a ModelCall,
        ended: &'a ModelCall,
        is_shown: bool,
    ) -> BoxFuture<'a, ()> {
        if is_shown {
            self.shown.lock().unwrap().push(Value::Null);
        }
        let tokens = (reserved.counted_tokens, ended.counted_tokens);
        self.settled.lock().unwrap().push(tokens);
        self.ended.lock().unwrap().push(ended.clone());
        Box::pin(async {})
    }
}

pub(super) fn purse(turns: usize) -> Arc<Purse> {
    Arc::new(Purse::with(turns))
}

impl Purse {
    pub(super) fn with(turns: usize) -> Self {
        Self {
            turns,
            settled: Mutex::default(),
            ended: Mutex::default(),
            never_shown: false,
            is_cancelled: false,
            seen: Notify::new(),
            shown: Mutex::default(),
        }
    }
}

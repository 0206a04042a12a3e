//! `Idempotency-Key` over the catalog's table.

use axum::response::Response;
use countersign_failure::Failure;
use countersign_store_catalog::{Answered, Catalog, Replay};
use countersign_web::Problem;
use countersign_web::idempotency::{Attempt, Begun, Memory, StoredAnswer, once};
use futures::future::BoxFuture;
use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;

use crate::Context;

struct Requests<'c>(&'c Catalog);

type Noted<'a, T> = BoxFuture<'a, Result<T, Box<dyn Failure>>>;

impl Memory for Requests<'_> {
    fn begin<'a>(
        &'a self,
        attempt: &'a Attempt,
        name: &'a str,
        now: Timestamp,
    ) -> Noted<'a, Begun> {
        Box::pin(async move {
            let replay = self.0.begin_request(attempt.owner(), name, attempt.digest(), now).await;
            replay.map_err(boxed).map(|replay| match replay {
                Replay::Fresh => Begun::Fresh,
                Replay::Open => Begun::Open,
                Replay::OtherBody => Begun::OtherBody,
                Replay::Done(answered) => {
                    let Answered { status, location, body } = answered;
                    Begun::Done(StoredAnswer { status, location, body })
                }
            })
        })
    }

    fn done<'a>(
        &'a self,
        attempt: &'a Attempt,
        name: &'a str,
        kept: &'a StoredAnswer,
        _: Timestamp,
    ) -> Noted<'a, ()> {
        Box::pin(async move {
            let StoredAnswer { status, location, body } = kept.clone();
            let answered = Answered { status, location, body };
            self.0.finish_request(attempt.owner(), name, &answered).await.map_err(boxed)
        })
    }

    fn forget<'a>(&'a self, attempt: &'a Attempt, name: &'a str) -> Noted<'a, ()> {
        Box::pin(async move { self.0.forget_request(attempt.owner(), name).await.map_err(boxed) })
    }
}

fn boxed(error: impl Failure) -> Box<dyn Failure> {
    Box::new(error)
}

/// Does the work of a request once per key.
///
/// # Errors
/// The work's problem, or that of the key.
pub(crate) async fn do_once(
    ctx: &Context,
    attempt: &Attempt,
    work: impl Future<Output = Result<StoredAnswer, Problem>> + Send,
) -> Result<Response, Problem> {
    once(&Requests(&ctx.catalog), attempt, Timestamp::now(), Box::pin(work)).await
}

/// The answer of a request that created something.
///
/// # Errors
/// When the body has no JSON form.
pub(crate) fn created(location: String, body: &impl Serialize) -> Result<StoredAnswer, Problem> {
    StoredAnswer::new(StatusCode::CREATED, Some(location), body)
}

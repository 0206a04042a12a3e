//! What is said of calls that could not be sent any more.

use std::sync::atomic::{AtomicUsize, Ordering};

use countersign_approval::ports::PortError;
use countersign_approval::{Request, Status};
use countersign_connector::{
    AgentConnector, Binding, ConnectorId, ConnectorSource, Found, IfApproved, SourceError,
    SourceFuture, StoredConnector,
};
use countersign_effect::view::samples::payment;
use countersign_failure::Class;
use countersign_identity::UserId;

use super::make::{at, gate};
use crate::{not_sent, send_problems};

/// A catalogue from which everything was removed, or which does not answer.
struct Catalog {
    answers: bool,
    reads: AtomicUsize,
}

impl Catalog {
    fn new(answers: bool) -> Self {
        Self { answers, reads: AtomicUsize::new(0) }
    }

    fn read<T>(&self, found: T) -> Result<T, SourceError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let class = Class::Retryable;
        let message = "power".to_owned();
        let (operation, code) = ("reading the connector", "STORE_UNAVAILABLE");
        match self.answers {
            true => Ok(found),
            false => Err(Box::new(PortError { operation, code, message, class })),
        }
    }
}

impl ConnectorSource for Catalog {
    fn definition<'a>(
        &'a self,
        _: &'a UserId,
        _: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<StoredConnector>> {
        Box::pin(async move { self.read(None) })
    }

    fn binding<'a>(&'a self, _: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>> {
        Box::pin(async move { self.read(None) })
    }

    fn bound<'a>(&'a self, _: &'a AgentConnector) -> SourceFuture<'a, Found> {
        Box::pin(async move { self.read(Found { connector: None, binding: None }) })
    }
}

/// What is said of the calls of `pay`, which the request asks for, and of `tell`, which it does not.
async fn said(catalog: &Catalog, request: &Request) -> Vec<(String, IfApproved, &'static str)> {
    let effect = payment();
    let first = [("pay", &effect), ("tell", &effect)];
    let problems = send_problems(catalog, request, "prof_1", &first).await;
    let held = problems.iter().filter(|problem| problem.if_approved.sends_nothing()).count();
    assert_eq!(not_sent(request, &problems), held as u64);
    problems.into_iter().map(|of| (of.step, of.if_approved, of.code)).collect()
}

#[tokio::test]
async fn f_200_each_step_that_could_not_be_sent_is_named_and_a_catalogue_that_is_silent_is_too() {
    let mut request = Request::open(gate("10"), at(0)).unwrap();
    let gone = Catalog::new(true);
    let expect = [("pay".to_owned(), IfApproved::Fails, "CONNECTOR_UNKNOWN")];
    assert_eq!(said(&gone, &request).await, expect);
    assert_eq!(gone.reads.load(Ordering::SeqCst), 1, "each connector is read once");
    let expect = [("pay".to_owned(), IfApproved::Unknown, "STORE_UNAVAILABLE")];
    assert_eq!(said(&Catalog::new(false), &request).await, expect);
    request.status = Status::Approved;
    let closed = Catalog::new(true);
    assert_eq!(said(&closed, &request).await, []);
    assert_eq!(closed.reads.load(Ordering::SeqCst), 0, "what is closed is not looked up");
}

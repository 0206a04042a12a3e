//! What keeps an open request's calls from being sent as they are shown, by what the catalogue says at this moment.

use std::collections::{BTreeMap, BTreeSet};

use countersign_approval::{Covered, Kind, Request, Status};
use countersign_connector::{
    AgentConnector, AskedCall, ConnectorId, ConnectorSource, Found, SendProblem, send_problem,
    send_unknown,
};
use countersign_effect::{Effect, HttpEffect};
use countersign_failure::chain;
use futures::StreamExt as _;
use futures::future::BoxFuture;

/// Connectors that are read together.
const AT_ONCE: usize = 8;

/// A connector and its binding, or the code of why they could not be read.
type Read = Result<Found, &'static str>;

/// Why calls of an open request would not be sent as they are shown, or not be accepted, in the order of their steps. `profile` is
/// the agent of the run, `first` the first call of each step: the others go to the same endpoint with the same credential.
///
/// A catalogue that does not answer is a problem of its own: whoever signs is told that nothing is known.
pub fn send_problems<'a>(
    connectors: &'a dyn ConnectorSource,
    request: &'a Request,
    profile: &'a str,
    first: &'a [(&'a str, &'a Effect)],
) -> BoxFuture<'a, Vec<SendProblem>> {
    Box::pin(async move {
        let calls: Vec<AskedCall<'_>> =
            first.iter().filter_map(|(step, effect)| asked(request, step, effect)).collect();
        let ids: BTreeSet<ConnectorId> = calls.iter().filter_map(connector_of).collect();
        let reads: Vec<BoxFuture<'_, _>> =
            ids.into_iter().map(|id| read(connectors, request, profile, id)).collect();
        let read: BTreeMap<ConnectorId, Read> =
            futures::stream::iter(reads).buffered(AT_ONCE).collect().await;
        calls.iter().filter_map(|call| problem(*call, &read)).collect()
    })
}

/// How many calls of the request would not be sent as things stand.
#[must_use]
pub fn not_sent(request: &Request, problems: &[SendProblem]) -> u64 {
    let is_held =
        |step: &str| problems.iter().any(|of| of.step == step && of.if_approved.sends_nothing());
    let held = request.covers.iter().filter(|covered| is_held(&covered.step));
    held.map(Covered::left).sum()
}

/// The call of a step, if the request still asks for one that a connector makes.
fn asked<'a>(request: &Request, step: &'a str, effect: &'a Effect) -> Option<AskedCall<'a>> {
    let Effect::Http(effect) = effect else { return None };
    let is_repeat = request.kind == Kind::Outcome;
    let is_left = |covered: &Covered| covered.step == step && covered.left() > 0;
    let asks =
        request.status == Status::Pending && (is_repeat || request.covers.iter().any(is_left));
    asks.then_some(AskedCall { step, is_repeat, effect })
}

fn connector_of(call: &AskedCall<'_>) -> Option<ConnectorId> {
    let HttpEffect { via, .. } = call.effect;
    ConnectorId::parse(&via.connector).ok()
}

fn read<'a>(
    connectors: &'a dyn ConnectorSource,
    request: &'a Request,
    profile: &'a str,
    id: ConnectorId,
) -> BoxFuture<'a, (ConnectorId, Read)> {
    Box::pin(async move {
        let (owner, profile) = (request.owner.clone(), profile.to_owned());
        let of = AgentConnector { owner, profile, connector: id.clone() };
        let found = connectors.bound(&of).await.map_err(|error| {
            let said = chain(error.as_ref());
            tracing::warn!(approval = %request.id, connector = %id, error = said, "it is not known whether a call can be sent");
            error.code()
        });
        (id, found)
    })
}

fn problem(call: AskedCall<'_>, read: &BTreeMap<ConnectorId, Read>) -> Option<SendProblem> {
    match read.get(&connector_of(&call)?)? {
        Ok(found) => send_problem(call, found.clone()),
        Err(code) => Some(send_unknown(call, code)),
    }
}

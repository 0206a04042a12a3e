//! One request, its approver, and the doors to it, in memory.

mod ports;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use approvals::{Act, Context, Look, Seen, SeenRun, StepEffects, handle};
use countersign_approval::chain::Checkpoint;
use countersign_approval::{
    ApprovalId, Assurance, Code, CodeAllowance, CodeScope, DecideError, Decided, Digest, Floor,
    HmacKey, Kind, Layout, Link, LinkError, Mac, Nonce, OnReject, Opening, Policy, Position,
    Preview, Request, RunContext, RunId, SignedLink, Status, StoredCode, StrikeError, Struck,
    Subject, Tenant, Timing, Vote, Waiting, decide, strike,
};
use countersign_connector::{IfApproved, SendProblem};
use countersign_effect::Effect;
use countersign_effect::view::samples::payment_of;
use countersign_gatekeeper::{Answer as GateAnswer, Attempting, GateError, Striking};
use countersign_identity::{Accounts, Caller, Capability, DirectoryEntry, Refused, Scopes, UserId};
use countersign_store_approvals::{CodeIssue, Loaded};
use countersign_store_runs::WarningSentences;
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use jiff::Timestamp;
use serde_json::{Value, json};

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Value,
    pub(crate) html: String,
}

impl Answer {
    pub(crate) fn title(&self) -> &str {
        let title = self.html.split_once("<title>").map_or("", |(_, rest)| rest);
        title.split_once("</title>").map_or("", |(title, _)| title)
    }
}

struct State {
    loaded: Loaded,
    link_version: u32,
    active: bool,
    scopes: Scopes,
    capabilities: BTreeSet<Capability>,
    codes: Vec<StoredCode>,
    allowance: Option<CodeAllowance>,
    mailed: Vec<String>,
    send_problem: Option<String>,
}

struct Shared {
    tenant: Tenant,
    key: HmacKey,
    state: Mutex<State>,
    acts: AtomicUsize,
}

pub(crate) struct World {
    shared: Arc<Shared>,
    context: Context,
}

pub(crate) fn after(seconds: i64) -> Timestamp {
    let opened: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
    Timestamp::from_second(opened.as_second() + seconds).unwrap()
}

/// The value of a hidden field.
pub(crate) fn field(html: &str, name: &str) -> String {
    let after = html.split_once(&format!("name=\"{name}\" value=\"")).map_or("", |(_, rest)| rest);
    after.split_once('"').map_or("", |(value, _)| value).to_owned()
}

/// The form of a page, filled in.
pub(crate) fn form(page: &Answer, decision: &str, note: &str) -> String {
    let nonce = field(&page.html, "nonce");
    assert!(!nonce.is_empty(), "`{}` has no form", page.title());
    format!("nonce={nonce}&decision={decision}&note={}", note.replace(' ', "+"))
}

fn approver() -> UserId {
    UserId::from_bytes([2; 16])
}

/// A plan whose one irreversible step pays sixty times.
fn subject() -> Subject {
    let texts = payments().iter().map(|effect| effect.text().unwrap()).collect();
    let (step, action) = ("pay".to_owned(), "call_connector".to_owned());
    let pay = countersign_approval::StepEffects { step, action, texts };
    Subject { plan_seal: "seal".to_owned(), effects: vec![pay], ..Subject::of(Kind::Step) }
}

fn rows(count: u32) -> Value {
    (0..count).map(|n| json!({ "person": format!("Person {n}"), "row": n })).collect()
}

/// The sixty payments that the signature covers.
fn payments() -> Vec<Effect> {
    (1..=60).map(|n| payment_of(&format!("{n}.50"), "Acme", "DE02")).collect()
}

fn request(tenant: &Tenant, assurance: Assurance) -> Request {
    let owner = UserId::from_bytes([1; 16]);
    let policy = Policy { assurance, ..Policy::one_of(vec![approver()], false) };
    let opening = Opening {
        tenant: tenant.clone(),
        position: Position::of_step(&RunId::from_bytes([3; 16]), "look-before-writing"),
        context: RunContext::Background,
        subject: subject(),
        irreversible: false,
        owner: owner.clone(),
        invoker: owner,
        asked_by: None,
        requesters: BTreeSet::new(),
        title: "Officer cross-reference: look-before-writing".to_owned(),
        prompt: "Please look at <b>these</b> rows".to_owned(),
        preview: Preview::of(&rows(120), 10).unwrap().from_step("cross-reference"),
        layout: Layout::default(),
        effects_at: None,
        remarks: Vec::new(),
        plan_picture: "read, [look-before-writing], write".to_owned(),
        cost_bound: None,
        policy,
        floor: Floor::default(),
        requirement: None,
        topic: None,
        timing: Timing::starting(after(0), None, Waiting::Mail),
        on_reject: OnReject::Stop,
        revisable: vec!["draft".to_owned()],
        salt: Digest::from_bytes([9; 32]),
    };
    Request::open(opening, after(0)).unwrap()
}

impl World {
    pub(crate) fn new(assurance: Assurance) -> Self {
        let tenant = Tenant::parse("test").unwrap();
        let loaded = Loaded { request: request(&tenant, assurance), votes: Vec::new() };
        let state = State {
            loaded,
            link_version: 1,
            active: true,
            scopes: Scopes::parse(["global:reader"]),
            capabilities: BTreeSet::from([Capability::Decide]),
            codes: Vec::new(),
            allowance: None,
            mailed: Vec::new(),
            send_problem: None,
        };
        let shared = Arc::new(Shared {
            tenant: tenant.clone(),
            key: HmacKey::new("k1", &[7; 32]),
            state: Mutex::new(state),
            acts: AtomicUsize::new(0),
        });
        let context = Context {
            tenant,
            public_url: "https://agents.example.org".to_owned(),
            key: Arc::new(HmacKey::new("k1", &[7; 32])),
            look: shared.clone(),
            act: shared.clone(),
            random: random_bytes,
        };
        Self { shared, context }
    }

    pub(crate) fn token(&self) -> String {
        self.token_of_version(1)
    }

    pub(crate) fn token_of_version(&self, version: u32) -> String {
        self.shared.link(version).token()
    }

    pub(crate) async fn get(&self, now: Timestamp) -> Answer {
        self.ask("GET", "", &[], "", now).await
    }

    pub(crate) async fn post(&self, body: &str, now: Timestamp) -> Answer {
        self.ask("POST", "", &[], body, now).await
    }

    /// A request for the link's path with something after it.
    pub(crate) async fn ask(
        &self,
        method: &str,
        rest: &str,
        headers: &[(&str, &str)],
        body: &str,
        now: Timestamp,
    ) -> Answer {
        self.ask_at(&format!("{}{rest}", self.token()), method, headers, body, now).await
    }

    /// A request for any path behind `/a/`.
    pub(crate) async fn ask_at(
        &self,
        path: &str,
        method: &str,
        headers: &[(&str, &str)],
        body: &str,
        now: Timestamp,
    ) -> Answer {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut all = BTreeMap::from([("content-type", "application/x-www-form-urlencoded")]);
        all.extend(headers.iter().copied());
        let event = json!({
            "version": "2.0", "routeKey": "ANY /a/{proxy+}", "rawPath": format!("/a/{path}"), "rawQueryString": query,
            "headers": all, "pathParameters": {"proxy": path},
            "requestContext": {"http": {"method": method, "path": format!("/a/{path}")}, "requestId": "req-1"},
            "body": body, "isBase64Encoded": false,
        });
        self.serve(event, now).await
    }

    pub(crate) async fn serve(&self, event: Value, now: Timestamp) -> Answer {
        let mut answer = handle(event, &self.context, now).await;
        Answer {
            status: u16::try_from(answer["statusCode"].as_u64().unwrap()).unwrap(),
            headers: answer["headers"].take(),
            html: answer["body"].as_str().unwrap().to_owned(),
        }
    }

    /// A nonce as a page would carry it.
    pub(crate) async fn nonce(&self, now: Timestamp) -> String {
        let request = self.shared.state.lock().unwrap().loaded.request.clone();
        let nonce = Nonce::for_page(self.shared.link(1).id(), request.digest, request.version, now);
        nonce.sign(&self.shared.tenant, &self.shared.key).await.unwrap().token()
    }

    pub(crate) fn acts(&self) -> usize {
        self.shared.acts.load(Ordering::SeqCst)
    }

    pub(crate) fn state(&self) -> Loaded {
        self.shared.state.lock().unwrap().loaded.clone()
    }

    pub(crate) fn status(&self) -> Status {
        self.state().request.status
    }

    pub(crate) fn votes(&self) -> Vec<Vote> {
        self.state().votes
    }

    pub(crate) fn codes(&self) -> Vec<String> {
        self.shared.state.lock().unwrap().mailed.clone()
    }

    pub(crate) fn reissue(&self) {
        self.shared.state.lock().unwrap().link_version += 1;
    }

    pub(crate) fn take_scopes(&self) {
        self.shared.state.lock().unwrap().scopes = Scopes::default();
    }

    pub(crate) fn take_decide(&self) {
        self.shared.state.lock().unwrap().capabilities.clear();
    }

    /// The connector is not bound any more.
    pub(crate) fn unbind(&self, message: &str) {
        self.shared.state.lock().unwrap().send_problem = Some(message.to_owned());
    }

    pub(crate) fn revoke(&self) {
        self.shared.state.lock().unwrap().active = false;
    }

    /// The content changes: another version, another digest.
    pub(crate) fn amend(&self) {
        let request = &mut self.shared.state.lock().unwrap().loaded.request;
        request.version += 1;
        request.digest = Digest::from_bytes([8; 32]);
    }
}

/// Whether one code takes the place of the other.
fn same(known: &StoredCode, code: &StoredCode) -> bool {
    known.slot == code.slot && known.scope == code.scope
}

fn random_bytes() -> [u8; 40] {
    // Every call another one, so that a second code is not the first.
    static CALLS: AtomicUsize = AtomicUsize::new(1);
    let mut bytes = [5; 40];
    bytes[..8]
        .copy_from_slice(&(CALLS.fetch_add(1, Ordering::SeqCst) as u64 * 7_919).to_be_bytes());
    bytes
}

impl Shared {
    fn link(&self, version: u32) -> SignedLink {
        let approval = self.state.lock().unwrap().loaded.request.id.clone();
        let link = Link { approval, slot: 0, version, expires_at: after(8 * 86_400) };
        link.sign(&self.tenant, &self.key as &dyn Mac).now_or_never().unwrap().unwrap()
    }

    fn person(&self, id: &UserId) -> DirectoryEntry {
        let is_approver = *id == approver();
        let (active, scopes, capabilities) = {
            let state = self.state.lock().unwrap();
            (state.active, state.scopes.clone(), state.capabilities.clone())
        };
        DirectoryEntry {
            user: id.clone(),
            name: if is_approver { "Bo Ferreira" } else { "Ada Lindqvist" }.to_owned(),
            email: if is_approver { "bo@example.org" } else { "ada@example.org" }.to_owned(),
            email_verified: true,
            active,
            accounts: Accounts::Any,
            scopes,
            capabilities,
            not_before: None,
            revoked: BTreeSet::new(),
        }
    }

    fn act(&self) {
        self.acts.fetch_add(1, Ordering::SeqCst);
    }

    fn weigh(&self, attempting: &Attempting, now: Timestamp) -> Result<GateAnswer, GateError> {
        let person = self.person(&approver());
        if !person.active {
            return Err(DecideError::Refused(Refused::Inactive).into());
        }
        let DirectoryEntry { user, scopes, capabilities, .. } = person;
        let caller = Caller { user, scopes, capabilities, token_id: "link".to_owned() };
        let mut state = self.state.lock().unwrap();
        let loaded = &mut state.loaded;
        let (vote, repeated) =
            match decide(&loaded.request, &loaded.votes, &attempting.attempt, &caller, now)? {
                Decided::Repeated(vote) => (*vote, true),
                Decided::Recorded(recorded) => {
                    loaded.request = recorded.request;
                    loaded.votes.push(recorded.vote.clone());
                    (recorded.vote, false)
                }
            };
        let approvals = loaded.request.approvals_like(&loaded.votes, &vote);
        Ok(GateAnswer {
            approval: loaded.request.id.clone(),
            status: loaded.request.status,
            receipt: vote.receipt,
            at: vote.at,
            approvals,
            not_counted: 0,
            quorum: loaded.request.policy.quorum,
            repeated,
        })
    }
}

impl Shared {
    fn weigh_strike(&self, striking: &Striking, now: Timestamp) -> Result<Request, GateError> {
        let DirectoryEntry { user, scopes, capabilities, .. } = self.person(&approver());
        let caller = Caller { user, scopes, capabilities, token_id: "link".to_owned() };
        let request = &mut self.state.lock().unwrap().loaded.request;
        let effects = request.effects.clone();
        match strike(request, &effects, &striking.strike, &caller, now) {
            Ok(Struck::Changed(moved)) => *request = moved.request,
            Ok(Struck::Unchanged) => {}
            Err(StrikeError::Decide(error)) => return Err(error.into()),
            Err(error) => return Err(error.into()),
        }
        Ok(request.clone())
    }
}

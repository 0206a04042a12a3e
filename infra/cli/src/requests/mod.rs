//! Requests made from the OpenAPI document that a stack serves, right ones and wrong ones, and what is wrong with its answers.
//!
//! The same seed draws the same requests. They are sent as throwaway people: whatever is deleted, replaced or started is
//! theirs, what administers the deployment as a whole is tried without the right to, and nothing calls outside.

mod draw;
mod judge;
mod mutate;
mod operation;
mod sample;
mod test_users;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use serde_json::Value;
use tokio::task::JoinSet;

use self::draw::{Drawn, draw};
use self::judge::{Answer, Judge};
use self::operation::Operation;
use self::test_users::TestUsers;
use crate::door::plain;
use crate::error::CliError;
use crate::stack::Stack;

/// So many findings are told; the others are counted.
const MAX_TOLD: usize = 40;

/// What to send.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How many requests.
    pub cases: usize,
    /// What they are drawn from.
    pub seed: u64,
    /// How many are under way at a time.
    pub at_once: usize,
    /// No answer may take longer.
    pub bound: Duration,
}

/// Something that should not have been answered so.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The number of the request, from 0.
    pub case: usize,
    /// Method and path as the document has them.
    pub operation: String,
    /// What was sent.
    pub request: String,
    /// What is wrong with the answer.
    pub what: String,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// How many requests were sent.
    pub sent: usize,
    /// How many operations the document has.
    pub operations: usize,
    /// How many operations answered with success at least once.
    pub succeeded: usize,
    /// How often each status was answered.
    pub statuses: BTreeMap<u16, usize>,
    /// The longest time to an answer.
    pub slowest: Duration,
    /// How many answers were wrong.
    pub wrong: usize,
    /// The first of them.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The findings, one in a paragraph.
    #[must_use]
    pub fn told(&self) -> String {
        let line = |found: &Finding| {
            let Finding { case, operation, request, what } = found;
            format!("{case}: {operation}: {what}\n    {request}")
        };
        self.findings.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// What every sender shares.
struct Bench {
    options: Options,
    client: Client,
    base: String,
    operations: Vec<Operation>,
    cast: TestUsers,
    judge: Judge,
    next: AtomicUsize,
    report: Mutex<Report>,
    succeeded: Mutex<Vec<bool>>,
}

/// Sends the requests to a running local stack.
///
/// # Errors
/// [`CliError`] when the people they are sent by cannot be entered, or the document cannot be read.
pub async fn send(stack: &Stack, options: Options) -> Result<Report, CliError> {
    let client = client().map_err(|error| unreachable(stack, &error))?;
    let url = format!("{}/openapi.json", stack.url());
    let document = client.get(&url).send().await.map_err(|error| unreachable(stack, &error))?;
    let document: Value = document.json().await.map_err(|error| unreachable(stack, &error))?;
    let operations = operation::all(&document);
    let report = Report { operations: operations.len(), ..Report::default() };
    let bench = Arc::new(Bench {
        options,
        client,
        base: stack.url(),
        judge: Judge::of(&document, &operations)?,
        succeeded: Mutex::new(vec![false; operations.len()]),
        operations,
        cast: TestUsers::enter(stack).await?,
        next: AtomicUsize::new(0),
        report: Mutex::new(report),
    });
    let mut senders = JoinSet::new();
    for _ in 0..options.at_once.max(1) {
        let bench = Arc::clone(&bench);
        senders.spawn(async move { bench.work().await });
    }
    while senders.join_next().await.is_some() {}
    Ok(bench.report())
}

fn client() -> Result<Client, reqwest::Error> {
    Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(60))
        // Shorter than the emulator keeps a connection open, so that none ends while a request is on its way.
        .pool_idle_timeout(Duration::from_secs(1))
        .build()
}

fn unreachable(stack: &Stack, error: &reqwest::Error) -> CliError {
    CliError::Door { url: stack.url(), reason: plain(error) }
}

impl Bench {
    async fn work(&self) {
        loop {
            let case = self.next.fetch_add(1, Ordering::Relaxed);
            if case >= self.options.cases {
                return;
            }
            let at = case % self.operations.len().max(1);
            let Some(operation) = self.operations.get(at) else { return };
            let drawn = draw(operation, &self.cast, self.options.seed, case);
            let began = Instant::now();
            let answered = self.ask(operation, &drawn).await;
            let took = began.elapsed();
            self.note(case, at, &drawn, &answered, took);
        }
    }

    async fn ask(&self, operation: &Operation, drawn: &Drawn) -> Result<Answer, String> {
        let method = Method::from_bytes(operation.method.to_uppercase().as_bytes())
            .map_err(|error| error.to_string())?;
        let mut request = self.client.request(method, format!("{}{}", self.base, drawn.target));
        for (name, value) in &drawn.headers {
            request = request.header(name.as_str(), value.as_str());
        }
        if let Some(body) = &drawn.body {
            request = request.body(body.clone());
        }
        let answer = request.send().await.map_err(|error| plain(&error))?;
        let status = answer.status().as_u16();
        let kind = answer.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_owned();
        let body = answer.bytes().await.map_err(|error| plain(&error))?;
        Ok(Answer { status, kind, body: body.to_vec() })
    }

    fn note(
        &self,
        case: usize,
        at: usize,
        drawn: &Drawn,
        answered: &Result<Answer, String>,
        took: Duration,
    ) {
        let operation = &self.operations[at];
        let what = match answered {
            Err(reason) => Some(format!("the connection ended: {reason}")),
            Ok(_) if took > self.options.bound => Some(format!("answered after {took:?}")),
            Ok(answer) => self.judge.of_answer(operation, answer).err(),
        };
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report.sent += 1;
        report.slowest = report.slowest.max(took);
        if let Ok(answer) = answered {
            *report.statuses.entry(answer.status).or_default() += 1;
            if answer.status < 400 {
                self.succeeded.lock().unwrap_or_else(PoisonError::into_inner)[at] = true;
            }
        }
        let Some(what) = what else { return };
        report.wrong += 1;
        if report.findings.len() < MAX_TOLD {
            let (operation, request) = (operation.name(), drawn.told());
            report.findings.push(Finding { case, operation, request, what });
        }
    }

    fn report(&self) -> Report {
        let succeeded = self.succeeded.lock().unwrap_or_else(PoisonError::into_inner);
        let succeeded = succeeded.iter().filter(|once| **once).count();
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Report { succeeded, ..report }
    }
}

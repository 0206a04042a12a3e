//! Sending a call.

use std::error::Error as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use countersign_failure::network_problem;
use futures::future::BoxFuture;
use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Method, Response, StatusCode, redirect};
use url::{Host, Url};

use crate::error::HttpError;
use crate::guard::{Closed, GuardedResolver, Lookup, Policy, RefusedName, SystemLookup};

const MAX_REDIRECTS: u32 = 5;
/// Without a version: what is signed names it, and an update must not void signatures.
const USER_AGENT: &str = "Countersign";

/// One call.
#[derive(Debug, Clone)]
pub struct Call {
    /// `GET`, `POST`, …
    pub method: String,
    /// Where to.
    pub url: Url,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<Vec<u8>>,
    /// How long the whole of it may take, redirects and body included.
    pub timeout: Duration,
    /// How large the answer may be, after decompression.
    pub max_bytes: u64,
}

impl Call {
    /// A GET without headers: 30 seconds, 10 MiB.
    #[must_use]
    pub fn get(url: Url) -> Self {
        Self {
            method: "GET".to_owned(),
            url,
            headers: Vec::new(),
            body: None,
            timeout: Duration::from_secs(30),
            max_bytes: 10 * 1024 * 1024,
        }
    }
}

/// A whole answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers, lower-case names; those that are not text are left out.
    pub headers: Vec<(String, String)>,
    /// Where it came from, after redirects.
    pub url: Url,
    /// The body, decompressed.
    pub body: Vec<u8>,
}

impl Answer {
    /// The first header of a name, in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// An answer whose body is read chunk by chunk.
#[derive(Debug)]
pub struct Streaming {
    /// The status.
    pub status: u16,
    /// Headers, lower-case names.
    pub headers: Vec<(String, String)>,
    /// Where it came from, after redirects.
    pub url: Url,
    response: Response,
    read: u64,
    max_bytes: u64,
    deadline: tokio::time::Instant,
}

impl Streaming {
    /// The first header of a name, in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The answer with all that is left of its body.
    ///
    /// # Errors
    /// [`HttpError`] when it ends early, takes too long or is too large.
    pub async fn whole(mut self) -> Result<Answer, HttpError> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(Answer { status: self.status, headers: self.headers, url: self.url, body })
    }

    /// The next bytes, or `None` at the end.
    pub fn chunk(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, HttpError>> {
        Box::pin(async move {
            let host = host_of(&self.url);
            let next = tokio::time::timeout_at(self.deadline, self.response.chunk());
            let chunk = match next.await {
                Err(_) => return Err(HttpError::Timeout { host, connected: true }),
                Ok(Err(error)) => return Err(explain(&error, &self.url)),
                Ok(Ok(chunk)) => chunk,
            };
            let Some(chunk) = chunk else { return Ok(None) };
            self.read += chunk.len() as u64;
            if self.read > self.max_bytes {
                return Err(HttpError::TooLarge { host, max_bytes: self.max_bytes });
            }
            Ok(Some(chunk.to_vec()))
        })
    }
}

/// The door.
#[derive(Debug, Clone)]
pub struct Egress {
    /// Made by the first call: a function that only reads files never pays for it.
    client: Arc<OnceLock<Client>>,
    policy: Policy,
    resolver: GuardedResolver,
    closed: Vec<Closed>,
}

impl Egress {
    /// A door with this policy. Proxies of the environment are not used: they would resolve names themselves. Clones share
    /// their connections.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self::with_lookup(policy, Arc::new(SystemLookup))
    }

    /// A door that asks somebody else for addresses; what they answer is guarded in the same way.
    pub(crate) fn with_lookup(policy: Policy, lookup: Arc<dyn Lookup>) -> Self {
        let resolver = GuardedResolver { policy, lookup };
        Self { client: Arc::default(), policy, resolver, closed: Vec::new() }
    }

    fn client(&self) -> Result<&Client, HttpError> {
        if let Some(made) = self.client.get() {
            return Ok(made);
        }
        let client = Client::builder()
            .dns_resolver(self.resolver.clone())
            .redirect(redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(Duration::from_secs(10))
            .user_agent(USER_AGENT)
            .build()
            .map_err(|error| HttpError::Request(error.without_url().to_string()))?;
        Ok(self.client.get_or_init(|| client))
    }

    /// The same door without one more place, `host:port`: Lambda's runtime address lies on this machine, so where
    /// loopback is open it has to be closed by itself.
    #[must_use]
    pub fn never(mut self, authority: &str) -> Self {
        self.closed.push(Closed::parse(authority));
        self
    }

    fn check(&self, url: &Url) -> Result<(), HttpError> {
        self.policy.check(url)?;
        self.closed.iter().try_for_each(|closed| closed.check(url))
    }

    /// The addresses of a host for a connection that is not HTTP, such as one to a database. Host and addresses are held to
    /// the rules of an HTTPS call; whoever dials must dial one of these and look nothing up again.
    pub fn addresses<'a>(
        &'a self,
        host: &'a str,
        port: u16,
    ) -> BoxFuture<'a, Result<Vec<SocketAddr>, HttpError>> {
        Box::pin(async move {
            // Read as a web address, so that every way of writing an address is known as what it is.
            let url = Url::parse(&format!("https://{host}:{port}/")).ok();
            let url = url.filter(|url| url.path() == "/" && url.query().is_none());
            let url = url.ok_or_else(|| HttpError::Request("the host is not a name".to_owned()))?;
            self.check(&url)?;
            let at = |address: IpAddr| vec![SocketAddr::new(address, port)];
            match url.host() {
                Some(Host::Ipv4(address)) => Ok(at(address.into())),
                Some(Host::Ipv6(address)) => Ok(at(address.into())),
                _ => self.resolver.dialled(&host_of(&url), port).await,
            }
        })
    }

    /// Sends a call and reads the whole answer, whatever its status.
    pub fn send(&self, call: Call) -> BoxFuture<'_, Result<Answer, HttpError>> {
        Box::pin(async move { self.open(call).await?.whole().await })
    }

    /// Sends a call and leaves the body to be read.
    pub fn open(&self, call: Call) -> BoxFuture<'_, Result<Streaming, HttpError>> {
        Box::pin(async move {
            let deadline = tokio::time::Instant::now() + call.timeout;
            let mut hop = Hop::first(call)?;
            for _ in 0..=MAX_REDIRECTS {
                self.check(&hop.url)?;
                let response = self.dial(&hop, deadline).await?;
                match hop.after(&response)? {
                    Some(next) => hop = next,
                    None => return open_answer(response, hop, deadline),
                }
            }
            Err(HttpError::Redirect { host: host_of(&hop.url), reason: "too often" })
        })
    }

    async fn dial(&self, hop: &Hop, deadline: tokio::time::Instant) -> Result<Response, HttpError> {
        if deadline <= tokio::time::Instant::now() {
            return Err(HttpError::Timeout { host: host_of(&hop.url), connected: false });
        }
        let mut request = self
            .client()?
            .request(hop.method.clone(), hop.url.clone())
            .headers(hop.headers.clone());
        if let Some(body) = &hop.body {
            request = request.body(body.clone());
        }
        match tokio::time::timeout_at(deadline, request.send()).await {
            Err(_) => Err(HttpError::Timeout { host: host_of(&hop.url), connected: true }),
            Ok(Err(error)) => Err(explain(&error, &hop.url)),
            Ok(Ok(response)) => Ok(response),
        }
    }
}

fn open_answer(
    response: Response,
    hop: Hop,
    deadline: tokio::time::Instant,
) -> Result<Streaming, HttpError> {
    if response.content_length().is_some_and(|length| length > hop.max_bytes) {
        return Err(HttpError::TooLarge { host: host_of(&hop.url), max_bytes: hop.max_bytes });
    }
    let text = |(name, value): (&HeaderName, &HeaderValue)| {
        Some((name.to_string(), value.to_str().ok()?.to_owned()))
    };
    Ok(Streaming {
        status: response.status().as_u16(),
        headers: response.headers().iter().filter_map(text).collect(),
        url: hop.url,
        response,
        read: 0,
        max_bytes: hop.max_bytes,
        deadline,
    })
}

/// One request of a chain of redirects.
struct Hop {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
    max_bytes: u64,
}

impl Hop {
    fn first(call: Call) -> Result<Self, HttpError> {
        let method = Method::from_bytes(call.method.as_bytes())
            .map_err(|_| HttpError::Request(format!("`{}` is not a method", call.method)))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &call.headers {
            let key = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| HttpError::Request(format!("`{name}` is not the name of a header")))?;
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                HttpError::Request(format!("the value of `{name}` cannot stand in a header"))
            })?;
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        Ok(Self { method, url: call.url, headers, body: call.body, max_bytes: call.max_bytes })
    }

    /// The next hop when the answer redirects. A request with an effect is never repeated elsewhere.
    fn after(&self, response: &Response) -> Result<Option<Self>, HttpError> {
        let follow = matches!(
            response.status(),
            StatusCode::MOVED_PERMANENTLY
                | StatusCode::FOUND
                | StatusCode::SEE_OTHER
                | StatusCode::TEMPORARY_REDIRECT
                | StatusCode::PERMANENT_REDIRECT
        );
        if !follow {
            return Ok(None);
        }
        let redirect = |reason| HttpError::Redirect { host: host_of(&self.url), reason };
        let reads = self.method == Method::GET || self.method == Method::HEAD;
        if !reads {
            return Err(redirect("a request that has an effect, which is not sent twice"));
        }
        let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let target = target.ok_or_else(|| redirect("without saying where"))?;
        let url =
            self.url.join(target).map_err(|_| redirect("to something that is not an address"))?;
        let mut headers = self.headers.clone();
        if url.origin() != self.url.origin() {
            // What was meant for one host is not shown to another.
            headers = headers
                .remove(ACCEPT)
                .map(|accept| HeaderMap::from_iter([(ACCEPT, accept)]))
                .unwrap_or_default();
        }
        Ok(Some(Self {
            method: self.method.clone(),
            url,
            headers,
            body: None,
            max_bytes: self.max_bytes,
        }))
    }
}

fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// A transport error without its address, which may hold a key.
fn explain(error: &reqwest::Error, url: &Url) -> HttpError {
    let host = host_of(url);
    let connected = !error.is_connect();
    if error.is_timeout() {
        return HttpError::Timeout { host, connected };
    }
    let mut source = error.source();
    let mut deepest = String::new();
    while let Some(cause) = source {
        if cause.is::<RefusedName>() {
            return HttpError::Refused { host, reason: "its name leads to no public address" };
        }
        deepest = cause.to_string();
        source = cause.source();
    }
    if error.is_builder() {
        return HttpError::Request(deepest);
    }
    tracing::info!(host, reason = deepest, "a connection failed");
    HttpError::Network { host, reason: network_problem(&deepest), connected }
}

//! What is checked of an address before it is called, and of every name while it is resolved.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::{fmt, io};

use countersign_failure::network_problem;
use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::address::is_public;
use crate::error::HttpError;

/// Whom a deployment may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// Whether this machine itself may be called, over HTTP too: only in the local stack.
    pub allow_loopback: bool,
}

impl Policy {
    /// Checks an address: scheme, no user in it, and the host when it is a literal address or names this machine.
    /// Other names are checked when they are resolved, so that the address checked is the one dialled.
    ///
    /// # Errors
    /// [`HttpError::Refused`] with the reason.
    pub fn check(self, url: &Url) -> Result<(), HttpError> {
        let refuse = |reason| Err(HttpError::Refused { host: shown_host(url), reason });
        let Some(host) = url.host() else { return refuse("it has no host") };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("it holds a user or password");
        }
        let loopback = names_this_machine(&host);
        match url.scheme() {
            "https" => {}
            "http" if loopback && self.allow_loopback => {}
            "http" => return refuse("only HTTPS may be called"),
            _ => return refuse("it is neither HTTPS nor HTTP"),
        }
        if loopback {
            return if self.allow_loopback { Ok(()) } else { refuse("it is this machine") };
        }
        match host {
            Host::Ipv4(address) if !is_public(address.into()) => {
                refuse("its address is not public")
            }
            Host::Ipv6(address) if !is_public(address.into()) => {
                refuse("its address is not public")
            }
            Host::Domain(name) if is_private_name(name) => refuse("its name is not public"),
            _ => Ok(()),
        }
    }
}

/// The host as it may stand in a message.
fn shown_host(url: &Url) -> String {
    url.host_str().unwrap_or_default().chars().take(253).collect()
}

fn names_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
        Host::Domain(name) => is_localhost(name),
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Names that only mean something inside a network.
fn is_private_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let endings = [
        ".local",
        ".internal",
        ".intranet",
        ".lan",
        ".home.arpa",
        ".home",
        ".private",
        ".corp",
        ".localdomain",
        ".onion",
    ];
    !name.contains('.') || endings.iter().any(|ending| name.ends_with(ending))
}

/// A name that leads nowhere public.
#[derive(Debug)]
pub(crate) struct RefusedName;

impl fmt::Display for RefusedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name leads to no public address")
    }
}

impl std::error::Error for RefusedName {}

/// Asks for the addresses of a name.
pub(crate) trait Lookup: fmt::Debug + Send + Sync {
    /// Every address of the name.
    fn addresses(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// What the operating system knows.
#[derive(Debug)]
pub(crate) struct SystemLookup;

impl Lookup for SystemLookup {
    fn addresses(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Resolves names and keeps only addresses that may be called. The client dials nothing else, and a name is looked up
/// once for one connection: an answer that changes afterwards changes nothing.
#[derive(Debug, Clone)]
pub(crate) struct GuardedResolver {
    pub(crate) policy: Policy,
    pub(crate) lookup: Arc<dyn Lookup>,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        if is_localhost(name.as_str()) {
            return Box::pin(std::future::ready(loopback(self.policy)));
        }
        let found = self.lookup.addresses(name.as_str().to_owned());
        Box::pin(async move { public_only(found.await?) })
    }
}

impl GuardedResolver {
    /// The addresses of a name that may be dialled.
    pub(crate) async fn dialled(
        &self,
        host: &str,
        port: u16,
    ) -> Result<Vec<SocketAddr>, HttpError> {
        let unknown = |reason: &'static str| HttpError::Network {
            host: host.to_owned(),
            reason,
            connected: false,
        };
        let name: Name = host.parse().map_err(|_| unknown("it is not a name"))?;
        match self.resolve(name).await {
            Ok(found) => Ok(found.map(|address| SocketAddr::new(address.ip(), port)).collect()),
            Err(error) if error.is::<RefusedName>() => Err(HttpError::Refused {
                host: host.to_owned(),
                reason: "its name leads to no public address",
            }),
            Err(error) => Err(unknown(network_problem(&error.to_string()))),
        }
    }
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// This machine, without asking anybody.
fn loopback(policy: Policy) -> Result<Addrs, BoxError> {
    if !policy.allow_loopback {
        return Err(Box::new(RefusedName));
    }
    let both: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    Ok(Box::new(both.into_iter().map(|address| SocketAddr::new(address, 0))))
}

/// Keeps the public ones; a name that mixes public and private addresses is somebody's trick and is refused whole.
pub(crate) fn public_only(found: Vec<IpAddr>) -> Result<Addrs, BoxError> {
    if found.is_empty() || !found.iter().copied().all(is_public) {
        return Err(Box::new(RefusedName));
    }
    Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))))
}

/// A place on this machine that is closed even where loopback is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Closed {
    host: String,
    port: u16,
}

impl Closed {
    /// The place of `host:port`; port 80 when it names none.
    pub(crate) fn parse(authority: &str) -> Self {
        let split = authority.rsplit_once(':');
        let split = split.and_then(|(host, port)| Some((host, port.parse().ok()?)));
        let (host, port) = split.unwrap_or((authority, 80));
        Self { host: host.trim_matches(['[', ']']).to_ascii_lowercase(), port }
    }

    /// Refuses an address that leads there, under any name of this machine.
    pub(crate) fn check(&self, url: &Url) -> Result<(), HttpError> {
        let Some(host) = url.host() else { return Ok(()) };
        let same =
            names_this_machine(&host) || shown_host(url).trim_matches(['[', ']', '.']) == self.host;
        if same && url.port_or_known_default() == Some(self.port) {
            return Err(HttpError::Refused { host: shown_host(url), reason: "it is Lambda's own" });
        }
        Ok(())
    }
}

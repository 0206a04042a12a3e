//! Stands between the functions and DynamoDB, and kills a function at one of its writes.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::provider_server;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The emulator does not tell a machine that a function died while the machine waits for its token, as AWS does, so such
/// a gate would never open; stopping this one after every write is a test of `gatekeeper`.
const SPARED: &str = "-gate-open";

/// On which side of a write a function dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// The write has not happened.
    Before,
    /// It has, and the function does not learn of it.
    After,
}

/// Whom an order is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whom {
    /// The REST door.
    Api,
    /// Everything behind it.
    Others,
    /// Only the function whose name ends so.
    Only(&'static str),
}

impl Whom {
    fn has(self, function: &str) -> bool {
        match self {
            Self::Api => function.ends_with("-api"),
            Self::Others => !function.ends_with("-api"),
            Self::Only(name) => function.ends_with(name),
        }
    }
}

#[derive(Debug, Default)]
struct Orders {
    strike: Option<(Whom, usize, Side)>,
    writes: BTreeMap<String, usize>,
    struck: BTreeSet<String>,
}

/// The proxy.
#[derive(Debug, Clone)]
pub(crate) struct Saboteur {
    pub(crate) address: SocketAddr,
    upstream: Arc<Mutex<Option<u16>>>,
    orders: Arc<Mutex<Orders>>,
}

impl Saboteur {
    /// Listens; harmless until it is ordered, and until it knows where the emulator listens all connections are dropped.
    pub(crate) async fn listen() -> Self {
        let listener = provider_server::listener();
        let this = Self {
            address: listener.local_addr().unwrap(),
            upstream: Arc::default(),
            orders: Arc::default(),
        };
        let serving = this.clone();
        // A thread with a runtime of its own: the stack is started from blocking code.
        std::thread::spawn(move || {
            let listener = listener.into_std().unwrap();
            crate::world::runtime().block_on(async move {
                let listener = TcpListener::from_std(listener).unwrap();
                while let Ok((stream, _)) = listener.accept().await {
                    let serving = serving.clone();
                    tokio::spawn(async move { serving.relay(stream).await });
                }
            });
        });
        this
    }

    /// Where to forward to.
    pub(crate) fn before(&self, port: u16) {
        *self.upstream.lock().unwrap() = Some(port);
    }

    /// Each of these functions dies once, at its `nth` write from now.
    pub(crate) fn order(&self, whom: Whom, nth: usize, side: Side) {
        let strike = Some((whom, nth, side));
        *self.orders.lock().unwrap() = Orders { strike, ..Orders::default() };
    }

    /// No more; gives the functions that have died since the order.
    pub(crate) fn relent(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.orders.lock().unwrap()).struck
    }

    async fn relay(&self, mut client: TcpStream) -> Option<()> {
        let (pid, function) = process_of(&client)?;
        let port = (*self.upstream.lock().unwrap())?;
        let mut upstream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
        let mut waiting = Vec::new();
        loop {
            let request = message(&mut client, &mut waiting).await?;
            let side = self.verdict(&function, &request);
            if side == Some(Side::Before) {
                return kill(pid);
            }
            upstream.write_all(&request).await.ok()?;
            let answer = message(&mut upstream, &mut Vec::new()).await?;
            if side == Some(Side::After) {
                return kill(pid);
            }
            client.write_all(&answer).await.ok()?;
        }
    }

    fn verdict(&self, function: &str, request: &[u8]) -> Option<Side> {
        if !writes(request) {
            return None;
        }
        let mut orders = self.orders.lock().unwrap();
        let (whom, nth, side) = orders.strike?;
        if !whom.has(function) || function.ends_with(SPARED) {
            return None;
        }
        let count = orders.writes.entry(function.to_owned()).or_default();
        *count += 1;
        let due = *count >= nth;
        (due && orders.struck.insert(function.to_owned())).then_some(side)
    }
}

fn writes(request: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&request[..request.len().min(2_000)]).to_ascii_lowercase();
    ["putitem", "updateitem", "deleteitem", "transactwriteitems", "batchwriteitem"]
        .iter()
        .any(|write| head.contains(&format!("dynamodb_20120810.{write}")))
}

/// One HTTP message with a `content-length`; what follows it stays in `waiting`.
async fn message(stream: &mut (impl AsyncRead + Unpin), waiting: &mut Vec<u8>) -> Option<Vec<u8>> {
    let mut piece = [0; 16 * 1024];
    loop {
        if let Some(length) = length(waiting)
            && waiting.len() >= length
        {
            let rest = waiting.split_off(length);
            return Some(std::mem::replace(waiting, rest));
        }
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => waiting.extend_from_slice(&piece[..read]),
        }
    }
}

/// How long the message is, once its head is there.
fn length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    let body = text.lines().find_map(|line| line.strip_prefix("content-length:"));
    Some(head + body.map_or(0, |length| length.trim().parse().unwrap_or(0)))
}

fn kill(pid: u32) -> Option<()> {
    Command::new("kill").args(["-KILL", &pid.to_string()]).status().ok()?;
    None
}

/// Kills the function at the other end of a connection on this machine.
pub(crate) fn kill_at(stream: &TcpStream) -> Option<()> {
    let (pid, _) = process_of(stream)?;
    kill(pid);
    Some(())
}

/// The process at the other end of a connection on this machine, and the function it runs.
fn process_of(stream: &TcpStream) -> Option<(u32, String)> {
    let socket = format!("socket:[{}]", inode(stream)?);
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    for pid in processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        let Ok(files) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { continue };
        let mut links = files.flatten().filter_map(|file| std::fs::read_link(file.path()).ok());
        if links.any(|link| link.as_os_str() == socket.as_str()) {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
            let mut variables = environment.split(|byte| *byte == 0);
            let name =
                variables.find_map(|pair| pair.strip_prefix(b"AWS_LAMBDA_FUNCTION_NAME="))?;
            return Some((pid, String::from_utf8_lossy(name).into_owned()));
        }
    }
    None
}

/// The inode of the socket at the other end. Its port alone does not tell: a connection that was closed a moment ago, or one to
/// another server, may have the same.
fn inode(stream: &TcpStream) -> Option<String> {
    let port = |address: SocketAddr| format!(":{:04X}", address.port());
    let (theirs, ours) = (port(stream.peer_addr().ok()?), port(stream.local_addr().ok()?));
    let table = std::fs::read_to_string("/proc/net/tcp").ok()?;
    let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let line = lines.find(|line| {
        let ends = |n: usize, port: &str| line.get(n).is_some_and(|end| end.ends_with(port));
        ends(1, &theirs) && ends(2, &ours)
    })?;
    line.get(9).map(|inode| (*inode).to_owned())
}

//! A server that keeps what it is sent, byte for byte, and closes each connection after its answer.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What transport alone decides.
const TRANSPORT: [&str; 5] = ["host", "content-length", "connection", "accept-encoding", "date"];
/// The path of the token server.
pub(super) const TOKEN_PATH: &str = "/oauth/token";
/// The token it sells.
pub(super) const TOKEN: &str = "t0ken{amount}/+=";

/// A request as it was received, without what transport alone decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Received {
    /// Who was asked, of the header `host`.
    pub(super) host: String,
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    /// Sorted by name.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

pub(super) struct Server {
    pub(super) port: u16,
    kept: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let server = Self { port, kept: kept.clone() };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, kept.clone()));
            }
        });
        server
    }

    pub(super) fn forget(&self) {
        self.kept.lock().unwrap().clear();
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.kept.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, kept: Arc<Mutex<Vec<Received>>>) {
    let received = read(&mut stream).await;
    let answer = match received.target.as_str() {
        TOKEN_PATH => format!(r#"{{"access_token":"{TOKEN}","expires_in":3600}}"#),
        _ => r#"{"data":{"pay":{"id":"1"}}}"#.to_owned(),
    };
    kept.lock().unwrap().push(received);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    let text = format!("{head}content-length: {}\r\n\r\n{answer}", answer.len());
    stream.write_all(text.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

async fn read(stream: &mut TcpStream) -> Received {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the head ends early");
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut received = parse(&head);
    let length = received.headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, text)| text.parse().unwrap());
    while bytes.len() < end + 4 + length {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "the body ends early");
    }
    assert_eq!(bytes.len(), end + 4 + length, "more than one request was sent");
    received.body = bytes.split_off(end + 4);
    received.headers.retain(|(name, _)| !TRANSPORT.contains(&name.as_str()));
    received
}

fn parse(head: &str) -> Received {
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap().split(' ');
    let (method, target) = (first.next().unwrap(), first.next().unwrap());
    assert_eq!((first.next(), first.next()), (Some("HTTP/1.1"), None));
    let header = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
        (name.to_ascii_lowercase(), value.to_owned())
    };
    let mut headers: Vec<(String, String)> = lines.map(header).collect();
    headers.sort();
    let host = headers.iter().find(|(name, _)| name == "host").unwrap().1.clone();
    Received {
        host,
        method: method.to_owned(),
        target: target.to_owned(),
        headers,
        body: Vec::new(),
    }
}

//! Hostile addresses, and real servers on this machine for everything else.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;
use wiremock::matchers::{header_exists, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::{Call, Egress, HttpError, Policy};

mod addresses;
mod rebinding;

const CLOSED: Policy = Policy { allow_loopback: false };
const LOCAL: Policy = Policy { allow_loopback: true };

fn call(server: &MockServer, route: &str) -> Call {
    Call::get(Url::parse(&format!("{}{route}", server.uri())).unwrap())
}

async fn server(route: &str, template: ResponseTemplate) -> MockServer {
    let server = MockServer::builder().start().await;
    Mock::given(path(route)).respond_with(template).mount(&server).await;
    server
}

#[tokio::test]
async fn k_38_a_closed_door_does_not_even_dial() {
    let server = server("/", ResponseTemplate::new(200)).await;
    let error = Egress::new(CLOSED).send(call(&server, "/")).await.unwrap_err();
    assert!(matches!(error, HttpError::Refused { .. }), "{error}");
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn k_38_a_redirect_into_the_network_is_refused() {
    for target in [
        "http://169.254.169.254/latest/meta-data/",
        "https://10.0.0.1/",
        "file:///etc/passwd",
        "http://example.com/",
    ] {
        let server =
            server("/", ResponseTemplate::new(302).insert_header("location", target)).await;
        let error = Egress::new(LOCAL).send(call(&server, "/")).await.unwrap_err();
        assert!(matches!(error, HttpError::Refused { .. }), "{target}: {error}");
    }
}

#[tokio::test]
async fn k_38_redirects_are_followed_a_few_times_only() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/a"))
        .respond_with(ResponseTemplate::new(302).insert_header("location", "/b"))
        .mount(&server)
        .await;
    Mock::given(path("/b"))
        .respond_with(ResponseTemplate::new(200).set_body_string("here"))
        .mount(&server)
        .await;
    Mock::given(path("/loop"))
        .respond_with(ResponseTemplate::new(307).insert_header("location", "/loop"))
        .mount(&server)
        .await;
    let egress = Egress::new(LOCAL);
    let answer = egress.send(call(&server, "/a")).await.unwrap();
    assert_eq!(
        (answer.status, answer.body.as_slice(), answer.url.path()),
        (200, b"here".as_slice(), "/b")
    );
    let error = egress.send(call(&server, "/loop")).await.unwrap_err();
    assert!(matches!(error, HttpError::Redirect { reason: "too often", .. }), "{error}");
}

#[tokio::test]
async fn k_38_headers_stay_with_their_host() {
    let other = MockServer::builder().start().await;
    Mock::given(header_exists("authorization"))
        .respond_with(ResponseTemplate::new(500))
        .with_priority(1)
        .mount(&other)
        .await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(200)).mount(&other).await;
    let first =
        server("/", ResponseTemplate::new(302).insert_header("location", other.uri())).await;
    let mut request = call(&first, "/");
    request.headers.push(("authorization".to_owned(), "Bearer token".to_owned()));
    assert_eq!(Egress::new(LOCAL).send(request).await.unwrap().status, 200);
    assert!(first.received_requests().await.unwrap()[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn k_38_another_port_or_name_is_another_origin() {
    let secrets = ["authorization", "cookie", "x-api-key", "proxy-authorization"];
    let second = server("/", ResponseTemplate::new(200)).await;
    for origin in [second.uri(), second.uri().replace("127.0.0.1", "localhost")] {
        let target = format!("{origin}/");
        let first = server("/", ResponseTemplate::new(307).insert_header("location", target)).await;
        let mut request = call(&first, "/");
        request.headers = secrets.map(|name| (name.to_owned(), "s3cr3t".to_owned())).to_vec();
        request.headers.push(("accept".to_owned(), "application/json".to_owned()));
        Egress::new(LOCAL).send(request).await.unwrap();
    }
    let seen = second.received_requests().await.unwrap();
    assert_eq!(seen.len(), 2);
    for request in seen {
        assert!(secrets.iter().all(|name| !request.headers.contains_key(*name)), "{request:?}");
        assert_eq!(request.headers["accept"], "application/json");
    }
}

#[tokio::test]
async fn k_38_lambdas_own_address_is_not_reached_by_a_redirect_either() {
    let own = server("/next", ResponseTemplate::new(200)).await;
    let target = format!("http://localhost:{}/next", own.address().port());
    let first = server("/", ResponseTemplate::new(302).insert_header("location", target)).await;
    let egress = Egress::new(LOCAL).never(&own.address().to_string());
    for request in [call(&own, "/next"), call(&first, "/")] {
        let error = egress.send(request).await.unwrap_err();
        assert!(error.to_string().contains("Lambda's own"), "{error}");
    }
    assert!(own.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn k_38_an_effect_is_not_sent_twice() {
    let server = server("/", ResponseTemplate::new(307).insert_header("location", "/again")).await;
    let request =
        Call { method: "POST".to_owned(), body: Some(b"{}".to_vec()), ..call(&server, "/") };
    let error = Egress::new(LOCAL).send(request).await.unwrap_err();
    assert!(matches!(error, HttpError::Redirect { .. }), "{error}");
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn k_38_large_answers_are_cut_off() {
    let server = server("/", ResponseTemplate::new(200).set_body_bytes(vec![b'x'; 100_000])).await;
    let request = Call { max_bytes: 10_000, ..call(&server, "/") };
    let error = Egress::new(LOCAL).send(request).await.unwrap_err();
    assert!(matches!(error, HttpError::TooLarge { max_bytes: 10_000, .. }), "{error}");
}

/// 5 KB of gzip that unpack to about 5 MB: a stored head, then one block of zeros repeated by reference.
fn bomb() -> Vec<u8> {
    let mut bits = Bits::default();
    // One final block with fixed codes: a literal zero, then (length 258, distance 1) over and over.
    bits.push(0b1, 1);
    bits.push(0b01, 2);
    bits.code(0b0011_0000, 8);
    for _ in 0..20_000 {
        bits.code(0b1100_0101, 8);
        bits.code(0b00000, 5);
    }
    bits.code(0, 7);
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    bytes.extend(bits.bytes());
    bytes
}

#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        self.0.extend((0..count).map(|bit| value >> bit & 1 == 1));
    }

    /// Huffman codes stand with their highest bit first.
    fn code(&mut self, value: u32, count: u32) {
        self.0.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
    }

    fn bytes(&self) -> Vec<u8> {
        self.0
            .chunks(8)
            .map(|bits| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)))
            .collect()
    }
}

#[tokio::test]
async fn k_38_a_decompression_bomb_is_bounded_by_what_it_unpacks_to() {
    let bomb = bomb();
    assert!(bomb.len() < 100_000);
    let template =
        ResponseTemplate::new(200).insert_header("content-encoding", "gzip").set_body_bytes(bomb);
    let server = server("/", template).await;
    let request = Call { max_bytes: 200_000, ..call(&server, "/") };
    let error = Egress::new(LOCAL).send(request).await.unwrap_err();
    assert!(matches!(error, HttpError::TooLarge { max_bytes: 200_000, .. }), "{error}");
}

/// A server that says `head` and then nothing more.
async fn silent(head: &'static str) -> (Url, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url =
        Url::parse(&format!("http://{}/?key=s3cr3t", listener.local_addr().unwrap())).unwrap();
    let task = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 1024];
        let _ = socket.read(&mut buffer).await;
        let _ = socket.write_all(head.as_bytes()).await;
        std::future::pending::<()>().await;
    });
    (url, task)
}

#[tokio::test]
async fn k_38_time_is_bounded_for_head_and_body() {
    for head in ["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"] {
        let (url, task) = silent(head).await;
        let request = Call { timeout: Duration::from_millis(200), ..Call::get(url) };
        let error = Egress::new(LOCAL).send(request).await.unwrap_err();
        assert!(matches!(error, HttpError::Timeout { .. }), "{error}");
        assert!(error.may_have_arrived());
        task.abort();
    }
}

/// A server that never stops sending, one byte at a time.
async fn dripping() -> (Url, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    let task = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 1024];
        let _ = socket.read(&mut buffer).await;
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").await;
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        while socket.write_all(b"x").await.is_ok() {
            tick.tick().await;
        }
    });
    (url, task)
}

#[tokio::test]
async fn k_38_a_body_that_drips_is_bounded_as_a_whole() {
    let (url, task) = dripping().await;
    let request = Call { timeout: Duration::from_millis(300), ..Call::get(url) };
    let begun = tokio::time::Instant::now();
    let error = Egress::new(LOCAL).send(request).await.unwrap_err();
    assert!(matches!(error, HttpError::Timeout { .. }), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(5));
    task.abort();
}

#[tokio::test]
async fn k_38_an_answer_without_a_length_is_bounded_too() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    let task = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 1024];
        let _ = socket.read(&mut buffer).await;
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while socket.write_all(&[b'x'; 4_096]).await.is_ok() {}
    });
    let request = Call { max_bytes: 50_000, ..Call::get(url) };
    let error = Egress::new(LOCAL).send(request).await.unwrap_err();
    assert!(matches!(error, HttpError::TooLarge { max_bytes: 50_000, .. }), "{error}");
    task.abort();
}

#[tokio::test]
async fn k_42_no_error_holds_a_query() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = Url::parse(&format!("http://{address}/?api_key=s3cr3t")).unwrap();
    let error = Egress::new(LOCAL).send(Call::get(url)).await.unwrap_err();
    assert!(matches!(error, HttpError::Network { .. }), "{error}");
    assert!(!error.may_have_arrived(), "nobody listens");
    assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
}

#[tokio::test]
async fn the_caller_says_who_it_is() {
    let server = server("/", ResponseTemplate::new(200)).await;
    Egress::new(LOCAL).send(call(&server, "/")).await.unwrap();
    let agent = server.received_requests().await.unwrap()[0].headers["user-agent"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(agent, "Countersign");
}

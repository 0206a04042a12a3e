//! Hostile addresses, and real servers on this machine for everything else.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;
use wiremock::matchers::{header_exists, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::guard::public_only;
use crate::{Call, Egress, HttpError, Policy, is_public};

const CLOSED: Policy = Policy { allow_loopback: false };
const LOCAL: Policy = Policy { allow_loopback: true };

/// Every one of these leads, or could lead, into the network the call comes from.
const HOSTILE: [&str; 92] = [
    // Other schemes, and HTTP.
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/_",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "ws://example.com/",
    "unix:/var/run/docker.sock",
    "dict://example.com:11211/",
    // Users in the address.
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://example.com@127.0.0.1/",
    "https://:pw@example.com/",
    // This machine, in every spelling.
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://a.localhost/",
    "https://127.0.0.1/",
    "https://127.0.0.1:8443/",
    "https://127.1/",
    "https://127.0.1/",
    "https://127.255.255.254/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0x0.0x0.0x1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://0/",
    "https://0.0.0.0/",
    "https://0.1.2.3/",
    "https://①②⑦.⓪.⓪.①/",
    "https://127。0。0。1/",
    "https://%31%32%37.0.0.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::127.0.0.1]/",
    // Metadata services and credentials.
    "http://169.254.169.254/latest/meta-data/",
    "https://169.254.169.254/latest/meta-data/",
    "https://169.254.170.2/v2/credentials",
    "https://169.254.170.23/v1/credentials",
    "https://169.254.100.1/2018-06-01/runtime",
    "https://2852039166/",
    "https://0xa9fea9fe/",
    "https://0251.0376.0251.0376/",
    "https://169.254.43518/",
    "https://[::ffff:169.254.169.254]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[fd00:ec2::254]/",
    "https://[fe80::a9fe:a9fe]/",
    "https://100.100.100.200/",
    "https://168.63.129.16/",
    "https://192.0.0.192/",
    "https://metadata.google.internal/",
    "https://metadata/",
    // Private networks.
    "https://10.0.0.1/",
    "https://10.255.255.255/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.0.1/",
    "https://192.168.1.1:8443/admin",
    "https://100.64.0.1/",
    "https://100.127.255.255/",
    "https://167772161/",
    "https://0xc0a80001/",
    "https://[fc00::1]/",
    "https://[fd12:3456:789a::1]/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://intranet/",
    "https://db.corp/",
    "https://nas.local/",
    "https://router.lan/",
    "https://vault.service.internal/",
    "https://printer.home.arpa/",
    // Addresses inside addresses.
    "https://[64:ff9b::10.0.0.1]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[64:ff9b:1::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[2002:a9fe:a9fe::1]/",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    // Addresses nobody lives at.
    "https://192.0.2.1/",
    "https://198.51.100.7/",
    "https://203.0.113.9/",
    "https://198.18.0.1/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[ff02::1]/",
    "https://[2001:db8::1]/",
    "https://[100::1]/",
];

fn check(address: &str, policy: Policy, expect: Result<(), &str>) {
    // What the address parser itself refuses can never be called.
    let outcome = match Url::parse(address) {
        Ok(url) => policy.check(&url).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match (&outcome, expect) {
        (Ok(()), Ok(())) => {}
        (Err(message), Err(part)) => assert!(message.contains(part), "{address}: {message}"),
        (outcome, _) => panic!("{address}: {outcome:?}"),
    }
}

#[test]
fn k_38_hostile_addresses_are_refused() {
    for address in HOSTILE {
        check(address, CLOSED, Err(""));
    }
}

#[test]
fn k_38_loopback_opens_nothing_else() {
    let opened = |address: &str| {
        let Ok(url) = Url::parse(address) else { return false };
        let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_owned();
        let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let local = host == "localhost"
            || host.ends_with(".localhost")
            || ip.is_some_and(|ip| ip.is_loopback());
        local && matches!(url.scheme(), "https" | "http") && url.username().is_empty()
    };
    for address in HOSTILE {
        check(address, LOCAL, if opened(address) { Ok(()) } else { Err("") });
    }
    check("http://127.0.0.1:8080/", LOCAL, Ok(()));
    check("http://localhost:8080/", LOCAL, Ok(()));
    check("http://[::1]:8080/", LOCAL, Ok(()));
    check("http://10.0.0.1/", LOCAL, Err("only HTTPS"));
}

#[test]
fn k_38_public_addresses_may_be_called() {
    for address in [
        "https://example.com/",
        "https://93.184.215.14/",
        "https://[2606:2800:21f:cb07::1]/",
        "https://api.example.co.uk:8443/v1?x=y",
    ] {
        check(address, CLOSED, Ok(()));
    }
}

#[test]
fn k_38_one_private_address_spoils_a_name() {
    let resolve = |addresses: &[&str]| {
        public_only(addresses.iter().map(|ip| SocketAddr::new(ip.parse().unwrap(), 0)).collect())
            .is_ok()
    };
    assert!(resolve(&["93.184.215.14", "2606:2800:21f::1"]));
    assert!(!resolve(&["93.184.215.14", "10.0.0.1"]));
    assert!(!resolve(&["127.0.0.1"]));
    assert!(!resolve(&["::ffff:93.184.215.14"]));
    assert!(!resolve(&[]));
}

fn call(server: &MockServer, route: &str) -> Call {
    Call::get(Url::parse(&format!("{}{route}", server.uri())).unwrap())
}

async fn server(route: &str, template: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(path(route)).respond_with(template).mount(&server).await;
    server
}

#[tokio::test]
async fn k_38_a_closed_door_does_not_even_dial() {
    let server = server("/", ResponseTemplate::new(200)).await;
    let error = Egress::new(CLOSED).unwrap().send(call(&server, "/")).await.unwrap_err();
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
        let error = Egress::new(LOCAL).unwrap().send(call(&server, "/")).await.unwrap_err();
        assert!(matches!(error, HttpError::Refused { .. }), "{target}: {error}");
    }
}

#[tokio::test]
async fn k_38_redirects_are_followed_a_few_times_only() {
    let server = MockServer::start().await;
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
    let egress = Egress::new(LOCAL).unwrap();
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
    let other = MockServer::start().await;
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
    assert_eq!(Egress::new(LOCAL).unwrap().send(request).await.unwrap().status, 200);
    assert!(first.received_requests().await.unwrap()[0].headers.contains_key("authorization"));
}

#[tokio::test]
async fn k_38_an_effect_is_not_sent_twice() {
    let server = server("/", ResponseTemplate::new(307).insert_header("location", "/again")).await;
    let request =
        Call { method: "POST".to_owned(), body: Some(b"{}".to_vec()), ..call(&server, "/") };
    let error = Egress::new(LOCAL).unwrap().send(request).await.unwrap_err();
    assert!(matches!(error, HttpError::Redirect { .. }), "{error}");
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn k_38_large_answers_are_cut_off() {
    let server = server("/", ResponseTemplate::new(200).set_body_bytes(vec![b'x'; 100_000])).await;
    let request = Call { max_bytes: 10_000, ..call(&server, "/") };
    let error = Egress::new(LOCAL).unwrap().send(request).await.unwrap_err();
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
    let error = Egress::new(LOCAL).unwrap().send(request).await.unwrap_err();
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
        let error = Egress::new(LOCAL).unwrap().send(request).await.unwrap_err();
        assert!(matches!(error, HttpError::Timeout { .. }), "{error}");
        task.abort();
    }
}

#[tokio::test]
async fn k_42_no_error_holds_a_query() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = Url::parse(&format!("http://{address}/?api_key=s3cr3t")).unwrap();
    let error = Egress::new(LOCAL).unwrap().send(Call::get(url)).await.unwrap_err();
    assert!(matches!(error, HttpError::Network { .. }), "{error}");
    assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
}

#[tokio::test]
async fn the_caller_says_who_it_is() {
    let server = server("/", ResponseTemplate::new(200)).await;
    Egress::new(LOCAL).unwrap().send(call(&server, "/")).await.unwrap();
    let agent = server.received_requests().await.unwrap()[0].headers["user-agent"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(agent.starts_with("Countersign/"), "{agent}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn k_38_no_mapped_or_private_address_is_public(bits in any::<u32>()) {
        let v4 = std::net::Ipv4Addr::from_bits(bits);
        prop_assert!(!is_public(v4.to_ipv6_mapped().into()));
        prop_assert!(!is_public(v4.to_ipv6_compatible().into()));
        if v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast() || v4.is_broadcast() || v4.is_documentation() || v4.is_unspecified() {
            prop_assert!(!is_public(v4.into()));
        }
    }

    #[test]
    fn k_38_only_global_unicast_is_public(bits in any::<u128>()) {
        let v6 = std::net::Ipv6Addr::from_bits(bits);
        if bits >> 125 != 1 { prop_assert!(!is_public(v6.into())); }
    }
}

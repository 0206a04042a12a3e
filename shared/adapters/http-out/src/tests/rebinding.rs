//! Names whose addresses change, or are not what they seem, told by a real DNS server of the test.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use simple_dns::rdata::{A, AAAA, RData};
use simple_dns::{CLASS, Name, Packet, PacketFlag, QTYPE, Question, ResourceRecord, TYPE};
use tokio::net::{TcpListener, UdpSocket};
use url::Url;

use super::{CLOSED, LOCAL};
use crate::guard::Lookup;
use crate::{Call, Egress, HttpError, Policy};

/// Answers of a name, one list of addresses after the other; the last one stays.
type Zone = BTreeMap<String, Vec<Vec<IpAddr>>>;

/// A DNS server on this machine, and what it was asked.
struct Dns {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<(String, bool)>>>,
}

impl Dns {
    async fn start(zone: &[(&str, &[&[&str]])]) -> Self {
        let mut zone: Zone = zone
            .iter()
            .map(|(name, answers)| {
                let list = |list: &&[&str]| list.iter().map(|ip| ip.parse().unwrap()).collect();
                ((*name).to_owned(), answers.iter().map(list).collect())
            })
            .collect();
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let dns = Self { address: socket.local_addr().unwrap(), asked: Arc::default() };
        let asked = dns.asked.clone();
        tokio::spawn(async move {
            let mut buffer = [0; 1_500];
            while let Ok((length, client)) = socket.recv_from(&mut buffer).await {
                let answer = answer(&buffer[..length], &mut zone, &asked);
                let _ = socket.send_to(&answer, client).await;
            }
        });
        dns
    }

    fn egress(&self, policy: Policy) -> Egress {
        Egress::with_lookup(policy, Arc::new(Asks(self.address)))
    }

    fn asked(&self, name: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|(known, v6)| known == name && !v6).count()
    }
}

/// The answer to one question. A resolution asks for A, then AAAA; after the second the next list is due.
fn answer(query: &[u8], zone: &mut Zone, asked: &Mutex<Vec<(String, bool)>>) -> Vec<u8> {
    let query = Packet::parse(query).unwrap();
    let question = query.questions[0].clone();
    let name = question.qname.to_string();
    let v6 = question.qtype == QTYPE::TYPE(TYPE::AAAA);
    asked.lock().unwrap().push((name.clone(), v6));
    let mut reply = Packet::new_reply(query.id());
    reply.set_flags(PacketFlag::AUTHORITATIVE_ANSWER);
    let lists = zone.get_mut(&name);
    for address in lists.iter().flat_map(|lists| lists[0].iter()) {
        let data = match address {
            IpAddr::V4(v4) if !v6 => RData::A(A { address: v4.to_bits() }),
            IpAddr::V6(own) if v6 => RData::AAAA(AAAA { address: own.to_bits() }),
            _ => continue,
        };
        reply.answers.push(ResourceRecord::new(question.qname.clone(), CLASS::IN, 0, data));
    }
    if let Some(lists) = lists.filter(|lists| v6 && lists.len() > 1) {
        lists.remove(0);
    }
    reply.questions.push(question);
    reply.build_bytes_vec().unwrap()
}

/// Asks the test's server over UDP.
#[derive(Debug)]
struct Asks(SocketAddr);

impl Lookup for Asks {
    fn addresses(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let server = self.0;
        Box::pin(async move {
            let mut found = Vec::new();
            for kind in [TYPE::A, TYPE::AAAA] {
                found.extend(ask(server, &name, kind).await?);
            }
            Ok(found)
        })
    }
}

async fn ask(server: SocketAddr, name: &str, kind: TYPE) -> io::Result<Vec<IpAddr>> {
    let mut query = Packet::new_query(7);
    let name = Name::new_unchecked(name.trim_end_matches('.'));
    query.questions.push(Question::new(name, kind.into(), CLASS::IN.into(), false));
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    socket.send_to(&query.build_bytes_vec().unwrap(), server).await?;
    let mut buffer = [0; 1_500];
    let length = socket.recv(&mut buffer).await?;
    let reply = Packet::parse(&buffer[..length]).unwrap();
    let address = |record: &ResourceRecord<'_>| match &record.rdata {
        RData::A(A { address }) => Some(IpAddr::V4(Ipv4Addr::from_bits(*address))),
        RData::AAAA(AAAA { address }) => Some(IpAddr::V6((*address).into())),
        _ => None,
    };
    Ok(reply.answers.iter().filter_map(address).collect())
}

fn get(address: &str) -> Call {
    let timeout = Duration::from_millis(400);
    Call { timeout, ..Call::get(Url::parse(address).unwrap()) }
}

/// A door of this machine, and how often somebody knocked.
async fn inside() -> (u16, Arc<Mutex<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let knocks = Arc::new(Mutex::new(0));
    let counted = knocks.clone();
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            *counted.lock().unwrap() += 1;
        }
    });
    (port, knocks)
}

#[track_caller]
fn is_refused(outcome: Result<crate::Answer, HttpError>, name: &str) {
    let error = outcome.unwrap_err();
    let refused =
        matches!(&error, HttpError::Refused { reason, .. } if reason.contains("no public"));
    assert!(refused, "{name}: {error:?}");
}

#[tokio::test]
async fn k_38_a_name_that_turns_inward_after_it_was_vetted_leads_nowhere() {
    let (port, knocks) = inside().await;
    let dns = Dns::start(&[("rebind.example", &[&["1.1.1.1"], &["127.0.0.1"]])]).await;
    let egress = dns.egress(CLOSED);
    let address = format!("https://rebind.example:{port}/");
    // The first answer is public: it is what is dialled, although the name leads inward from then on.
    let error = egress.send(get(&address)).await.unwrap_err();
    assert!(matches!(error, HttpError::Timeout { .. } | HttpError::Network { .. }), "{error:?}");
    assert_eq!(dns.asked("rebind.example"), 1, "vetted and dialled are one and the same answer");
    // The second call asks again and is refused.
    is_refused(egress.send(get(&address)).await, "rebind.example");
    assert_eq!(dns.asked("rebind.example"), 2);
    assert_eq!(*knocks.lock().unwrap(), 0);
}

#[tokio::test]
async fn k_38_any_private_address_in_an_answer_spoils_it() {
    let (port, knocks) = inside().await;
    let answers: &[(&str, &[&[&str]])] = &[
        ("loopback.example", &[&["127.0.0.1"]]),
        ("mixed.example", &[&["1.1.1.1", "127.0.0.1"]]),
        ("mixed6.example", &[&["1.1.1.1", "::1"]]),
        ("metadata.example", &[&["169.254.169.254"]]),
        ("metadata6.example", &[&["fd00:ec2::254"]]),
        ("private.example", &[&["10.0.0.1"]]),
        ("mapped.example", &[&["::ffff:127.0.0.1"]]),
        ("nat64.example", &[&["64:ff9b::a9fe:a9fe"]]),
        ("local64.example", &[&["64:ff9b:1::7f00:1"]]),
        ("sixtofour.example", &[&["2002:7f00:1::"]]),
        ("zero.example", &[&["0.0.0.0"]]),
        ("nothing.example", &[&[]]),
    ];
    let dns = Dns::start(answers).await;
    for (name, _) in answers {
        for policy in [CLOSED, LOCAL] {
            // Nothing is dialled, so that only a machine that is busy needs the time.
            let timeout = Duration::from_secs(20);
            let call = Call { timeout, ..get(&format!("https://{name}:{port}/")) };
            is_refused(dns.egress(policy).send(call).await, name);
        }
    }
    assert_eq!(*knocks.lock().unwrap(), 0);
}

#[tokio::test]
async fn k_38_a_redirect_to_a_name_that_leads_inward_is_refused() {
    let (port, knocks) = inside().await;
    let dns = Dns::start(&[("inside.example", &[&["127.0.0.1"]])]).await;
    let target = format!("https://inside.example:{port}/");
    let template = wiremock::ResponseTemplate::new(302).insert_header("location", target);
    let first = super::server("/", template).await;
    is_refused(dns.egress(LOCAL).send(super::call(&first, "/")).await, "inside.example");
    assert_eq!((dns.asked("inside.example"), *knocks.lock().unwrap()), (1, 0));
}

#[tokio::test]
async fn k_38_localhost_is_never_asked_for() {
    let dns = Dns::start(&[("localhost", &[&["1.1.1.1"]])]).await;
    let server = super::server("/", wiremock::ResponseTemplate::new(200)).await;
    let address = server.uri().replace("127.0.0.1", "localhost");
    assert_eq!(dns.egress(LOCAL).send(get(&address)).await.unwrap().status, 200);
    assert_eq!(dns.asked("localhost"), 0);
}

#[tokio::test]
async fn k_38_other_connections_dial_what_was_vetted() {
    let dns = Dns::start(&[
        ("db.example.com", &[&["93.184.216.34", "2606:2800:220:1::1"]]),
        ("inside.example.com", &[&["93.184.216.34", "10.0.0.5"]]),
    ])
    .await;
    let egress = dns.egress(CLOSED);
    let found = egress.addresses("db.example.com", 5432).await.unwrap();
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, ["93.184.216.34:5432", "[2606:2800:220:1::1]:5432"]);
    for host in [
        "inside.example.com",
        "localhost",
        "db",
        "db.internal",
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "169.254.169.254",
        "user@db.example.com",
    ] {
        let refused = egress.addresses(host, 5432).await.unwrap_err();
        assert!(matches!(refused, HttpError::Refused { .. }), "{host}: {refused}");
    }
    for host in ["", "a b", "db.example.com/x", "db.example.com?x", "db.example.com:1", "::1"] {
        let refused = egress.addresses(host, 5432).await.unwrap_err();
        assert!(matches!(refused, HttpError::Request(_)), "{host}: {refused}");
    }
    let open = dns.egress(LOCAL).never("127.0.0.1:9001");
    assert_eq!(open.addresses("127.1", 5432).await.unwrap()[0].to_string(), "127.0.0.1:5432");
    assert!(open.addresses("localhost", 9001).await.is_err(), "Lambda's own address stays closed");
    assert!(open.addresses("10.0.0.5", 5432).await.is_err());
}

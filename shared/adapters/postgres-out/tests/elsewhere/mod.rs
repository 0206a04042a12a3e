//! Servers that are not a database, or not one that may be asked.

use std::time::Duration;

use countersign_connector::sql::ReadStatement;
use countersign_failure::Failure as _;
use countersign_http_out::Egress;
use countersign_postgres_out::{Ask, ask};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{LOCAL, at};

/// Answers each connection's first bytes so, and then nothing.
async fn fake(answer: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://reader:reader-pw-1@{}/books", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = [0; 8];
            let _ = stream.read_exact(&mut asked).await;
            let _ = stream.write_all(answer).await;
        }
    });
    url
}

async fn fails(url: &str) -> &'static str {
    let egress = Egress::new(LOCAL);
    let statement = ReadStatement::parse("select 1").unwrap();
    let server = at(url);
    let question = Ask {
        server: &server,
        ca_certificate: None,
        search_path: &[],
        statement: &statement,
        arguments: &[],
        timeout: Duration::from_secs(1),
        max_rows: 1,
        as_written: &[],
    };
    ask(&egress, &question).await.unwrap_err().code()
}

#[tokio::test]
async fn k_40_a_server_without_tls_is_refused() {
    assert_eq!(fails(&fake(b"N").await).await, "DATABASE_TLS");
}

#[tokio::test]
async fn f_310_what_is_no_database_cannot_be_reached() {
    assert_eq!(fails(&fake(b"HTTP/1.1 400").await).await, "DATABASE_TLS");
    assert_eq!(fails(&fake(b"").await).await, "DATABASE_UNREACHABLE");
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert_eq!(fails(&format!("postgres://u:p@{closed}/d")).await, "DATABASE_UNREACHABLE");
}

#[tokio::test]
async fn k_38_databases_inside_the_network_are_refused() {
    for host in ["10.0.0.5", "169.254.169.254", "[::ffff:10.0.0.5]", "db.internal", "0x7f.0.0.1:9"]
    {
        let egress_refuses = fails(&format!("postgres://u:p@{host}/d")).await;
        let expect =
            if host.starts_with("0x7f") { "DATABASE_UNREACHABLE" } else { "EGRESS_REFUSED" };
        assert_eq!(egress_refuses, expect, "{host}");
    }
}

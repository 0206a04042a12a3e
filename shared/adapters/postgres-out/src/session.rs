//! One connection, from the vetted address to the rolled back transaction.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use countersign_connector::SslMode;
use countersign_connector::sql::Server;
use countersign_http_out::Egress;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::config::{ChannelBinding, SslMode as WireMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::bounded::{Bounded, MAX_READ};
use crate::error::DatabaseError;
use crate::read::read;
use crate::tls::connector;
use crate::{Ask, Table};

/// For the name, the connection, TLS and the password together.
const CONNECT: Duration = Duration::from_secs(10);
/// After the database's own timeout should have ended the statement.
const GRACE: Duration = Duration::from_secs(2);
/// For telling the database that nobody waits any more, and for saying goodbye.
const PARTING: Duration = Duration::from_secs(2);

pub(crate) async fn ask(egress: &Egress, ask: &Ask<'_>) -> Result<Table, DatabaseError> {
    let session = timeout(CONNECT, Session::open(egress, ask));
    let mut session = session.await.map_err(|_| {
        DatabaseError::Unreachable(format!("no connection within {} seconds", CONNECT.as_secs()))
    })??;
    let deadline = Instant::now() + ask.timeout + GRACE;
    let outcome = match timeout_at(deadline, session.run(ask)).await {
        Ok(outcome) => outcome,
        Err(_) => {
            session.cancel().await;
            Err(DatabaseError::Timeout)
        }
    };
    session.explain(outcome).await
}

struct Session {
    client: Client,
    /// Carries the connection's bytes.
    carrier: JoinHandle<()>,
    address: SocketAddr,
    host: String,
    tls: MakeRustlsConnect,
    spent: Arc<AtomicBool>,
}

impl Session {
    async fn open(egress: &Egress, ask: &Ask<'_>) -> Result<Self, DatabaseError> {
        let server = ask.server;
        let tls = connector(ask.ca_certificate)?;
        let addresses = egress.addresses(&server.host, server.port).await?;
        let elsewhere = addresses.iter().any(|address| !address.ip().is_loopback());
        if server.sslmode == SslMode::Disable && elsewhere {
            let reason = "`disable` is for a database on the same machine only";
            return Err(DatabaseError::Tls(reason.to_owned()));
        }
        let (stream, address) = dial(&addresses).await?;
        let stream = Bounded::new(stream);
        let spent = stream.spent();
        // Brackets belong to the address, not to the name a certificate has.
        let host = server.host.trim_matches(['[', ']']).to_owned();
        let connect = named(&tls, &host)?;
        let connected = config(server).connect_raw(stream, connect).await;
        let (client, connection) = connected.map_err(|error| DatabaseError::connecting(&error))?;
        let carrier = tokio::spawn(async move {
            // Whoever waits for an answer is told by the client that the connection broke.
            let _ = connection.await;
        });
        Ok(Self { client, carrier, address, host, tls, spent })
    }

    async fn run(&mut self, ask: &Ask<'_>) -> Result<Table, DatabaseError> {
        let failed = |error| DatabaseError::running(&error, ask.statement.as_str());
        let begun = self.client.build_transaction().read_only(true).start();
        let transaction = begun.await.map_err(failed)?;
        transaction.batch_execute(&settings(ask)).await.map_err(failed)?;
        check_role(&transaction).await?;
        let table = read(&transaction, ask).await?;
        // There is nothing to keep, and what a function may have begun ends here.
        transaction.rollback().await.map_err(failed)?;
        Ok(table)
    }

    /// Tells the database, at the address that was vetted, that nobody waits any more.
    async fn cancel(&self) {
        let token = self.client.cancel_token();
        let told = timeout(PARTING, async {
            let stream = TcpStream::connect(self.address).await.ok()?;
            let connect = named(&self.tls, &self.host).ok()?;
            token.cancel_query_raw(Bounded::new(stream), connect).await.ok()
        });
        if !matches!(told.await, Ok(Some(()))) {
            tracing::warn!("a statement that took too long could not be cancelled");
        }
    }

    /// Says goodbye, and why a connection broke that was broken here.
    async fn explain(self, outcome: Result<Table, DatabaseError>) -> Result<Table, DatabaseError> {
        let Self { client, mut carrier, spent, .. } = self;
        drop(client);
        if timeout(PARTING, &mut carrier).await.is_err() {
            carrier.abort();
        }
        match outcome {
            Err(_) if spent.load(Ordering::Relaxed) => {
                Err(DatabaseError::TooLarge { max_bytes: MAX_READ })
            }
            outcome => outcome,
        }
    }
}

/// The first of the vetted addresses that answers.
async fn dial(addresses: &[SocketAddr]) -> Result<(TcpStream, SocketAddr), DatabaseError> {
    let mut reason = "its name has no address".to_owned();
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok((stream, *address)),
            Err(error) => reason = error.kind().to_string(),
        }
    }
    Err(DatabaseError::Unreachable(reason))
}

type Connect = <MakeRustlsConnect as MakeTlsConnect<Bounded>>::TlsConnect;

fn named(tls: &MakeRustlsConnect, host: &str) -> Result<Connect, DatabaseError> {
    let mut tls = tls.clone();
    MakeTlsConnect::<Bounded>::make_tls_connect(&mut tls, host)
        .map_err(|_| DatabaseError::Tls("its host is not a name for a certificate".to_owned()))
}

fn config(server: &Server) -> Config {
    let mut config = Config::new();
    config
        .user(&server.user)
        .password(server.password.expose())
        .dbname(&server.database)
        .application_name("countersign")
        .ssl_mode(match server.sslmode {
            SslMode::VerifyFull => WireMode::Require,
            SslMode::Disable => WireMode::Disable,
        });
    if server.binds_channel {
        config.channel_binding(ChannelBinding::Require);
    }
    config
}

/// For this transaction only: poolers hand the connection to somebody else afterwards. Numbers and checked names.
fn settings(ask: &Ask<'_>) -> String {
    let millis = ask.timeout.as_millis().max(1);
    let mut sql = format!(
        "SET LOCAL statement_timeout = {millis}; \
         SET LOCAL lock_timeout = {millis}; \
         SET LOCAL idle_in_transaction_session_timeout = {idle}; \
         SET LOCAL standard_conforming_strings = on; \
         SET LOCAL TimeZone = 'UTC'",
        idle = millis + 60_000,
    );
    if !ask.search_path.is_empty() {
        let names: Vec<String> = ask.search_path.iter().map(|name| quoted(name)).collect();
        sql.push_str("; SET LOCAL search_path TO ");
        sql.push_str(&names.join(", "));
    }
    sql
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A read-only transaction does not bind a role that reads and writes the server's files, or ends other people's
/// statements, by calling a function.
const ROLE: &str = "
SELECT coalesce(bool_or(r.rolsuper), true),
       coalesce(bool_or(EXISTS (
           SELECT 1 FROM pg_catalog.pg_roles p
           WHERE p.rolname IN ('pg_execute_server_program', 'pg_read_server_files',
                               'pg_write_server_files', 'pg_write_all_data', 'pg_signal_backend')
             AND pg_catalog.pg_has_role(r.oid, p.oid, 'MEMBER'))), true)
FROM pg_catalog.pg_roles r WHERE r.rolname IN (current_user, session_user)";

async fn check_role(transaction: &Transaction<'_>) -> Result<(), DatabaseError> {
    let row = transaction.query_one(ROLE, &[]).await;
    let row = row.map_err(|error| DatabaseError::running(&error, ROLE))?;
    let [superuser, powerful] = [0, 1].map(|index| row.try_get(index).unwrap_or(true));
    match (superuser, powerful) {
        (true, _) => Err(DatabaseError::Role("is a superuser")),
        (_, true) => Err(DatabaseError::Role(
            "may write all data, reach the server's files or end statements",
        )),
        (false, false) => Ok(()),
    }
}

//! A real PostgreSQL of the tests: its own folder, a free port of this machine, TLS with an authority made for it.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;

/// What every test finds in the database `books`.
const SETUP: &str = "
CREATE ROLE reader LOGIN PASSWORD 'reader-pw-1';
CREATE ROLE keeper LOGIN PASSWORD 'keeper-pw-1' IN ROLE pg_read_server_files;
CREATE TYPE mood AS ENUM ('calm', 'odd');
CREATE DOMAIN cents AS bigint CHECK (VALUE >= 0);
CREATE TABLE donors (id int PRIMARY KEY, name text NOT NULL, amount numeric(12, 2));
INSERT INTO donors VALUES (1, 'Ana', 10.50), (2, 'Bo''s; drop', 0.10), (3, 'Ça é', NULL);
CREATE SEQUENCE counter;
CREATE FUNCTION sneaky() RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN DELETE FROM donors; RETURN 1; END $$;
CREATE SCHEMA archive;
CREATE TABLE archive.papers (title text);
INSERT INTO archive.papers VALUES ('old');
GRANT USAGE ON SCHEMA archive TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA archive TO reader;
-- More than reading needs: what holds must hold without the help of missing rights.
GRANT ALL ON donors, counter TO reader;
CREATE TABLE secrets (a int);
";

/// A running server; it stops when the last test that uses it ends.
pub(crate) struct Server {
    folder: TempDir,
    bin: PathBuf,
    pub(crate) port: u16,
    /// The authority that vouches for it.
    pub(crate) authority: String,
}

static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());

impl Server {
    /// The one that runs, or a new one.
    pub(crate) async fn shared() -> Arc<Self> {
        tokio::task::spawn_blocking(|| {
            let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(running) = shared.upgrade() {
                return running;
            }
            let server = Arc::new(Self::start());
            *shared = Arc::downgrade(&server);
            server
        })
        .await
        .unwrap()
    }

    fn start() -> Self {
        let bin = bin();
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        std::fs::write(folder.path().join("password"), "admin-pw-1").unwrap();
        let authority = certificates(folder.path());
        owned(folder.path());
        let file = |name: &str| folder.path().join(name).display().to_string();
        let words = ["-U", "admin", "-E", "UTF8", "--locale=C", "--no-sync", "-A", "scram-sha-256"];
        let password = format!("--pwfile={}", file("password"));
        run(Command::new(bin.join("initdb")).args(words).arg(password).arg("-D").arg(&data));
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories='' -c fsync=off \
             -c ssl=on -c ssl_cert_file={} -c ssl_key_file={}",
            file("server.pem"),
            file("server.key")
        );
        let log = file("log");
        let start = ["-w", "-t", "60", "-l", &log, "-o", &options, "start", "-D"];
        run(Command::new(bin.join("pg_ctl")).args(start).arg(&data));
        let server = Self { folder, bin, port, authority };
        server.script("postgres", "CREATE DATABASE books");
        server.script("books", SETUP);
        server
    }

    fn script(&self, database: &str, sql: &str) {
        let url = format!("postgres://admin:admin-pw-1@127.0.0.1:{}/{database}", self.port);
        let words = ["-q", "-X", "-v", "ON_ERROR_STOP=1", "-c", sql, &url];
        run(Command::new(self.bin.join("psql")).args(words));
    }

    /// A connection string of a role.
    pub(crate) fn url(&self, user: &str, password: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/books", self.port)
    }

    /// The string of the role that most tests use.
    pub(crate) fn reader(&self) -> String {
        self.url("reader", "reader-pw-1")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.folder.path().join("data");
        let mut stop = Command::new(self.bin.join("pg_ctl"));
        let _ = unprivileged(stop.args(["-m", "immediate", "-w", "stop", "-D"]).arg(data)).output();
    }
}

/// The newest of the installed ones.
fn bin() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .expect("PostgreSQL is not installed: apt-get install postgresql");
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let versions = versions.map(|entry| entry.unwrap().path());
    versions.max_by_key(number).expect("no version of PostgreSQL").join("bin")
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.trim_ascii() == b"0"
}

/// PostgreSQL refuses to run as root; its package brings a user for it.
fn unprivileged(command: &Command) -> Command {
    if !is_root() {
        let mut same = Command::new(command.get_program());
        same.args(command.get_args());
        return same;
    }
    let mut other = Command::new("runuser");
    other.args(["-u", "postgres", "--"]).arg(command.get_program()).args(command.get_args());
    other
}

fn run(command: &Command) {
    let mut command = unprivileged(command);
    // pg_ctl's child would hold a pipe open: files and nothing take the streams.
    let done = command.current_dir("/").stdout(std::process::Stdio::null()).status().unwrap();
    assert!(done.success(), "{command:?}");
}

fn owned(folder: &Path) {
    let key = folder.join("server.key");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(key, mode).unwrap();
    if is_root() {
        let done = Command::new("chown").args(["-R", "postgres"]).arg(folder).status().unwrap();
        assert!(done.success());
    }
}

/// An authority, and a certificate of it for this machine; gives the authority as PEM.
fn certificates(folder: &Path) -> String {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
    let server = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    std::fs::write(folder.join("server.pem"), server.pem()).unwrap();
    std::fs::write(folder.join("server.key"), key.serialize_pem()).unwrap();
    authority.pem()
}

/// The PEM of an authority that vouches for nobody.
pub(crate) fn other_authority() -> String {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().pem()
}

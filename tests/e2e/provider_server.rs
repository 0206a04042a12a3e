//! HTTP servers that the tests start in place of external providers.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::Mutex;

use wiremock::MockServer;

/// Every port that a server of this process has had.
static USED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// Starts a server at a port that none of this process has had: a monitor of a test that has ended may still ask there, and another
/// test's server would count its requests.
pub(crate) async fn start() -> MockServer {
    MockServer::builder().listener(unused()).start().await
}

/// The same for a server of a test's own making.
pub(crate) fn listener() -> tokio::net::TcpListener {
    let listener = unused();
    listener.set_nonblocking(true).unwrap();
    tokio::net::TcpListener::from_std(listener).unwrap()
}

fn unused() -> TcpListener {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        if USED.lock().unwrap().insert(listener.local_addr().unwrap().port()) {
            return listener;
        }
    }
}

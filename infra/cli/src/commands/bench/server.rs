//! A server that gives every request the same answer, and the connectors to it.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::error::CliError;

/// Opens a port of this machine; `doing` is what an error says was tried.
pub(super) async fn listener(doing: &'static str) -> Result<(TcpListener, u16), CliError> {
    let doing = |source| CliError::io(doing, source);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(doing)?;
    let port = listener.local_addr().map_err(doing)?.port();
    Ok((listener, port))
}

/// A connector to a server of this machine: its name, what its requests are authenticated by, and its endpoints.
pub(super) fn connector(
    (id, name): (&str, &str),
    port: u16,
    auth: &str,
    endpoints: &Value,
) -> String {
    let connector = json!({
        "id": id,
        "name": name,
        "type": "rest_api",
        "version": "1.0.0",
        "connection": { "base_url": format!("http://127.0.0.1:{port}"), "auth": { "type": auth } },
        "endpoints": endpoints,
    });
    connector.to_string()
}

/// Answers with this status and JSON for as long as the benchmark runs; the port.
pub(super) async fn serve(status: &str, body: &str, doing: &'static str) -> Result<u16, CliError> {
    let (listener, port) = listener(doing).await?;
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 16 * 1024];
                if stream.read(&mut request).await.is_ok() {
                    let _ = stream.write_all(answer.as_bytes()).await;
                }
            });
        }
    });
    Ok(port)
}

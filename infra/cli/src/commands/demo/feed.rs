//! A feed on this machine that gets items while it is watched.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Zoned;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::error::CliError;

/// A feed of notices, on a port of its own.
pub(super) struct Feed {
    pub(super) port: u16,
    items: Arc<Mutex<Vec<String>>>,
}

impl Feed {
    /// Serves an empty feed until the demo ends.
    pub(super) async fn open() -> Result<Self, CliError> {
        let io = |source| CliError::io("serving the feed of the demo", source);
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(io)?;
        let port = listener.local_addr().map_err(io)?.port();
        let items: Arc<Mutex<Vec<String>>> = Arc::default();
        let has = Arc::clone(&items);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let body = document(&has.lock().unwrap_or_else(PoisonError::into_inner));
                tokio::spawn(answer(stream, body));
            }
        });
        Ok(Self { port, items })
    }

    /// Adds an item, dated now.
    pub(super) fn publish(&self, title: &str) {
        let date = Zoned::now().strftime("%a, %d %b %Y %H:%M:%S %z");
        let item = format!(
            "<item><title>{title}</title><guid isPermaLink=\"false\">notice:{title}</guid><link>http://127.0.0.1:{}/</link><pubDate>{date}</pubDate></item>",
            self.port
        );
        self.items.lock().unwrap_or_else(PoisonError::into_inner).push(item);
    }
}

fn document(items: &[String]) -> String {
    format!(
        "<rss version=\"2.0\"><channel><title>Notices</title><link>http://127.0.0.1/</link><description>Notices of the demo</description>{}</channel></rss>",
        items.concat()
    )
}

/// Whoever breaks off is not answered.
async fn answer(mut stream: TcpStream, body: String) {
    let mut asked = vec![0; 16 * 1024];
    let _ = stream.read(&mut asked).await;
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
}

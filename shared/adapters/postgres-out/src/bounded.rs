//! A connection that stops reading: the client library reads a whole row before anybody can look at its size.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Bytes read from one connection, everything included: twice what rows may have, and room for the handshake.
pub(crate) const MAX_READ: usize = 24 * 1024 * 1024;

/// A stream that breaks after [`MAX_READ`] bytes.
#[derive(Debug)]
pub(crate) struct Bounded {
    stream: TcpStream,
    left: usize,
    spent: Arc<AtomicBool>,
}

impl Bounded {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream, left: MAX_READ, spent: Arc::default() }
    }

    /// Becomes true when the bound was reached.
    pub(crate) fn spent(&self) -> Arc<AtomicBool> {
        self.spent.clone()
    }
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        match self.left.checked_sub(buffer.filled().len() - before) {
            Some(left) => {
                self.left = left;
                Poll::Ready(Ok(()))
            }
            None => {
                self.spent.store(true, Ordering::Relaxed);
                Poll::Ready(Err(io::Error::other("the answer is too large")))
            }
        }
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

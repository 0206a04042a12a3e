//! A body that arrives piece by piece is parsed while it arrives.

use std::io::{self, Read};

use countersign_connector::FileBody;
use countersign_formats::{Extraction, FormatError, Limits, Reader, Stop};
use tokio::sync::mpsc::{Receiver, channel};

/// Pieces waiting between the network and the parser.
const WAITING: usize = 4;

type Piece = Result<Vec<u8>, String>;

/// Tells the parser to stop when nobody waits for it any more.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.now();
    }
}

/// Reads the records of a body. The parser runs on a thread of its own; when it stops early, so does the download, and
/// when this future is dropped, so does the parser.
pub(crate) async fn parse(
    body: &mut dyn FileBody,
    reader: Reader,
    limits: Limits,
) -> Result<Extraction, FormatError> {
    let (sender, receiver) = channel::<Piece>(WAITING);
    let stop = StopOnDrop(Stop::default());
    let seen = stop.0.clone();
    let parsing =
        tokio::task::spawn_blocking(move || reader.read(Pieces::new(receiver), &limits, &seen));
    loop {
        let piece = match body.next().await {
            Ok(Some(piece)) => Ok(piece),
            Ok(None) => break,
            Err(error) => Err(error.to_string()),
        };
        let failed = piece.is_err();
        // An error here means that the parser has stopped: its own result says why.
        if sender.send(piece).await.is_err() || failed {
            break;
        }
    }
    drop(sender);
    parsing.await.unwrap_or_else(|_| Err(FormatError::Source("the parser stopped".to_owned())))
}

struct Pieces {
    receiver: Receiver<Piece>,
    piece: Vec<u8>,
    taken: usize,
}

impl Pieces {
    fn new(receiver: Receiver<Piece>) -> Self {
        Self { receiver, piece: Vec::new(), taken: 0 }
    }
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.piece.len() {
            match self.receiver.blocking_recv() {
                None => return Ok(0),
                Some(Ok(piece)) => (self.piece, self.taken) = (piece, 0),
                Some(Err(reason)) => return Err(io::Error::other(reason)),
            }
        }
        let count = into.len().min(self.piece.len() - self.taken);
        into[..count].copy_from_slice(&self.piece[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

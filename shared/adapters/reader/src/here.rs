//! Reading without a child, for tests of crates that read files: what a child does, in this process.

use crate::answer::Answer;
use crate::ended::Ended;
use crate::job::Job;
use crate::readers::{Document, hear};

impl Document<'_> {
    /// All of it, or as much as any reader takes.
    pub(crate) async fn gathered(self, most: u64) -> Result<Vec<u8>, Ended> {
        match self {
            Self::Here(bytes) => Ok(bytes.to_vec()),
            Self::Arriving(body) => {
                let mut all = Vec::new();
                while all.len() as u64 <= most {
                    let piece = body.next().await;
                    match piece.map_err(|error| Ended::Source(error.to_string()))? {
                        Some(piece) => all.extend(piece),
                        None => break,
                    }
                }
                Ok(all)
            }
        }
    }
}

pub(crate) async fn read<A: Answer>(
    job: &Job,
    document: Document<'_>,
    most: u64,
) -> Result<A::Found, A::Error> {
    let mut input = serde_json::to_vec(job).map_err(|error| Ended::Failed(error.to_string()))?;
    input.push(b'\n');
    let longest = match job {
        Job::File { limits, .. } => limits.max_bytes,
        _ => u64::MAX,
    };
    input.extend(document.gathered(longest).await?);
    let reading = tokio::task::spawn_blocking(move || {
        let mut output = Vec::new();
        crate::child::read(&input[..], &mut output).map(|()| output)
    });
    let output = reading.await.map_err(|error| Ended::Failed(error.to_string()))?;
    let output = output.map_err(|error| Ended::Failed(error.to_string()))?;
    hear::<A>(&output[..], most).await.found(|| Ended::Damaged)
}

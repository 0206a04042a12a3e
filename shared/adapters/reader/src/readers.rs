//! The parent: starts a child for each document, feeds it, hears it, and ends it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use countersign_confined::{End, Program};
use countersign_connector::{FileBody, ScrapeRules};
use countersign_formats::{Extraction, FormatError, Limits, Reader};
use countersign_pages::{Body, ExtractMode, FeedItems, Page, PageError, PageRecords};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader,
};
use tokio::process::ChildStdin;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::answer::{Answer, Garbled, OfFeed, OfFile, OfPage, OfRecords};
use crate::child::WORD;
use crate::ended::Ended;
use crate::job::{Job, Origin};
use crate::wire::{DONE, ERROR};

const MIB: u64 = 1024 * 1024;

/// What one child may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of memory for a file; 64 MiB of them are the stack of a PDF's reader.
    pub file_memory: u64,
    /// Bytes of memory for a page or feed.
    pub page_memory: u64,
    /// Seconds of computing.
    pub seconds: u64,
    /// Bytes of its answer.
    pub output: u64,
}

/// Two children for files are 1,024 MiB of the 1,536 MB of `tool-connect` and `connector-test`; two for pages are 384 MiB
/// of the 512 MB of `tool-web`.
impl Default for Bounds {
    fn default() -> Self {
        Self { file_memory: 512 * MIB, page_memory: 192 * MIB, seconds: 60, output: 256 * MIB }
    }
}

/// Reads documents in children; one for the life of the process, because its clones share how many there are at once.
#[derive(Debug, Clone)]
pub struct Readers {
    program: Option<Arc<Program>>,
    bounds: Bounds,
    slots: Arc<Semaphore>,
}

impl Default for Readers {
    fn default() -> Self {
        Self::of(Some(Program::own()), Bounds::default())
    }
}

/// What a child is fed.
pub(crate) enum Document<'d> {
    Arriving(&'d mut dyn FileBody),
    Here(&'d [u8]),
}

impl Readers {
    /// Children at the same time.
    pub const AT_ONCE: usize = 2;

    fn of(program: Option<Program>, bounds: Bounds) -> Self {
        let slots = Arc::new(Semaphore::new(Self::AT_ONCE));
        Self { program: program.map(Arc::new), bounds, slots }
    }

    /// Readers whose children run another program than this process, with these arguments before the word: for tests, which
    /// run in a program that is not a function.
    #[must_use]
    pub fn with_program(path: PathBuf, arguments: Vec<OsString>, bounds: Bounds) -> Self {
        Self::of(Some(Program::of(path, arguments)), bounds)
    }

    /// Readers without children, for tests of crates that read files: they read in this process, which knows no limits of
    /// memory and computing time. No release build has them. A feature would do the same, and tests and functions would be two
    /// builds of every crate above this one.
    #[cfg(debug_assertions)]
    #[must_use]
    pub fn here() -> Self {
        Self::of(None, Bounds::default())
    }

    /// Reads the records of a file while it arrives. When the child stops early, so does the download; when this future
    /// is dropped, the child is killed.
    ///
    /// # Errors
    /// [`FormatError`]: of the file, of its source, or [`FormatError::TooComplex`] when reading it takes too much.
    pub async fn file(
        &self,
        reader: &Reader,
        limits: Limits,
        body: &mut dyn FileBody,
        deadline: Instant,
    ) -> Result<Extraction, FormatError> {
        let job = Job::File { reader: reader.clone(), limits };
        let (document, memory) = (Document::Arriving(body), self.bounds.file_memory);
        self.read::<OfFile>(job, document, memory, deadline).await
    }

    /// Reads at most `most` records of a page.
    ///
    /// # Errors
    /// [`PageError`] when it cannot be read.
    pub async fn records(
        &self,
        rules: &ScrapeRules,
        body: &Body<'_>,
        most: usize,
        deadline: Instant,
    ) -> Result<PageRecords, PageError> {
        let job = Job::Records { rules: Box::new(rules.clone()), most, of: Origin::of(body) };
        self.page_of::<OfRecords>(job, body, deadline).await
    }

    /// Reads a page whose content is cut at `longest` characters.
    ///
    /// # Errors
    /// [`PageError`] when it cannot be read.
    pub async fn page(
        &self,
        body: &Body<'_>,
        mode: ExtractMode,
        longest: usize,
        deadline: Instant,
    ) -> Result<Page, PageError> {
        let job = Job::Page { mode, longest, of: Origin::of(body) };
        self.page_of::<OfPage>(job, body, deadline).await
    }

    /// Reads the items of a feed.
    ///
    /// # Errors
    /// [`PageError`] when it cannot be read.
    pub async fn feed(&self, body: &Body<'_>, deadline: Instant) -> Result<FeedItems, PageError> {
        self.page_of::<OfFeed>(Job::Feed { of: Origin::of(body) }, body, deadline).await
    }

    async fn page_of<A: Answer>(
        &self,
        job: Job,
        body: &Body<'_>,
        deadline: Instant,
    ) -> Result<A::Found, A::Error> {
        let (document, memory) = (Document::Here(body.bytes), self.bounds.page_memory);
        self.read::<A>(job, document, memory, deadline).await
    }

    async fn read<A: Answer>(
        &self,
        job: Job,
        document: Document<'_>,
        memory: u64,
        deadline: Instant,
    ) -> Result<A::Found, A::Error> {
        let reading = async {
            // Nobody closes it.
            let _slot = self.slots.acquire().await;
            match &self.program {
                Some(program) => self.ask::<A>(program, &job, document, memory).await,
                #[cfg(debug_assertions)]
                None => crate::here::read::<A>(&job, document, self.bounds.output).await,
                #[cfg(not(debug_assertions))]
                None => Err(Ended::Failed("there is no program that reads".to_owned()).into()),
            }
        };
        timeout_at(deadline, reading).await.unwrap_or_else(|_| Err(Ended::Time.into()))
    }

    async fn ask<A: Answer>(
        &self,
        program: &Program,
        job: &Job,
        document: Document<'_>,
        memory: u64,
    ) -> Result<A::Found, A::Error> {
        let failed = |error: std::io::Error| Ended::Failed(error.to_string());
        let mut child = program.start(WORD, memory, self.bounds.seconds).map_err(failed)?;
        let none = || Ended::Failed("its reader has no pipes".to_owned());
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).ok_or_else(none)?;
        let mut feeding = pin!(feed(stdin, job, document));
        let mut hearing = pin!(hear::<A>(stdout, self.bounds.output));
        let mut is_fed = false;
        let heard = loop {
            tokio::select! {
                heard = &mut hearing => break heard,
                fed = &mut feeding, if !is_fed => { fed?; is_fed = true; }
            }
        };
        if let Heard::Nothing = heard {
            let ended = Ended::from(End::from(child.wait().await.map_err(failed)?));
            tracing::warn!(?ended, "a reader ended without an answer");
            return Err(ended.into());
        }
        // It has said what it had to say.
        child.kill().await.map_err(failed)?;
        heard.found(none)
    }
}

/// Gives a child its job and the document. That it stopped reading is not an error here: it says why.
async fn feed(mut stdin: ChildStdin, job: &Job, document: Document<'_>) -> Result<(), Ended> {
    let mut head = serde_json::to_vec(job).map_err(|error| Ended::Failed(error.to_string()))?;
    head.push(b'\n');
    if stdin.write_all(&head).await.is_err() {
        return Ok(());
    }
    match document {
        Document::Here(bytes) => drop(stdin.write_all(bytes).await),
        Document::Arriving(body) => loop {
            let piece = body.next().await.map_err(|error| Ended::Source(error.to_string()))?;
            let Some(piece) = piece else { break };
            if stdin.write_all(&piece).await.is_err() {
                break;
            }
        },
    }
    Ok(())
}

/// What came from a child.
pub(crate) enum Heard<A: Answer> {
    Found(A::Found),
    Error(A::Error),
    Ended(Ended),
    Nothing,
}

impl<A: Answer> Heard<A> {
    /// What was found, else why nothing was; `nothing` says so of a child that said nothing.
    pub(crate) fn found(self, nothing: impl FnOnce() -> Ended) -> Result<A::Found, A::Error> {
        match self {
            Self::Found(found) => Ok(found),
            Self::Error(error) => Err(error),
            Self::Ended(ended) => Err(ended.into()),
            Self::Nothing => Err(nothing().into()),
        }
    }
}

/// Hears a child to its last line, or until it says too much.
pub(crate) async fn hear<A: Answer>(said: impl AsyncRead + Unpin, most: u64) -> Heard<A> {
    let garbled =
        || Heard::Ended(Ended::Failed("its reader's answer is not understood".to_owned()));
    let mut lines = BufReader::with_capacity(64 * 1024, said.take(most + 1));
    let (mut answer, mut line, mut heard) = (A::default(), Vec::new(), 0);
    loop {
        line.clear();
        let Ok(read) = lines.read_until(b'\n', &mut line).await else { return Heard::Nothing };
        heard += read as u64;
        if heard > most {
            return Heard::Ended(Ended::Output(most));
        }
        let Some((tag, json)) = line.strip_suffix(b"\n").and_then(<[u8]>::split_first) else {
            // A line without an end is one whose child died.
            return if line == b"\n" { garbled() } else { Heard::Nothing };
        };
        match *tag {
            DONE => return answer.found().map_or_else(|_: Garbled| garbled(), Heard::Found),
            ERROR => return serde_json::from_slice(json).map_or_else(|_| garbled(), Heard::Error),
            tag if answer.take(tag, json).is_err() => return garbled(),
            _ => {}
        }
    }
}

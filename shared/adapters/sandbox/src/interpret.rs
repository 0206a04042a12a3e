//! Running the code, inside of the child.

use monty::{MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExcType, MontyException, MontyObject, NameLookupResult, PrintWriter,
    ResourceLimits, ResourceTracker,
};

use crate::convert::{data, python};
use crate::job::{Job, Ran, Said};

/// What the code is called in messages.
const FILE: &str = "code.py";
/// The variable that holds the data.
const DATA: &str = "data";
/// The most that is kept of what it prints, bytes. Printing more is an error.
const MAX_PRINTED: usize = 64 * 1024;
/// The longest message, characters.
const MAX_MESSAGE: usize = 1_000;
/// How deep functions may call each other: the stack of the child is not endless.
const MAX_DEPTH: usize = 200;
/// What code is told that asks for something outside of it.
const NOTHING_OUTSIDE: &str = "there are no files, no network, no environment and no clock here";

/// What comes of a job. Limits of memory and time are those of the process.
pub(crate) fn interpret(job: Job) -> Said {
    let mut stdout = String::new();
    match result(job, &mut stdout) {
        Ok(result) => match data(result) {
            Ok(result) => Said::Ran(Ran { result, stdout }),
            Err(what) => Said::NotData(what),
        },
        Err(error) => Said::Raised(described(&error)),
    }
}

/// The value of the last expression. The interpreter stops where the code asks its host for something, and there the code ends: this
/// host has nothing.
fn result(job: Job, stdout: &mut String) -> Result<MontyObject, MontyException> {
    let Job { code, data } = job;
    let names = vec![DATA.to_owned()];
    let program = MontyRun::new(code, FILE, names, CompileOptions::default())?;
    let limits = ResourceLimits { max_recursion_depth: MAX_DEPTH, ..ResourceLimits::default() };
    let tracker = ResourceTracker::new(limits);
    let mut progress = program.start(vec![python(data)], tracker, printing(stdout))?;
    let refused =
        || MontyException::new(ExcType::NotImplementedError, Some(NOTHING_OUTSIDE.to_owned()));
    loop {
        progress = match progress {
            RunProgress::Complete(result) => return Ok(result),
            RunProgress::NameLookup(name) => {
                name.resume(NameLookupResult::Undefined, printing(stdout))?
            }
            RunProgress::OsCall(call) => call.abort(refused(), printing(stdout))?,
            RunProgress::FunctionCall(call) => call.abort(refused(), printing(stdout))?,
            RunProgress::ResolveFutures(futures) => futures.abort(refused(), printing(stdout))?,
        };
    }
}

fn printing(stdout: &mut String) -> PrintWriter<'_> {
    PrintWriter::CollectString(stdout, Some(MAX_PRINTED))
}

/// The exception in one line, with the line of the code.
fn described(error: &MontyException) -> String {
    let summary: String = error.summary().chars().take(MAX_MESSAGE).collect();
    match error.traceback().last() {
        Some(frame) => format!("line {}: {summary}", frame.start.line),
        None => summary,
    }
}

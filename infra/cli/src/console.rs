//! What people see: results on standard output, progress and errors on standard error.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use ::console::Term;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::error::CliError;
use crate::visible::visible_lines;
use crate::wrap::wrapped;

/// The terminal, or what stands in for it.
#[derive(Debug)]
pub struct Console {
    lively: bool,
    lines: Mutex<Option<Lines>>,
}

/// The lines of standard input as they are read.
type Lines = UnboundedReceiver<io::Result<String>>;

fn standard_input() -> Lines {
    let (send, lines) = unbounded_channel();
    std::thread::spawn(move || {
        for line in io::stdin().lines() {
            let is_last = line.is_err();
            if send.send(line).is_err() || is_last {
                break;
            }
        }
    });
    lines
}

impl Default for Console {
    fn default() -> Self {
        Self::new()
    }
}

impl Console {
    /// Spinners on a terminal, plain lines elsewhere.
    #[must_use]
    pub fn new() -> Self {
        Self { lively: io::stderr().is_terminal(), lines: Mutex::new(None) }
    }

    /// Whether a person can be asked.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// One line of the command's result. A closed pipe ends nothing: there is nobody left to tell.
    pub fn line(&self, text: impl AsRef<str>) {
        let _gone = writeln!(io::stdout(), "{}", text.as_ref());
    }

    /// One line of a result for people. Where the terminal is narrower it goes on below, as far in as it begins.
    pub fn text(&self, text: impl AsRef<str>) {
        self.fitting(text.as_ref(), 0);
    }

    /// How many columns the terminal has that standard output goes to; none where it goes elsewhere.
    #[must_use]
    pub fn columns(&self) -> Option<usize> {
        let (_, columns) = Term::stdout().size_checked()?;
        Some(usize::from(columns)).filter(|columns| *columns > 0)
    }

    fn fitting(&self, text: &str, hang: usize) {
        match self.columns() {
            Some(columns) => wrapped(text, columns, hang).iter().for_each(|line| self.line(line)),
            None => self.line(text),
        }
    }

    /// One line beside the result.
    pub fn note(&self, text: impl AsRef<str>) {
        let _gone = writeln!(io::stderr(), "{}", text.as_ref());
    }

    /// A part of a line beside the result, at once.
    pub fn part(&self, text: impl AsRef<str>) {
        let mut out = io::stderr();
        let _gone = write!(out, "{}", text.as_ref()).and_then(|()| out.flush());
    }

    /// The next line of standard input, such as an answer; `None` when there are no more. Whoever stops waiting for it loses none: it is
    /// there for the next call. A thread of its own reads, so that one that waits for a person does not keep the program from ending.
    ///
    /// # Errors
    /// [`CliError::Io`] where it cannot be read.
    pub async fn read_line(&self) -> Result<Option<String>, CliError> {
        let mut lines = self.lines.lock().await;
        let read = lines.get_or_insert_with(standard_input).recv().await;
        read.transpose().map_err(|source| CliError::io("reading standard input", source))
    }

    /// The failure and, where there is one, the way out.
    pub fn error(&self, error: &CliError) {
        self.note(told(error));
    }

    /// Starts one step of a longer work; it ends when the value is finished or dropped.
    #[must_use]
    pub fn step(&self, title: &str) -> Step {
        let bar = if self.lively {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed:.dim}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar.set_message(title.to_owned());
            bar
        } else {
            self.note(format!("… {title}"));
            ProgressBar::hidden()
        };
        Step { bar, lively: self.lively, title: title.to_owned(), started: Instant::now() }
    }

    /// A table with aligned columns; a row that is wider than the terminal goes on below, indented.
    pub fn table(&self, head: &[&str], rows: &[Vec<String>]) {
        let width = |column: usize| {
            let cells =
                rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain(head.get(column).map(|name| name.len())).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        let print = |cells: Vec<&str>| {
            let padded: Vec<String> =
                cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
            self.fitting(padded.join("  ").trim_end(), 2);
        };
        print(head.to_vec());
        for row in rows {
            print(row.iter().map(String::as_str).collect());
        }
    }
}

/// What is said of a failure. It may quote text of strangers, such as an answer.
fn told(error: &CliError) -> String {
    let help = error.help().map(|help| format!("\n  help: {help}")).unwrap_or_default();
    visible_lines(&format!("error: {error}{help}"))
}

/// One step of a longer work.
#[derive(Debug)]
pub struct Step {
    bar: ProgressBar,
    lively: bool,
    title: String,
    started: Instant,
}

impl Step {
    /// Says what is being done inside the step, where that can be shown without filling the screen.
    pub fn detail(&self, text: &str) {
        let short: String = text.chars().take(70).collect();
        self.bar.set_message(format!("{}: {short}", self.title));
    }

    /// Ends the step with its outcome.
    pub fn done(self, outcome: &str) {
        let seconds = self.started.elapsed().as_secs_f32();
        let line = format!("✓ {outcome} ({seconds:.1} s)");
        if self.lively {
            self.bar.finish_and_clear();
        }
        let _gone = writeln!(io::stderr(), "{line}");
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if !self.bar.is_finished() {
            self.bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::told;
    use crate::error::CliError;

    #[test]
    fn a_failure_that_quotes_strangers_does_not_reach_the_terminal_raw() {
        let error = CliError::Refused {
            status: 409,
            code: Some("X".to_owned()),
            title: "no\u{9b}2J\u{202e}\nline 2".to_owned(),
            help: Some("look\u{7f} again".to_owned()),
            fields: Vec::new(),
        };
        let expect = "error: no\\u{9b}2J\\u{202e}\nline 2 (X)\n  help: look\\u{7f} again";
        assert_eq!(told(&error), expect);
    }
}

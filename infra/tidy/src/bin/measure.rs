//! `cargo measure`: the figures of the code as Markdown.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use countersign_tidy::TidyError;
use countersign_tidy::measure::{Examples, Figures, at_commit, table};
use serde_json::json;

/// How large the code is, and where it says the same twice. The same tree gives the same text.
#[derive(Debug, Parser)]
#[command(name = "cargo measure")]
struct Arguments {
    /// Measure the tree of this commit instead of the files as they are.
    #[arg(long, value_name = "COMMIT")]
    at: Option<String>,
    /// Print the figures of this commit beside them, and the goals that follow from it.
    #[arg(long, value_name = "COMMIT")]
    baseline: Option<String>,
    /// Print JSON: `now`, and `baseline` when one is named.
    #[arg(long)]
    json: bool,
    /// Kinds of documents to count, by the name of their files.
    #[arg(long, value_delimiter = ',', default_value = "profile,schedule")]
    kinds: Vec<String>,
    /// Actions to count, by the name of their files.
    #[arg(long, value_delimiter = ',', default_value = "crawl_url,cross_reference,match_entities")]
    actions: Vec<String>,
}

fn main() -> ExitCode {
    let said = text(Arguments::parse())
        .and_then(|text| std::io::stdout().write_all(text.as_bytes()).map_err(TidyError::Output));
    if let Err(error) = said {
        // Nothing can be done when standard error is closed too.
        let _unsaid = writeln!(std::io::stderr(), "error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn text(arguments: Arguments) -> Result<String, TidyError> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let examples = Examples { kinds: arguments.kinds, actions: arguments.actions };
    let at = |commit: &String| at_commit(&root, commit, &examples);
    let now = arguments.at.as_ref().map_or_else(|| Figures::of(&root, &examples), at)?;
    let baseline = arguments.baseline.as_ref().map(at).transpose()?;
    if arguments.json {
        let mut figures = json!({ "now": now });
        if let Some(baseline) = baseline {
            figures["baseline"] = json!(baseline);
        }
        return Ok(format!("{figures:#}\n"));
    }
    Ok(table(baseline.as_ref(), &now))
}

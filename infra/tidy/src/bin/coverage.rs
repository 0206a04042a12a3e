//! `cargo coverage`: writes how far the requirements are met, of what `docs/requirements.md` says.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use countersign_tidy::coverage::{PAGE, page, read};
use countersign_tidy::requirements::LIST;

/// Writes `docs/coverage.md` of the states in `docs/requirements.md`.
#[derive(Debug, Parser)]
#[command(name = "cargo coverage")]
struct Arguments {}

fn main() -> ExitCode {
    let Arguments {} = Arguments::parse();
    let said = match written() {
        Ok(said) => writeln!(std::io::stdout(), "{said}").is_ok(),
        Err(why) => {
            // Nothing can be done when standard error is closed too.
            let _unsaid = writeln!(std::io::stderr(), "error: {why}");
            false
        }
    };
    if said { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn written() -> Result<String, String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = std::fs::read_to_string(root.join(LIST));
    let list = list.map_err(|error| format!("reading `{LIST}`: {error}"))?;
    let requirements = read(&list).map_err(|error| error.to_string())?;
    let written = std::fs::write(root.join(PAGE), page(&requirements));
    written.map_err(|error| format!("writing `{PAGE}`: {error}"))?;
    Ok(format!("`{PAGE}` says how far {} requirements are met", requirements.len()))
}

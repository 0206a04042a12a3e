//! Commands in the documents: ours are parsed with their options, others name files that exist.

use countersign_cli::command_line;

use crate::blocks::{Block, root};

/// Programs of others, which are not ours to check.
const OTHERS: [&str; 2] = ["aws", "sam"];
/// What Cargo itself does, and one of its plugins.
const OF_CARGO: [&str; 3] = ["test", "lambda", "build"];

/// A block of commands; a comment says what it is.
pub(crate) fn check(block: &Block) -> Option<Result<(), String>> {
    if !block.language.is_empty() {
        return None;
    }
    let lines = lines(&block.text);
    let known = |line: &String| {
        let first = line.split_whitespace().next().unwrap_or_default();
        ["cargo", "countersign", "python3", ".ci/run", "#"].contains(&first)
            || OTHERS.contains(&first)
    };
    lines.first().filter(|line| known(line))?;
    Some(lines.iter().try_for_each(|line| one(line).map_err(|why| format!("`{line}`: {why}"))))
}

/// Its lines, without comments behind commands; a `\` at the end goes on.
fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let plain = text.lines().map(|line| line.split("  #").next().unwrap_or_default());
    let plain = plain.map(|line| line.split(" # ").next().unwrap_or_default().trim().to_owned());
    plain.filter(|line| !line.is_empty()).collect()
}

fn one(line: &str) -> Result<(), String> {
    let line = line.split(" > ").next().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["cargo", "countersign", ..] => whole(&words[1..]),
        ["cargo", "demo", ..] => whole(&[&["countersign", "demo"], &words[2..]].concat()),
        ["countersign", ..] => whole(&words),
        ["cargo", name, ..] => alias(name),
        ["python3", file, ..] => exists(file),
        [".ci/run", ..] => exists(".ci/run"),
        ["#", ..] => schema(line),
        [name, ..] if OTHERS.contains(&name) => Ok(()),
        _ => Err("nobody knows this command".to_owned()),
    }
}

fn whole(words: &[&str]) -> Result<(), String> {
    let shows = [clap::error::ErrorKind::DisplayHelp, clap::error::ErrorKind::DisplayVersion];
    match command_line().try_get_matches_from(words) {
        Err(error) if !shows.contains(&error.kind()) => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// `cargo tidy` and its like are aliases of this project.
fn alias(name: &str) -> Result<(), String> {
    let config = std::fs::read_to_string(root().join(".cargo/config.toml")).unwrap();
    let is_ours = config.lines().any(|line| line.starts_with(&format!("{name} = ")));
    if is_ours || OF_CARGO.contains(&name) { Ok(()) } else { Err("no such alias".to_owned()) }
}

fn exists(file: &str) -> Result<(), String> {
    if root().join(file).exists() { Ok(()) } else { Err(format!("there is no `{file}`")) }
}

/// The comment by which an editor finds the schema of a document in `library/…`.
fn schema(line: &str) -> Result<(), String> {
    let named = line.split_once("$schema=../../").map(|(_, file)| file.trim());
    exists(named.ok_or("not a comment of an editor")?)
}

/// `countersign runs repeat RUN` in a sentence: its words and options exist; arguments may be missing.
pub(crate) fn named(code: &str) -> Option<Result<(), String>> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let words = match words[..] {
        ["cargo", "countersign", ..] => &words[2..],
        ["countersign", ..] => &words[1..],
        ["cargo", name, ..] => return Some(alias(name)),
        _ => return None,
    };
    let mut command = command_line();
    for word in words {
        if let Some(below) = command.find_subcommand(word) {
            command = below.clone();
        } else if let Some(option) = word.strip_prefix("--") {
            let has = |one: &clap::Arg| one.get_long() == Some(option);
            let ours = command.get_arguments().any(has) || command_line().get_arguments().any(has);
            if !ours && option != "help" {
                return Some(Err(format!("no option `--{option}`")));
            }
        } else if command.has_subcommands() && !["help", "…", "KIND"].contains(word) {
            return Some(Err(format!("no command `{word}`")));
        }
    }
    Some(Ok(()))
}

//! What stands in the documents: blocks between fences, and code inside sentences.

use std::path::{Path, PathBuf};

/// A block between fences.
pub(crate) struct Block {
    /// The file and the line of its first fence.
    pub(crate) place: String,
    /// The first word behind the fence.
    pub(crate) language: String,
    /// The other words.
    pub(crate) about: String,
    /// Its lines, without the indent of the fence.
    pub(crate) text: String,
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie in the project")
}

/// The documents that people read.
fn documents() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .iter()
        .map(|name| root().join(name))
        .collect();
    for folder in ["docs", "docs/adr", "docs/errors"] {
        let files =
            std::fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().path());
        found.extend(files.filter(|file| file.extension().is_some_and(|kind| kind == "md")));
    }
    found.sort();
    found
}

fn read(file: &Path) -> (String, String) {
    let name = file.strip_prefix(root()).unwrap().display().to_string();
    (name, std::fs::read_to_string(file).unwrap())
}

/// Every block of every document.
pub(crate) fn blocks() -> Vec<Block> {
    let mut found = Vec::new();
    for (name, text) in documents().iter().map(|file| read(file)) {
        let mut lines = text.lines().enumerate();
        while let Some((n, line)) = lines.next() {
            let Some(info) = line.trim_start().strip_prefix("```") else { continue };
            let indent = line.len() - line.trim_start().len();
            let body = lines.by_ref().map(|(_, line)| line);
            let body = body.take_while(|line| line.trim() != "```");
            let body: Vec<&str> = body.map(|line| line.get(indent..).unwrap_or_default()).collect();
            let (language, about) = info.split_once(' ').unwrap_or((info, ""));
            found.push(Block {
                place: format!("{name}:{}", n + 1),
                language: language.to_owned(),
                about: about.trim().to_owned(),
                text: body.join("\n") + "\n",
            });
        }
    }
    found
}

/// Every piece of code inside a sentence, with its place.
pub(crate) fn spans() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, text) in documents().iter().map(|file| read(file)) {
        let mut is_block = false;
        for (n, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                is_block = !is_block;
            } else if !is_block {
                let inside = line.split('`').skip(1).step_by(2);
                found.extend(inside.map(|code| (format!("{name}:{}", n + 1), code.to_owned())));
            }
        }
    }
    found
}

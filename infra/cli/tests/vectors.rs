//! The Python program of `docs/approvals.md` before the published vectors, whole and altered.
#![expect(clippy::unwrap_used, reason = "constants of the tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn run(folder: &Path, vectors: &str) -> Output {
    let document = fs::read_to_string(Path::new(ROOT).join("docs/approvals.md")).unwrap();
    let program = document.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let put = |name: &str, text: &str| -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let (program, vectors) = (put("vectors.py", program), put("vectors.json", vectors));
    Command::new("python3").arg(program).arg(vectors).output().unwrap()
}

#[test]
fn the_documents_program_recomputes_every_vector() {
    let folder = tempfile::tempdir().unwrap();
    let published = fs::read_to_string(Path::new(ROOT).join("docs/digest-vectors.json")).unwrap();
    let honest = run(folder.path(), &published);
    let said = String::from_utf8_lossy(&honest.stdout).into_owned();
    assert!(honest.status.success(), "{said}{}", String::from_utf8_lossy(&honest.stderr));
    assert_eq!(said.trim().split(' ').next().unwrap().parse::<u32>().ok(), Some(64), "{said}");
}

#[test]
fn the_documents_program_rejects_altered_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let published = fs::read_to_string(Path::new(ROOT).join("docs/digest-vectors.json")).unwrap();
    for (from, to) in [
        ("1000000.00", "1000000.01"),
        ("9007199254740993", "9007199254740992"),
        ("\"leaves\": 10000", "\"leaves\": 9999"),
        ("Pay the usual", "Pay the Usual"),
        ("\"part\": \"note\"", "\"part\": \"policy\""),
    ] {
        assert!(published.contains(from), "{from}");
        let altered = published.replace(from, to);
        assert!(!run(folder.path(), &altered).status.success(), "{from}");
    }
}

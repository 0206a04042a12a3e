//! A reader of any format that reaches the limit of its computing time: the file is named, and the next is read.

use std::time::Duration;

use serde_json::{Value, json};

use super::{PAPERS, endless, pdf, xlsx};
use crate::case::{Person, person_in};
use crate::filings::upload;
use crate::kills::signal;
use crate::world::World;

/// How often the processes are looked at.
const PAUSE: Duration = Duration::from_millis(1);

/// A format: a file that keeps its reader busy for a while, and one that it reads at once.
struct Busy {
    endpoint: &'static str,
    name: &'static str,
    long: Vec<u8>,
    short: Vec<u8>,
}

fn formats() -> [Busy; 4] {
    let rows = |count: usize| -> String {
        (1..=count).map(|n| format!("<row r='{n}'><c r='A{n}'><v>{n}</v></c></row>")).collect()
    };
    let tree = |count: usize| format!("<a>{}</a>", "<b n='7'/>".repeat(count)).into_bytes();
    let table = |count: usize| {
        let rows = "<tr><td>seven</td></tr>".repeat(count);
        format!("<table><tr><th>n</th></tr>{rows}</table>").into_bytes()
    };
    let text = "BT /F1 12 Tf 72 720 Td (of ana) Tj ET";
    [
        Busy { endpoint: "read", name: "paper.pdf", long: endless(), short: pdf(text, "") },
        Busy {
            endpoint: "sheet",
            name: "book.xlsx",
            long: xlsx(&rows(90_000)),
            short: xlsx(&rows(1)),
        },
        Busy { endpoint: "tree", name: "tree.xml", long: tree(400_000), short: tree(1) },
        Busy { endpoint: "table", name: "page.html", long: table(90_000), short: table(1) },
    ]
}

/// The system tells a reader at its limit so by a signal; here the test sends it, as the limit itself takes a minute.
pub(crate) async fn a_reader_of_any_format_that_reaches_its_limit_ends_alone(world: &World) {
    let ana = person_in(world, "ana", &["global:analyst"]).await;
    ana.post("/connectors", &json!({ "yaml": PAPERS })).await;
    let emulator = world.stack.process.as_ref().unwrap().pid;
    for Busy { endpoint, name, long, short } in formats() {
        let files = [long, short].map(|file| (name.to_owned(), file)).to_vec();
        let ids = upload(&ana, files).await;
        let (said, ()) = tokio::join!(read(&ana, endpoint, &ids[0]), the_limit(emulator));
        assert_eq!(said["error"]["code"], "FILE_TOO_COMPLEX", "{name}: {said:#}");
        let message = said["error"]["message"].as_str().unwrap();
        assert!(message.contains("computing time"), "{name}: {message}");
        let said = read(&ana, endpoint, &ids[1]).await;
        assert_eq!(said["output"]["count"], 1, "{name}: {said:#}");
    }
}

async fn read(ana: &Person, endpoint: &str, id: &str) -> Value {
    let body = json!({ "endpoint": endpoint, "inputs": { "source": id } });
    ana.post("/connectors/papers/test", &body).await
}

/// Waits for a reader below the emulator and tells it that its time is used up.
async fn the_limit(emulator: u32) {
    let deadline = std::time::Instant::now() + crate::case::PATIENCE;
    loop {
        if let Some(reader) = reader_below(emulator) {
            return signal(reader, "-XCPU");
        }
        assert!(std::time::Instant::now() < deadline, "no reader was started");
        tokio::time::sleep(PAUSE).await;
    }
}

fn reader_below(emulator: u32) -> Option<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_reader = |process: &u32| {
        let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"read-file")
    };
    numbers.filter(is_reader).find(|process| is_below(*process, emulator))
}

fn is_below(process: u32, emulator: u32) -> bool {
    std::iter::successors(Some(process), |process| parent(*process)).any(|one| one == emulator)
}

fn parent(process: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok().filter(|parent| *parent != 0)
}

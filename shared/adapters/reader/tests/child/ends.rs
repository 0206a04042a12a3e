//! What ends a child, and what is said of it.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use countersign_failure::{Class, Failure as _};
use countersign_formats::{FormatError, Limits};
use countersign_pages::{Body, ExtractMode, PageError};
use countersign_reader::{Bounds, Readers};
use tokio::time::Instant;
use url::Url;

use super::made::{self, XML};
use super::{Arriving, PATIENCE, children, read, reader, script};

const MIB: u64 = 1024 * 1024;

/// Bounds by which a test finds its children among all processes: no other has this much memory.
fn marked(mark: u64) -> Bounds {
    Bounds { file_memory: 512 * MIB + mark, ..Bounds::default() }
}

/// The children with this mark.
fn alive(bounds: Bounds) -> BTreeSet<u32> {
    let mark = format!("\0{}\0", bounds.file_memory);
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id: &u32| {
        let line = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.contains("read-file") && line.contains(&mark)
    })
    .collect()
}

/// How many children are there at one moment: one look takes a while, and may see one that ends and the next that begins.
fn at_once(bounds: Bounds) -> usize {
    let before = alive(bounds);
    before.intersection(&alive(bounds)).count()
}

/// Waits until a number of children is there.
async fn until(bounds: Bounds, count: usize) -> BTreeSet<u32> {
    let limit = Instant::now() + PATIENCE;
    loop {
        let found = alive(bounds);
        if found.len() == count {
            return found;
        }
        assert!(Instant::now() < limit, "{found:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn f_099_a_file_that_never_ends_is_killed_and_holds_nobody_up() {
    let bounds = marked(1);
    let readers = children(bounds);
    let file = made::endless_pdf();
    let started = Instant::now();
    let endless = async {
        let read = read(&readers, "parser: pdf_text", &file, Duration::from_secs(15)).await;
        (read, started.elapsed())
    };
    let others = async {
        until(bounds, 1).await;
        for _ in 0..3 {
            assert_eq!(read(&readers, XML, &made::xml(), PATIENCE).await.unwrap().records.len(), 3);
            let pdf = read(&readers, "parser: pdf_text", &made::pdf(), PATIENCE).await.unwrap();
            assert_eq!(pdf.records.len(), 1);
        }
        started.elapsed()
    };
    let ((outcome, ended), others) = tokio::join!(endless, others);
    assert_eq!(outcome.unwrap_err(), FormatError::Time);
    assert!(others < ended, "{others:?} {ended:?}");
    until(bounds, 0).await;
}

#[tokio::test]
async fn f_099_a_child_dies_with_whoever_waits_for_it() {
    let bounds = marked(2);
    let readers = children(bounds);
    let file = made::endless_pdf();
    let reading = read(&readers, "parser: pdf_text", &file, PATIENCE);
    tokio::select! {
        _ = reading => panic!("it ended"),
        found = until(bounds, 1) => assert_eq!(found.len(), 1),
    }
    until(bounds, 0).await;
}

#[tokio::test]
async fn f_099_a_child_has_nothing_of_its_parents_and_no_files() {
    let bounds = marked(3);
    let readers = children(bounds);
    let file = made::endless_pdf();
    let looks = async {
        let id = until(bounds, 1).await.pop_first().unwrap();
        let open = |what: &str| fs::read_to_string(format!("/proc/{id}/{what}"));
        let of = |what: &str| open(what).unwrap();
        let limit = Instant::now() + PATIENCE;
        // Until it has confined itself.
        while !of("limits").contains(&bounds.file_memory.to_string()) {
            assert!(Instant::now() < limit);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // Closed to all but an administrator, who sees that there is nothing.
        (open("environ").unwrap_or_default(), of("limits"))
    };
    tokio::select! {
        _ = read(&readers, "parser: pdf_text", &file, PATIENCE) => panic!("it ended"),
        (environment, limits) = looks => {
            assert!(std::env::vars_os().count() > 0 && environment.is_empty(), "{environment}");
            let of = |what: &str| {
                let line = limits.lines().find(|line| line.starts_with(what)).unwrap();
                line.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<u64>>()
            };
            assert_eq!((of("Max open files"), of("Max file size")), (vec![0, 0], vec![0, 0]));
            assert_eq!(of("Max core file size"), [0, 0]);
            assert_eq!(of("Max data size"), [bounds.file_memory, bounds.file_memory]);
            assert_eq!(of("Max cpu time"), [60, 61]);
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn f_099_the_memory_of_a_process_that_has_children_is_closed_to_them() {
    use rustix::process::{DumpableBehavior, dumpable_behavior};

    read(&children(Bounds::default()), XML, &made::xml(), PATIENCE).await.unwrap();
    assert_eq!(dumpable_behavior().unwrap(), DumpableBehavior::NotDumpable);
}

#[tokio::test]
async fn f_099_no_more_children_are_started_than_there_is_memory_for() {
    let bounds = marked(4);
    let readers = children(bounds);
    let file = made::endless_pdf();
    let reading = (0..6).map(|_| read(&readers, "parser: pdf_text", &file, Duration::from_secs(5)));
    let reading = futures::future::join_all(reading);
    let counting = async {
        let mut most = 0;
        loop {
            most = most.max(at_once(bounds));
            assert!(most <= Readers::AT_ONCE);
            if most == Readers::AT_ONCE {
                break;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        for _ in 0..100 {
            assert!(at_once(bounds) <= Readers::AT_ONCE);
            tokio::task::yield_now().await;
        }
    };
    let (outcomes, ()) = tokio::join!(reading, counting);
    assert!(outcomes.iter().all(|outcome| *outcome == Err(FormatError::Time)), "{outcomes:?}");
}

#[tokio::test]
async fn f_099_computing_time_and_memory_are_bounded() {
    let short = children(Bounds { seconds: 1, ..Bounds::default() });
    let error = read(&short, "parser: pdf_text", &made::endless_pdf(), PATIENCE).await.unwrap_err();
    assert_eq!((error.code(), error.class()), ("FILE_TOO_COMPLEX", Class::Terminal));
    assert!(error.to_string().contains("computing time"), "{error}");
    let small =
        children(Bounds { file_memory: 48 * MIB, page_memory: 16 * MIB, ..Bounds::default() });
    let table: String = (0..40_000).map(|row| format!("{row},{}\n", "x".repeat(1_000))).collect();
    let error = read(&small, "parser: csv", table.as_bytes(), PATIENCE).await.unwrap_err();
    assert_eq!((error.code(), error.class()), ("FILE_TOO_COMPLEX", Class::Terminal));
    assert!(error.to_string().contains("memory"), "{error}");
    assert!(read(&small, XML, &made::xml(), PATIENCE).await.is_ok());
    let url = Url::parse("https://example.org/").unwrap();
    let bytes = "<p>much".repeat(200_000);
    let body = Body { url: &url, content_type: Some("text/html"), bytes: bytes.as_bytes() };
    let page = small.page(&body, ExtractMode::Text, 1_000, Instant::now() + PATIENCE).await;
    let error = page.unwrap_err();
    assert_eq!(error.code(), "PAGE_LIMIT", "{error}");
    assert!(error.to_string().contains("memory"), "{error}");
}

#[tokio::test]
async fn f_099_the_memory_of_every_format_is_bounded() {
    let small = children(Bounds { file_memory: 48 * MIB, ..Bounds::default() });
    let many = |row: fn(usize, &str) -> String| -> String {
        (0..45_000).map(|at| row(at, &"x".repeat(1_000))).collect()
    };
    // Each record has a place for each of a hundred fields.
    let xml = format!("<a>{}</a>", "<b f0='x'/>".repeat(90_000));
    let fields = (0..100).map(|n| format!("\n  - {{ field: f{n}, xpath: '@f{n}', type: string }}"));
    let fields =
        format!("root_element: a\nlist_element: b\nfields:{}\n", fields.collect::<String>());
    let html =
        format!("<table><tr><th>t</th></tr>{}", many(|at, text| format!("<tr><td>{at}{text}")));
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for row in 0..45_000 {
        sheet.write(row, 0, format!("{row}{}", "x".repeat(1_000))).unwrap();
    }
    for (endpoint, file) in [
        (fields.as_str(), xml.into_bytes()),
        ("parser: html_table", html.into_bytes()),
        ("parser: xlsx", book.save_to_buffer().unwrap()),
    ] {
        let read = read(&small, endpoint, &file, PATIENCE).await;
        let Err(error) = read else { panic!("{endpoint}: all of it was read") };
        assert_eq!(
            (error.code(), error.class()),
            ("FILE_TOO_COMPLEX", Class::Terminal),
            "{endpoint}: {error}"
        );
        assert!(error.to_string().contains("memory"), "{endpoint}: {error}");
    }
}

#[tokio::test]
async fn f_099_a_body_that_breaks_off_can_be_tried_again() {
    for endpoint in [XML, "parser: pdf_text", "parser: csv"] {
        let mut body = Arriving { breaks: true, ..Arriving::of(b"<a><t>") };
        let (readers, deadline) = (children(Bounds::default()), Instant::now() + PATIENCE);
        let limits = Limits::for_megabytes(1);
        let error = readers.file(&reader(endpoint), limits, &mut body, deadline).await.unwrap_err();
        assert_eq!(error, FormatError::Source("the bucket went away".to_owned()));
        assert_eq!((error.code(), error.class()), ("FILE_SOURCE", Class::Retryable));
    }
}

#[tokio::test]
async fn f_099_a_body_that_does_not_end_is_left_at_the_bound() {
    let pieces = std::iter::repeat_with(|| b"<b n='1'/>".repeat(1_000));
    let all = std::iter::once(b"<a>".to_vec()).chain(pieces);
    let mut body = Arriving { pieces: Box::new(all), breaks: false };
    let (readers, deadline) = (children(Bounds::default()), Instant::now() + PATIENCE);
    let read = readers.file(&reader(XML), Limits::for_megabytes(1), &mut body, deadline).await;
    let error = read.unwrap_err();
    assert!(["FILE_TOO_LARGE", "FILE_LIMIT"].contains(&error.code()), "{error}");
}

#[tokio::test]
async fn f_099_an_answer_is_bounded() {
    let readers = children(Bounds { output: 1_000, ..Bounds::default() });
    assert!(read(&readers, XML, &made::xml(), PATIENCE).await.is_ok());
    let table: String = (0..1_000).map(|row| format!("{row},x\n")).collect();
    let error = read(&readers, "parser: csv", table.as_bytes(), PATIENCE).await.unwrap_err();
    assert_eq!(error.to_string(), "the file has more than 1000 bytes of values at its records");
}

/// What is said of a child that is this script.
async fn check(program: &str, code: &str, class: Class) {
    let readers = script(program);
    let error = read(&readers, XML, &made::xml(), PATIENCE).await.unwrap_err();
    assert_eq!((error.code(), error.class()), (code, class), "{program}: {error}");
    let url = Url::parse("https://example.org/").unwrap();
    let body = Body { url: &url, content_type: None, bytes: b"<p>" };
    let error = readers.feed(&body, Instant::now() + PATIENCE).await.unwrap_err();
    assert_eq!(error.class(), class, "{program}: {error}");
}

#[tokio::test]
async fn f_099_a_child_that_panics_is_a_damaged_file() {
    check("cat > /dev/null; exit 101", "FILE_MALFORMED", Class::Terminal).await;
}

#[tokio::test]
async fn f_099_a_child_that_dies_is_too_complex_a_file() {
    for signal in ["ABRT", "SEGV", "KILL"] {
        check(&format!("kill -{signal} $$"), "FILE_TOO_COMPLEX", Class::Terminal).await;
    }
}

#[tokio::test]
async fn f_099_nothing_that_a_child_says_is_taken_on_trust() {
    for program in [
        "exit 0",
        "exit 1",
        "kill -TERM $$",
        "echo",
        "echo x",
        "echo z7; echo d",
        "echo 'r[1]'; echo d",
        "echo 'n[\"a\"]'; echo 'r[1,2]'; echo d",
        "echo 'n[\"a\"]'; echo 's[1,\"x\"]'; echo d",
        "echo 'e\"Nonsense\"'",
        "echo 'r{}'",
        "printf 'd'",
    ] {
        check(program, "READER_FAILED", Class::Retryable).await;
    }
    let none = Readers::with_program("/no/such/program".into(), Vec::new(), Bounds::default());
    let error = read(&none, XML, &made::xml(), PATIENCE).await.unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("READER_FAILED", 503));
    let silent = script("exec sleep 600");
    let error = read(&silent, XML, &made::xml(), Duration::from_millis(200)).await.unwrap_err();
    assert_eq!(error, FormatError::Time);
    let url = Url::parse("https://example.org/").unwrap();
    let body = Body { url: &url, content_type: None, bytes: b"<p>" };
    let deadline = Instant::now() + Duration::from_millis(200);
    assert_eq!(silent.feed(&body, deadline).await.unwrap_err(), PageError::Time);
}

//! `cargo demo` as a newcomer sees it: on a stack of its own, to its end.

use std::path::Path;

use crate::world::world;

/// How the report begins.
const TITLE: &str = "# Officers in more than one organisation";

/// How what goes to standard error begins, which comes behind the rest.
const NOTES: &str = "… building the functions";

/// What is printed between two texts.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(begin).unwrap_or_else(|| panic!("no `{begin}` in\n{text}"));
    rest.split_once(end).map_or(rest, |(found, _)| found)
}

/// The lines without the spaces around them; empty ones left out.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

async fn told(state: &Path, arguments: &[&str]) -> (bool, String) {
    world().command_in(state, arguments).await
}

#[tokio::test]
async fn issue_13_f_035_the_demo_ends_with_the_report_the_answer_of_the_graph_and_the_watermark() {
    let state = tempfile::tempdir().unwrap();
    let main_job = told(state.path(), &["demo", "--yes", "--keep", "--question"]).await;
    let run = main_job.1.split_whitespace().find(|word| word.starts_with("run_"));
    let run = run.unwrap_or_default().trim_end_matches('.').to_owned();
    let shown = told(state.path(), &["show", &run, "--as", "ada"]).await;
    // The stack that runs is used, and left as it is.
    let monitor = told(state.path(), &["demo", "--monitor", "--yes"]).await;
    let denied = told(state.path(), &["demo", "--deny"]).await;
    let down = told(state.path(), &["down"]).await;

    assert!(main_job.0, "{}", main_job.1);
    let end = between(&main_job.1, "6. What was written, and the answer:", "\n7. ");
    let report = between(end, TITLE, NOTES);
    let answer = between(&main_job.1, "8. Its knowledge graph answers", "\n9. ");
    let (_, divided) = main_job.1.split_once("10. A model divides the question").unwrap();
    for part in
        ["stage 1, records: Which boards", "OFFICER_OF", "search_knowledge_graph.", "## Sources"]
    {
        assert!(divided.contains(part), "`{part}` is not in\n{divided}");
    }
    for part in ["People in more than one organisation", "Thornquist", "| Organisation | EIN |"] {
        assert!(report.contains(part), "`{part}` is not in\n{end}");
    }
    for part in ["Thornquist", "### Entities", "| --- |"] {
        assert!(answer.contains(part), "`{part}` is not in\n{answer}");
    }
    assert!(!answer.contains("[{") && !answer.contains("{\""), "JSON in\n{answer}");
    // The same as `show` prints of the run, whole; behind it that has the events of the run.
    assert!(shown.0, "{}", shown.1);
    let answer = lines(between(&shown.1, TITLE, "\nAT  "));
    assert!(answer.len() > 50, "{}", shown.1);
    assert_eq!(lines(between(end, TITLE, NOTES)), answer);

    assert!(monitor.0, "{}", monitor.1);
    for part in [
        "5. The monitor sees it",
        "7. The run is over: complete.",
        "8. The watermark moved from",
        "9. The ledger has it: ",
    ] {
        assert!(monitor.1.contains(part), "`{part}` is not in\n{}", monitor.1);
    }
    assert!(denied.0, "{}", denied.1);
    assert!(denied.1.contains("5. The run is over: rejected."), "{}", denied.1);
    assert!(denied.1.contains("6. Nothing was written but the journal"), "{}", denied.1);
    assert!(down.0, "{}", down.1);
}

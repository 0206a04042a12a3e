//! The sample events of the functions that carry out steps.

use std::fs::read_dir;
use std::path::PathBuf;

use countersign_step_entry::StepEvent;

#[test]
fn every_sample_event_of_a_tool_is_a_step() {
    let inside = |folder: &PathBuf| -> Vec<PathBuf> {
        read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let events = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../events"));
    let is_tool =
        |folder: &PathBuf| folder.file_name().unwrap().to_string_lossy().starts_with("tool-");
    let folders: Vec<PathBuf> = inside(&events).into_iter().filter(is_tool).collect();
    assert!(folders.len() >= 12, "{folders:?}");
    for folder in folders {
        let samples = inside(&folder);
        assert!(!samples.is_empty(), "{} holds no sample", folder.display());
        for sample in samples {
            let text = std::fs::read_to_string(&sample).unwrap();
            let event: StepEvent = serde_json::from_str(&text).unwrap();
            assert!(event.attempt >= 1 && !event.step.is_empty(), "{}", sample.display());
        }
    }
}

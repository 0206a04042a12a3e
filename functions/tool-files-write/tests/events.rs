//! The sample events are events of this function.

use countersign_step_entry::StepEvent;

#[test]
fn every_sample_event_is_a_step() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/tool-files-write");
    let samples: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!samples.is_empty());
    for sample in samples {
        let text = std::fs::read_to_string(&sample).unwrap();
        let event: StepEvent = serde_json::from_str(&text).unwrap();
        assert!(event.attempt >= 1 && !event.step.is_empty(), "{}", sample.display());
    }
}

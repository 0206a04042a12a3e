//! The examples of `docs/monitors.md` are monitors.

use countersign_document::read;
use countersign_monitor::MonitorSpec;

#[test]
fn f_209_every_example_of_the_documentation_is_a_monitor() {
    let text = include_str!("../../../../docs/monitors.md");
    let blocks = text.split("```yaml monitor\n").skip(1);
    let mut count = 0;
    for block in blocks.map(|rest| rest.split("```").next().unwrap()) {
        let reading = read::<MonitorSpec>(block);
        assert!(reading.value.is_some() && reading.problems.is_empty(), "{:?}", reading.problems);
        count += 1;
    }
    assert_eq!(count, 1);
}

//! The examples of `docs/triggers.md` are triggers.

use countersign_document::read;
use countersign_trigger::TriggerSpec;

#[test]
fn issue_14_every_example_of_the_documentation_is_a_trigger() {
    let text = include_str!("../../../../docs/triggers.md");
    let blocks = text.split("```yaml trigger\n").skip(1);
    let mut count = 0;
    for block in blocks.map(|rest| rest.split("```").next().unwrap()) {
        let reading = read::<TriggerSpec>(block);
        assert!(reading.value.is_some() && reading.problems.is_empty(), "{:?}", reading.problems);
        count += 1;
    }
    assert_eq!(count, 3);
}

//! The examples of `docs/schedules.md` are schedules.

use countersign_document::read_value;
use countersign_schedule::ScheduleSpec;

#[test]
fn f_202_every_example_of_the_documentation_is_a_schedule() {
    let text = include_str!("../../../../docs/schedules.md");
    let blocks = text.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut count = 0;
    for block in blocks {
        let reading = read_value::<ScheduleSpec>(serde_json::from_str(block).unwrap());
        assert!(reading.value.is_some_and(|spec| spec.timetable().is_some()), "{block}");
        assert!(reading.problems.is_empty(), "{:?}", reading.problems);
        count += 1;
    }
    assert_eq!(count, 3);
}

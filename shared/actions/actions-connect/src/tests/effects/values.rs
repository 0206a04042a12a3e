//! Random values, and texts that try to be something else.

use serde_json::{Value, json};

use super::random::Random;

const HOSTILE: [&str; 18] = [
    "{amount}",
    r#"{"secret":"token"}"#,
    r#"{"secret":"token","as":"bearer"}"#,
    "Zürich – 東京 🏦",
    "say \"yes\" \\ 'no'",
    "line\nbreak\r\nx-evil: 1",
    "a%2fb%20c%",
    "a&b=c",
    "1+1 = 2",
    " edges ",
    "",
    "../..",
    "#part?query=1",
    "\u{202e}drawer\u{200b}",
    "\u{1}\u{7f}\t",
    "{id}{payee}{{amount}}",
    "</script><b>",
    "9007199254740993",
];

pub(super) fn text(random: &mut Random) -> String {
    let mut text = random.pick(&HOSTILE).to_owned();
    while random.once_in(3) {
        text.push_str(random.pick(&HOSTILE));
    }
    if random.once_in(4) {
        let any =
            (0..random.below(12)).filter_map(|_| char::from_u32(random.next() as u32 & 0x1_ffff));
        text.extend(any);
    }
    text
}

pub(super) fn scalar(random: &mut Random) -> Value {
    match random.below(9) {
        0 => json!(i64::MIN),
        1 => json!(u64::MAX),
        2 => json!(9_007_199_254_740_993_i64),
        3 => random.pick(&[json!(0.1), json!(1e30), json!(-0.0), json!(1.0)].each_ref()).clone(),
        4 => json!(random.once_in(2)),
        _ => json!(text(random)),
    }
}

pub(super) fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 4 } else { 7 }) {
        4 => Value::Null,
        5 => (0..random.below(4)).map(|_| value(random, depth - 1)).collect(),
        6 => {
            let members = (0..random.below(4)).map(|_| (text(random), value(random, depth - 1)));
            Value::Object(members.collect())
        }
        _ => scalar(random),
    }
}

pub(super) fn flat(random: &mut Random) -> Value {
    if random.once_in(4) {
        return (0..random.below(4)).map(|_| scalar(random)).collect();
    }
    scalar(random)
}

//! Bodies that are wrong in one or two ways.

use rand::RngExt as _;
use rand::rngs::StdRng;
use serde_json::{Value, json};

/// A body as it is sent, of a value that would have been right.
pub(super) fn body(mut value: Value, random: &mut StdRng) -> Vec<u8> {
    for _ in 0..random.random_range(1..3) {
        value = mutated(value, random);
    }
    let text = value.to_string();
    match random.random_range(0..24) {
        0 => text.into_bytes().split_last().map(|(_, rest)| rest.to_vec()).unwrap_or_default(),
        1 => Vec::new(),
        2 => format!("[{text}]").into_bytes(),
        3 => [text.as_bytes(), b"}"].concat(),
        4 => [b"\xff\xfe", text.as_bytes()].concat(),
        5 => format!("{{\"a\":{}1{}}}", "[".repeat(70), "]".repeat(70)).into_bytes(),
        6 => text.replace('"', "'").into_bytes(),
        7 => b"{\"a\":\"\\ud800\",\"b\":1e999}".to_vec(),
        // Once in a while more than any body may have.
        8 if random.random_bool(0.4) => {
            json!({ "x": "x".repeat(1_100_000) }).to_string().into_bytes()
        }
        _ => text.into_bytes(),
    }
}

fn mutated(value: Value, random: &mut StdRng) -> Value {
    if random.random_bool(0.08) {
        return odd(random);
    }
    match value {
        Value::Object(mut members) if !members.is_empty() => {
            let at = random.random_range(0..members.len());
            let Some(name) = members.keys().nth(at).cloned() else { return members.into() };
            match random.random_range(0..5) {
                0 => drop(members.shift_remove(&name)),
                1 => drop(members.insert(format!("{name}_"), odd(random))),
                2 => {
                    if let Some(inner) = members.shift_remove(&name) {
                        members.insert(name, mutated(inner, random));
                    }
                }
                _ => drop(members.insert(name, odd(random))),
            }
            members.into()
        }
        Value::Array(mut items) if !items.is_empty() => {
            let at = random.random_range(0..items.len());
            items[at] = odd(random);
            items.into()
        }
        _ => odd(random),
    }
}

/// A value that hardly anything expects.
fn odd(random: &mut StdRng) -> Value {
    match random.random_range(0..16) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(u64::MAX),
        3 => json!(i64::MIN),
        4 => json!(1e308),
        5 => json!(0.1),
        6 => json!(true),
        7 => json!([]),
        8 => json!({}),
        9 => json!([[["deep"]]]),
        10 => json!(""),
        11 => json!("x".repeat(random.random_range(1_000..20_000))),
        _ => json!(odd_text(random)),
    }
}

/// A text that looks like something else.
pub(super) fn odd_text(random: &mut StdRng) -> String {
    const TEXTS: [&str; 16] = [
        "\u{202e}gpj.exe",
        "nul\u{0}in the middle",
        "\u{feff}",
        "  spaces  ",
        "' OR '1'='1",
        "{{7*7}}${7*7}{rows}",
        "../../../etc/passwd",
        "<script>alert(1)</script>",
        "e\u{301}\u{301}\u{301}\u{301}",
        "👩‍👩‍👧‍👦",
        "user_00000000000000000000000000000000",
        "run_ffffffffffffffffffffffffffffffff",
        "%2e%2e%2f",
        "a#b#c",
        // No line break: a path with one matches no route of the gateway.
        "\u{1b}[2Jx: y",
        "\u{ffff}\u{10ffff}",
    ];
    TEXTS[random.random_range(0..TEXTS.len())].to_owned()
}

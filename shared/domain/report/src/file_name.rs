//! File names from templates: `nonprofit_{entity_name}_{date}.md`.

use countersign_effect::is_hidden;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The longest name given, in bytes; file systems stop at 255 and some add suffixes.
const MAX_LENGTH: usize = 120;

/// Fills `{date}` (yyyy-mm-dd, UTC) and `{entity_name}` into a template and makes the result safe as a file name
/// everywhere: no separators, no control or reserved characters, no leading dot, at most 120 bytes, never empty. The
/// extension is added when the template has none.
///
/// ```text
/// nonprofit_{entity_name}_{date}.md + "Río Verde / Trust" -> nonprofit_río_verde_trust_2026-11-21.md
/// ```
#[must_use]
pub fn file_name(template: &str, entity_name: &str, now: Timestamp, extension: &str) -> String {
    let date = now.to_zoned(TimeZone::UTC).date().to_string();
    let entity = if entity_name.trim().is_empty() { "all" } else { entity_name };
    // The extension comes from the template alone: an entity called `x.exe` must not choose it.
    let (stem, extension) = split(template, extension);
    let stem =
        safe(&stem.replace("{date}", &date).replace("{entity_name}", &entity.to_lowercase()));
    let stem = if stem.is_empty() || reserved(&stem) { format!("output_{stem}") } else { stem };
    let room = MAX_LENGTH - extension.len() - 1;
    format!("{}.{extension}", cut(stem.trim_end_matches('_'), room))
}

/// The template's own extension when it is a plain short one, else the format's.
fn split(name: &str, extension: &str) -> (String, String) {
    match name.rsplit_once('.') {
        Some((stem, own))
            if (1..=8).contains(&own.len()) && own.bytes().all(|b| b.is_ascii_alphanumeric()) =>
        {
            (stem.to_owned(), own.to_ascii_lowercase())
        }
        _ => (name.to_owned(), extension.to_owned()),
    }
}

fn safe(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for character in text.chars() {
        // Some characters that nobody sees count as letters.
        let is_kept = (character.is_alphanumeric() && !is_hidden(character))
            || matches!(character, '-' | '.');
        let kept = if is_kept { character } else { '_' };
        let repeats = matches!(kept, '_' | '.') && name.ends_with(kept);
        if !repeats {
            name.push(kept);
        }
    }
    name.trim_matches(['_', '.', '-']).to_owned()
}

/// Names Windows keeps for devices.
fn reserved(stem: &str) -> bool {
    let upper = stem.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered = |prefix: &str| {
        upper.strip_prefix(prefix).is_some_and(|rest| rest.len() == 1 && rest != "0")
    };
    matches!(upper.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // What is cut off may leave a mark at the end, which the extension must not follow.
    text[..end].trim_end_matches(['_', '.', '-'])
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::file_name;

    fn now() -> Timestamp {
        "2026-11-21T23:59:59Z".parse().unwrap()
    }

    fn check(template: &str, entity: &str, expect: &str) {
        assert_eq!(file_name(template, entity, now(), "md"), expect);
    }

    #[test]
    fn f_280_templates_become_safe_names() {
        check("agent_output_{date}.md", "", "agent_output_2026-11-21.md");
        check(
            "nonprofit_{entity_name}_{date}.md",
            "Río Verde / Trust",
            "nonprofit_río_verde_trust_2026-11-21.md",
        );
        check("nonprofit_{entity_name}.md", "", "nonprofit_all.md");
        check("{entity_name}.md", "pay\u{3164}roll\u{ffa0}", "pay_roll.md");
        check("../../etc/passwd", "", "etc_passwd.md");
        check("{entity_name}", "..\\..\\x\u{202e}\n.exe", "x_.exe.md");
        check("con", "", "output_con.md");
        check("///", "", "output.md");
        check("a.b.CSV", "", "a.b.csv");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn names_never_leave_their_folder(template in ".{0,200}", entity in ".{0,200}") {
            let name = file_name(&template, &entity, now(), "md");
            prop_assert!(name.len() <= 120 && name.len() >= 3);
            prop_assert!(!name.starts_with('.') && !name.contains(".."), "{}", name);
            prop_assert!(!name.chars().any(|c| c.is_control() || "/\\:*?\"<>|\u{202e}".contains(c)), "{}", name);
        }
    }
}

//! The strings of playbooks that have a form.

use countersign_document::words::is_kebab;
use countersign_document::{Refused, text_type};

use crate::model::RESERVED_IDS;

/// The longest name of a step or variable.
const MAX_NAME: usize = 64;
/// The longest id.
const MAX_ID: usize = 100;
/// The longest tag.
const MAX_TAG: usize = 32;
/// The longest field of a column, in characters.
const MAX_FIELD: usize = 200;
/// The longest label, in characters.
const MAX_LABEL: usize = 60;

text_type! {
    /// The id of a playbook, in kebab-case.
    pub(crate) struct Id {
        format: "playbook-id", code: "P007", sample: "a",
        pattern: "^[a-z0-9]+(-[a-z0-9]+)*$", check: id
    }
    /// A word to find a playbook by.
    pub(crate) struct Tag {
        format: "tag", code: "P007", sample: "a",
        pattern: "^[a-z0-9][a-z0-9-]{0,31}$", check: tag
    }
    /// What references name a step, a result or an input by.
    pub(crate) struct Name {
        format: "reference-name", code: "P007", sample: "a",
        pattern: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$", check: name
    }
    /// What references name the item of a list by.
    pub(crate) struct ItemName {
        format: "item-name", code: "P007", sample: "item",
        pattern: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$", check: item_name
    }
    /// Hours and minutes.
    pub(crate) struct TimeOfDay {
        format: "time-of-day", code: "P004", sample: "00:00",
        pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$", check: time_of_day
    }
    /// The name of a time zone.
    pub(crate) struct ZoneName {
        format: "zone-name", code: "P004", sample: "UTC",
        pattern: "^(UTC|[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)+)$", check: zone
    }
    /// A field of what a gate shows, dotted.
    pub(crate) struct FieldPath {
        format: "field-path", code: "P020", sample: "a", check: field_path
    }
    /// What people read instead of a field's name.
    pub(crate) struct Label {
        format: "label", code: "P006", sample: "a", pattern: r"\S", check: label
    }
    /// A code of ISO 4217.
    pub(crate) struct Currency {
        format: "currency", code: "P005", sample: "EUR", pattern: "^[A-Z]{3}$", check: currency
    }
}

/// At most so many characters of what somebody wrote.
fn shown(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn filled(text: &str) -> Result<(), Refused> {
    if text.trim().is_empty() { Err(Refused::of_key("is empty")) } else { Ok(()) }
}

fn tag(text: &str) -> Result<(), Refused> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=MAX_TAG).contains(&text.len()) && text.chars().all(is_plain) && !text.starts_with('-') {
        return Ok(());
    }
    let hint = "lower-case letters, digits and hyphens, at most 32 characters";
    Err(Refused::new(format!("`{}` is not a tag", shown(text, 40))).hint(hint.to_owned()))
}

fn id(text: &str) -> Result<(), Refused> {
    filled(text)?;
    if RESERVED_IDS.contains(&text) {
        let hint = format!("such as `{text}-of-mine`");
        return Err(Refused::new(format!("`{text}` is a reserved name")).hint(hint));
    }
    if text.len() <= MAX_ID && is_kebab(text) {
        return Ok(());
    }
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    let likely = shown(&words.join("-"), MAX_ID);
    let hint = (!likely.is_empty()).then(|| format!("write `{likely}`"));
    Err(Refused::new(format!("`{}` is not kebab-case", shown(text, 60))).hint(hint))
}

/// Whether a text can name a step or a variable.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.len() <= MAX_NAME
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

fn name(text: &str) -> Result<(), Refused> {
    filled(text)?;
    if is_name(text) {
        return Ok(());
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let likely: String = text.chars().map(plain).take(MAX_NAME).collect();
    let hint = if is_name(&likely) {
        format!("write `{likely}`")
    } else {
        format!("use a letter, then letters, digits, `_` and `-`, at most {MAX_NAME}")
    };
    let message = format!("`{}` is not a name that references can use", shown(text, 60));
    Err(Refused::new(message).hint(hint))
}

fn item_name(text: &str) -> Result<(), Refused> {
    let bare = text.trim_start_matches('{').trim_end_matches('}').trim();
    if bare == text || !is_name(bare) {
        return name(text);
    }
    let message = format!("`as` must be the name alone, found `{}`", shown(text, 60));
    Err(Refused::new(message).hint(format!("write `{bare}`")))
}

fn time_of_day(text: &str) -> Result<(), Refused> {
    filled(text)?;
    let number = |text: &str, below: u8| {
        text.len() == 2
            && text.bytes().all(|b| b.is_ascii_digit())
            && text.parse::<u8>().is_ok_and(|number| number < below)
    };
    let fits = |(hours, minutes): (&str, &str)| number(hours, 24) && number(minutes, 60);
    if text.split_once(':').is_some_and(fits) {
        return Ok(());
    }
    let wrong = Refused::new(format!("`{}` is not a time of day", shown(text, 60)));
    Err(wrong.hint("write hours and minutes in quotes, such as \"09:30\"".to_owned()))
}

fn zone(text: &str) -> Result<(), Refused> {
    filled(text)?;
    if countersign_zones::zone(text).is_some() {
        return Ok(());
    }
    let wrong = Refused::new(format!("`{}` is not a time zone", shown(text, 60)));
    Err(wrong.hint("write an IANA name such as `Europe/Berlin`, or `UTC`".to_owned()))
}

fn field_path(text: &str) -> Result<(), Refused> {
    let is_gap = |part: &str| part.trim() != part || part.is_empty();
    let wrong = if text.trim().is_empty() {
        Refused::of_key("is empty")
    } else if text.chars().count() > MAX_FIELD {
        Refused::of_key(format!("is longer than {MAX_FIELD} characters"))
    } else if text.contains(['{', '}']) || text.chars().any(char::is_control) {
        Refused::new(format!("`{}` is not the name of a field", text.escape_debug()))
    } else if text.split('.').any(is_gap) {
        Refused::new(format!("`{text}` has an empty part or spaces at an edge"))
    } else {
        return Ok(());
    };
    let hint = "write names of fields with dots between them, such as `payee.name`";
    Err(wrong.hint(hint.to_owned()))
}

fn label(text: &str) -> Result<(), Refused> {
    let length = text.chars().count();
    if !text.trim().is_empty() && length <= MAX_LABEL {
        return Ok(());
    }
    let message = format!("must have 1 to {MAX_LABEL} characters, found {length}");
    let hint = "one or two words; leave it out to show the name of the field";
    Err(Refused::of_key(message).hint(hint.to_owned()))
}

fn currency(text: &str) -> Result<(), Refused> {
    if text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase()) {
        return Ok(());
    }
    let message = format!("must be three capital letters, found `{}`", shown(text, 20));
    Err(Refused::of_key(message).hint("use the code of ISO 4217, such as `EUR`".to_owned()))
}

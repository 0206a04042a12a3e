//! What the entries of `fields` have in common, whatever is read.

use countersign_document::Rules;

/// Refuses a second field of the same name, in the list under this key or in one before it.
pub(super) fn unique<'f>(
    key: &str,
    names: impl Iterator<Item = &'f str>,
    taken: &[&'f str],
    rules: &mut Rules<'_>,
) {
    let mut seen = taken.to_vec();
    for (n, name) in names.enumerate() {
        if seen.contains(&name) {
            let message = format!("the field `{name}` is mapped twice");
            rules.error("duplicate", &format!("/{key}/{n}/field"), message);
        }
        seen.push(name);
    }
}

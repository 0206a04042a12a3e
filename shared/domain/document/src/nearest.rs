//! Words that are meant instead of the ones that are written.

/// The longest word that is compared: similarity takes time that grows with the square of the length.
const MAX_WORD: usize = 64;

/// The most similar of the known words, when one is similar enough to be meant.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.is_empty() || word.len() > MAX_WORD {
        return None;
    }
    let asked = word.to_lowercase();
    let known = known.into_iter().filter(|name| name.len() <= MAX_WORD && !is_other(word, name));
    let scored = known.map(|name| (likeness(&asked, &name.to_lowercase()), name));
    let similar = scored.filter(|(score, _)| *score > 0.8);
    similar.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// Whether both are a number and its unit, and the numbers are not the same: whoever writes `60m` does not mean `30m`.
fn is_other(asked: &str, known: &str) -> bool {
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().map(str::to_owned);
    let (asked, known) = (number(asked), number(known));
    asked != known && [asked, known].iter().flatten().all(|digits| !digits.is_empty())
}

/// Swapped letters, as in `cvs`, are one mistake; so are the same words in another order, and a word that is left out.
fn likeness(asked: &str, known: &str) -> f64 {
    let swapped = strsim::damerau_levenshtein(asked, known) == 1 && known.len() > 2;
    let part = asked.len() >= 4 && (known.starts_with(asked) || known.ends_with(asked));
    if swapped {
        0.99
    } else if part {
        0.9
    } else {
        strsim::jaro_winkler(asked, known).max(strsim::jaro_winkler(&sorted(asked), &sorted(known)))
    }
}

fn sorted(text: &str) -> String {
    let mut words: Vec<&str> =
        text.split(['_', '-', ' ']).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.join(" ")
}

/// A hint that names the word that is probably meant.
#[must_use]
pub fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

/// Words in backticks, with commas between them.
#[must_use]
pub fn listed<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_another_number_is_not_what_was_meant() {
        let known = ["5m", "15m", "30m", "1h"];
        assert_eq!(nearest("60m", known), None);
        assert_eq!(nearest("10m", known), None);
        assert_eq!(nearest("30min", known), Some("30m"));
        assert_eq!(nearest("step_2", ["step_1"]), Some("step_1"), "a name begins otherwise");
    }
}

//! Folding: the form in which texts are compared. Upper case, plain ASCII, no punctuation, single spaces.

/// Folds a text: accents off, upper case, apostrophes and dots gone, `&` read as `AND`, all other punctuation a space.
#[must_use]
pub fn fold(text: &str) -> String {
    let plain = deunicode::deunicode(text);
    let mut folded = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            '\'' | '`' | '.' => {}
            '&' => folded.push_str(" AND "),
            c if c.is_ascii_alphanumeric() => folded.push(c.to_ascii_uppercase()),
            _ => folded.push(' '),
        }
    }
    squeeze(&folded)
}

/// One space where there were several, none at the ends.
#[must_use]
pub fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The words a text can be found by, folded; words of one letter are left out, at most 24 are kept.
#[must_use]
pub fn search_tokens(text: &str) -> Vec<String> {
    let folded = fold(text);
    folded
        .split(' ')
        .filter(|word| word.len() > 1)
        .map(|word| word.chars().take(40).collect())
        .take(24)
        .collect()
}

/// The words that are looked for: those of [`search_tokens`], each once, without those that begin another one. What has the longer
/// word has the shorter one, too.
#[must_use]
pub fn search_words(text: &str) -> Vec<String> {
    let words = search_tokens(text);
    let is_covered = |n: usize, word: &String| {
        let covers = |(m, other): (usize, &String)| {
            m != n && other.starts_with(word.as_str()) && (other != word || m < n)
        };
        words.iter().enumerate().any(covers)
    };
    let wanted = words.iter().enumerate().filter(|(n, word)| !is_covered(*n, word));
    wanted.map(|(_, word)| word.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::{fold, search_tokens, search_words};

    fn check(text: &str, expect: &str) {
        assert_eq!(fold(text), expect);
    }

    #[test]
    fn f_273_folding_takes_case_accents_and_punctuation_off() {
        check("José  Ñuñez-O’Brien", "JOSE NUNEZ OBRIEN");
        check("Smith & Sons, Inc.", "SMITH AND SONS INC");
        check("  ", "");
        check("Łódź Straße", "LODZ STRASSE");
    }

    #[test]
    fn f_273_tokens_leave_initials_out() {
        assert_eq!(search_tokens("J. Émile Zola"), ["EMILE", "ZOLA"]);
    }

    #[test]
    fn f_273_a_word_is_looked_for_once_and_not_beside_one_that_it_begins() {
        assert_eq!(search_words("Zola zola ZO émile Zola"), ["ZOLA", "EMILE"]);
        assert_eq!(search_words("an ann anna"), ["ANNA"]);
        assert_eq!(search_words("J."), [""; 0]);
    }
}

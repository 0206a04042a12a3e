//! Letters that only look like their neighbours: the scripts of a word, and digits of other scripts.

/// A script, as far as telling scripts apart within a word needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "title_case")]
pub(super) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Indic,
    Thai,
    Georgian,
    Cherokee,
    Coptic,
    Deseret,
    Lisu,
    EastAsian,
}

impl Script {
    /// As it is told: `East Asian`.
    pub(super) fn name(self) -> &'static str {
        self.into()
    }
}

/// The ranges of letters, from Unicode's `Scripts.txt`. The scripts of China, Japan and Korea are one: they are written
/// together. So are those of India, which nobody takes for Latin.
const RANGES: &[(u32, u32, Script)] = &[
    (0x0041, 0x005A, Script::Latin),
    (0x0061, 0x007A, Script::Latin),
    (0x00C0, 0x00D6, Script::Latin),
    (0x00D8, 0x00F6, Script::Latin),
    (0x00F8, 0x02B8, Script::Latin),
    (0x0370, 0x03E1, Script::Greek),
    (0x03E2, 0x03EF, Script::Coptic),
    (0x03F0, 0x03FF, Script::Greek),
    (0x0400, 0x052F, Script::Cyrillic),
    (0x0531, 0x058A, Script::Armenian),
    (0x0591, 0x05F4, Script::Hebrew),
    (0x0600, 0x06FF, Script::Arabic),
    (0x0750, 0x077F, Script::Arabic),
    (0x08A0, 0x08FF, Script::Arabic),
    (0x0900, 0x0DFF, Script::Indic),
    (0x0E01, 0x0EDF, Script::Thai),
    (0x10A0, 0x10FF, Script::Georgian),
    (0x1100, 0x11FF, Script::EastAsian),
    (0x13A0, 0x13FF, Script::Cherokee),
    (0x1C80, 0x1C8F, Script::Cyrillic),
    (0x1C90, 0x1CBF, Script::Georgian),
    (0x1D00, 0x1D25, Script::Latin),
    (0x1D26, 0x1D2A, Script::Greek),
    (0x1D2B, 0x1D2B, Script::Cyrillic),
    (0x1D2C, 0x1DBF, Script::Latin),
    (0x1E00, 0x1EFF, Script::Latin),
    (0x1F00, 0x1FFF, Script::Greek),
    (0x2C60, 0x2C7F, Script::Latin),
    (0x2C80, 0x2CFF, Script::Coptic),
    (0x2D00, 0x2D2F, Script::Georgian),
    (0x2DE0, 0x2DFF, Script::Cyrillic),
    (0x2E80, 0x303F, Script::EastAsian),
    (0x3040, 0x9FFF, Script::EastAsian),
    (0xA4D0, 0xA4FF, Script::Lisu),
    (0xA640, 0xA69F, Script::Cyrillic),
    (0xA722, 0xA7FF, Script::Latin),
    (0xAB30, 0xAB64, Script::Latin),
    (0xAB70, 0xABBF, Script::Cherokee),
    (0xAC00, 0xD7FF, Script::EastAsian),
    (0xF900, 0xFAFF, Script::EastAsian),
    (0xFB00, 0xFB06, Script::Latin),
    (0xFB13, 0xFB17, Script::Armenian),
    (0xFB1D, 0xFB4F, Script::Hebrew),
    (0xFB50, 0xFDFF, Script::Arabic),
    (0xFE70, 0xFEFF, Script::Arabic),
    (0xFF21, 0xFF3A, Script::Latin),
    (0xFF41, 0xFF5A, Script::Latin),
    (0xFF66, 0xFFDC, Script::EastAsian),
    (0x10400, 0x1044F, Script::Deseret),
    (0x1E030, 0x1E08F, Script::Cyrillic),
    (0x20000, 0x3FFFF, Script::EastAsian),
];

/// The digits zero of other scripts; nine more follow each (`General_Category=Nd`).
const ZEROES: &[u32] = &[
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16A60, 0x16AC0,
    0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E950,
    0x1FBF0,
];

/// The script of a letter; none for digits, marks and what every script shares.
pub(super) fn script(character: char) -> Option<Script> {
    let code = u32::from(character);
    if !character.is_alphabetic() {
        return None;
    }
    let at = RANGES.partition_point(|&(_, last, _)| last < code);
    RANGES.get(at).filter(|&&(first, _, _)| first <= code).map(|&(_, _, script)| script)
}

/// Whether a digit is not one of `0` to `9`.
pub(super) fn is_foreign_digit(character: char) -> bool {
    let code = u32::from(character);
    let at = ZEROES.partition_point(|&zero| zero <= code);
    at.checked_sub(1).and_then(|at| ZEROES.get(at)).is_some_and(|zero| code - zero < 10)
}

/// The script that is at home in a word, when the word mixes scripts that are not written together.
pub(super) fn home(word: &str) -> Option<Script> {
    let mut counts: Vec<(Script, usize)> = Vec::new();
    for script in word.chars().filter_map(script) {
        match counts.iter_mut().find(|(known, _)| *known == script) {
            Some((_, count)) => *count += 1,
            None => counts.push((script, 1)),
        }
    }
    let together = |script: Script| matches!(script, Script::Latin | Script::EastAsian);
    if counts.len() < 2 || counts.iter().all(|(script, _)| together(*script)) {
        return None;
    }
    // Of equally many, Latin is at home: it is the script of names, addresses and accounts in most requests.
    counts
        .into_iter()
        .max_by_key(|&(script, count)| (count, script == Script::Latin))
        .map(|(script, _)| script)
}

#[cfg(test)]
mod tests {
    use super::{RANGES, Script, ZEROES, home, is_foreign_digit};

    fn check(word: &str, expect: Option<Script>) {
        assert_eq!(home(word), expect, "{word}");
    }

    #[test]
    fn the_tables_are_sorted() {
        assert!(RANGES.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert!(RANGES.iter().all(|range| range.0 <= range.1));
        assert!(ZEROES.windows(2).all(|pair| pair[0] + 10 <= pair[1]));
    }

    #[test]
    fn f_200_only_scripts_that_are_not_written_together_are_mixed() {
        check("Acme", None);
        check("Zoë", None);
        check("株式会社ABC", None);
        check("ひらがなカタカナ漢字", None);
        check("Ромашка", None);
        check("Аcme", Some(Script::Latin));
        check("Ромaшка", Some(Script::Cyrillic));
        check("οa", Some(Script::Latin));
        check("12-34", None);
    }

    #[test]
    fn f_200_digits_of_other_scripts_are_known() {
        assert!(['٣', '９', '𝟗', '०'].into_iter().all(is_foreign_digit));
        assert!(['3', '²', '½', 'a', ' '].into_iter().all(|c| !is_foreign_digit(c)));
    }
}

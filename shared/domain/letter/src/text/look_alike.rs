//! Marks that are drawn over other characters, and punctuation that looks like that of addresses.

/// Marks over the character before them, or around it: strokes, rings, squares. What is above, below or beside it, as accents and
/// vowels are, is not among them.
const OVERLAYS: &[(u32, u32)] =
    &[(0x0334, 0x0338), (0x0488, 0x0489), (0x1ABE, 0x1ABE), (0x20D0, 0x20F0), (0xA670, 0xA672)];

/// Punctuation that is taken for the ASCII character beside it, and that hardly any text is written with. The wide forms of East Asia
/// are ordinary there, and so are dashes and quotation marks everywhere.
const LOOK_ALIKES: &[(char, char)] = &[
    ('\u{02D0}', ':'),
    ('\u{16EC}', ':'),
    ('\u{2024}', '.'),
    ('\u{2044}', '/'),
    ('\u{205A}', ':'),
    ('\u{2215}', '/'),
    ('\u{2216}', '\\'),
    ('\u{2236}', ':'),
    ('\u{2571}', '/'),
    ('\u{2572}', '\\'),
    ('\u{27CB}', '/'),
    ('\u{27CD}', '\\'),
    ('\u{29F5}', '\\'),
    ('\u{29F8}', '/'),
    ('\u{29F9}', '\\'),
    ('\u{A789}', ':'),
    ('\u{A78A}', '='),
    ('\u{FE30}', ':'),
    ('\u{FE50}', ','),
    ('\u{FE52}', '.'),
    ('\u{FE55}', ':'),
    ('\u{FE56}', '?'),
    ('\u{FE5F}', '#'),
    ('\u{FE60}', '&'),
    ('\u{FE66}', '='),
    ('\u{FE68}', '\\'),
    ('\u{FE6A}', '%'),
    ('\u{FE6B}', '@'),
];

/// Whether a character is drawn over the one before it.
pub(super) fn is_overlay(character: char) -> bool {
    let code = u32::from(character);
    OVERLAYS.iter().any(|&(first, last)| (first..=last).contains(&code))
}

/// The punctuation that a character is taken for.
pub(super) fn looks_like(character: char) -> Option<char> {
    let at = LOOK_ALIKES.binary_search_by_key(&character, |&(own, _)| own).ok()?;
    LOOK_ALIKES.get(at).map(|&(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::{LOOK_ALIKES, OVERLAYS, is_overlay, looks_like};

    #[test]
    fn the_tables_are_sorted() {
        assert!(LOOK_ALIKES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(LOOK_ALIKES.iter().all(|(own, other)| !own.is_ascii() && other.is_ascii()));
        assert!(OVERLAYS.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }

    #[test]
    fn f_200_overlays_and_look_alikes_are_known() {
        assert!("\u{336}\u{338}\u{489}\u{20DD}\u{20E5}\u{20F0}".chars().all(is_overlay));
        assert_eq!(
            "\u{2215}\u{2024}\u{A789}".chars().filter_map(looks_like).collect::<String>(),
            "/.:"
        );
    }

    #[test]
    fn f_200_what_ordinary_text_is_written_with_is_not() {
        let marks = "e\u{301}o\u{308}c\u{327}a\u{323}\u{302}n\u{303}\u{5B8}\u{64B}\u{651}\u{670}\u{93E}\u{94D}\u{902}\u{E31}\u{3099}";
        let signs = "/.:-\u{2010}\u{2013}\u{2014}\u{2018}\u{201E}\u{2022}\u{2026}\u{2212}\u{B7}\u{D7}\u{3002}\u{FF0C}\u{FF1A}\u{589}\u{5C3}\u{964}\u{60C}\u{6D4}\u{20AC}";
        for character in marks.chars().chain(signs.chars()) {
            assert!(!is_overlay(character) && looks_like(character).is_none(), "{character:?}");
        }
    }
}

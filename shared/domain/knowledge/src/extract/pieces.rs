//! A long text, piece by piece.

/// Bytes of running text read at once: a run of names may be as long, and takes more than its length to judge.
const PIECE: usize = 20_000;

/// A long text in pieces that end with a sentence, or at least with a word.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let most = rest.floor_char_boundary(PIECE);
        let end = if most == rest.len() { most } else { good_end(&rest[..most]) };
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn good_end(text: &str) -> usize {
    let mark = text.rfind(['\n', ';', '!', '?', ':']).map(|at| at + 1);
    let stop = text.rfind(". ").map(|at| at + 2);
    let word = || text.rfind(|c: char| c.is_ascii_whitespace()).map(|at| at + 1);
    mark.max(stop).or_else(word).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PIECE, pieces};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn f_095_no_text_is_lost_between_its_pieces(words in proptest::collection::vec("[a-zé]{1,9}[.,;\n]?", 0..9_000), gap in " ?") {
            let text = words.join(&gap);
            let pieces: Vec<&str> = pieces(&text).collect();
            prop_assert!(pieces.iter().all(|piece| piece.len() <= PIECE));
            prop_assert_eq!(pieces.concat(), text);
        }
    }
}

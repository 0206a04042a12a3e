//! The characters of a text that make a link.

/// Schemes that readers link without `//`.
const SCHEMES: [&str; 16] = [
    "http",
    "https",
    "ftp",
    "file",
    "mailto",
    "tel",
    "sms",
    "xmpp",
    "sip",
    "callto",
    "skype",
    "facetime",
    "news",
    "geo",
    "data",
    "javascript",
];

/// The longest scheme looked for before a colon, in characters.
const MAX_SCHEME: usize = 10;

/// Every dot of a host's name, colon of a scheme, at sign of an address and first backslash of a share, with its place.
pub(crate) fn marks(text: &str) -> Vec<(usize, char)> {
    let all: Vec<(usize, char)> = text.char_indices().collect();
    let mut marks = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let chain = all[at..].iter().take_while(|(_, c)| is_label(*c) || is_dot(*c)).count();
        if chain > 0 {
            dots(&all[at..at + chain], &mut marks);
        } else if joins(&all, at) {
            marks.push(all[at]);
        }
        at += chain.max(1);
    }
    marks
}

/// Whether the character at `at`, which is not a part of a host's name, makes a link of its neighbours.
fn joins(all: &[(usize, char)], at: usize) -> bool {
    let near = |at: usize| all.get(at).map(|(_, character)| *character);
    let before = at.checked_sub(1).and_then(near);
    let (after, next) = (near(at + 1), near(at + 2));
    match all[at].1 {
        ':' => {
            after.is_some_and(|c| !c.is_whitespace())
                && (after == Some('/') && next == Some('/') || is_scheme(&all[..at]))
        }
        // Some readers link an address whose host begins with a dot.
        '@' | '＠' => {
            before.is_some_and(|c| !c.is_whitespace())
                && after.is_some_and(|c| is_label(c) || is_dot(c))
        }
        '\\' => before != Some('\\') && after == Some('\\') && next.is_some_and(is_label),
        _ => false,
    }
}

fn is_scheme(before: &[(usize, char)]) -> bool {
    let letters = before.iter().rev().map(|(_, c)| *c).take_while(char::is_ascii_alphabetic);
    let mut word: Vec<char> =
        letters.take(MAX_SCHEME + 1).map(|c| c.to_ascii_lowercase()).collect();
    word.reverse();
    SCHEMES.iter().any(|scheme| scheme.chars().eq(word.iter().copied()))
}

/// The dots of a chain of labels that make it a name of a host: those before a label that may be a top level domain,
/// those behind `www`, and those between numbers where four follow each other.
fn dots(chain: &[(usize, char)], marks: &mut Vec<(usize, char)>) {
    let labels: Vec<&[(usize, char)]> = chain.split(|(_, c)| is_dot(*c)).collect();
    let address = labels.windows(4).any(|four| four.iter().all(|label| is_number(label)));
    let mut end = 0;
    for pair in labels.windows(2) {
        end += pair[0].len();
        let numbers = address && is_number(pair[0]) && is_number(pair[1]);
        if numbers || !pair[0].is_empty() && may_be_top(pair[1]) || is_www(pair[0]) {
            marks.push(chain[end]);
        }
        end += 1;
    }
}

fn is_number(label: &[(usize, char)]) -> bool {
    !label.is_empty() && label.iter().all(|(_, c)| c.is_ascii_digit())
}

fn may_be_top(label: &[(usize, char)]) -> bool {
    label.len() > 1 && label.iter().any(|(_, c)| c.is_alphabetic() || !c.is_ascii())
}

fn is_www(label: &[(usize, char)]) -> bool {
    let last = label.iter().rev().take(3);
    last.clone().count() == 3 && last.clone().all(|(_, c)| c.eq_ignore_ascii_case(&'w'))
}

fn is_dot(character: char) -> bool {
    matches!(character, '.' | '。' | '．' | '｡')
}

fn is_label(character: char) -> bool {
    let beyond = !character.is_ascii() && !character.is_whitespace() && !character.is_control();
    character.is_ascii_alphanumeric()
        || matches!(character, '-' | '_')
        || beyond && !is_dot(character) && !matches!(character, '＠')
}

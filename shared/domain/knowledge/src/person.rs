//! Reading a person's name: `SMITH JR, ROBERT "BOB" A., CPA` → given, middles, surname, suffix, nickname.

use crate::fold::fold;
use crate::gazetteer::is_given_name;

/// A generation mark. Two different ones are two different people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
pub enum Suffix {
    /// Junior.
    Jr,
    /// Senior.
    Sr,
    /// The second.
    #[strum(to_string = "II")]
    Second,
    /// The third.
    #[strum(to_string = "III")]
    Third,
    /// The fourth.
    #[strum(to_string = "IV")]
    Fourth,
    /// The fifth.
    #[strum(to_string = "V")]
    Fifth,
}

impl Suffix {
    fn parse(token: &str) -> Option<Self> {
        Some(match token {
            "JR" | "JNR" | "JUNIOR" => Self::Jr,
            "SR" | "SNR" | "SENIOR" => Self::Sr,
            "II" | "2ND" => Self::Second,
            "III" | "3RD" => Self::Third,
            "IV" | "4TH" => Self::Fourth,
            "V" | "5TH" => Self::Fifth,
            _ => return None,
        })
    }

    /// How it is written in a canonical name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

const HONORIFICS: [&str; 34] = [
    "MR",
    "MRS",
    "MS",
    "MISS",
    "MX",
    "DR",
    "REV",
    "REVEREND",
    "HON",
    "HONORABLE",
    "PROF",
    "PROFESSOR",
    "SIR",
    "DAME",
    "LADY",
    "LORD",
    "FR",
    "FATHER",
    "SISTER",
    "RABBI",
    "IMAM",
    "PASTOR",
    "BISHOP",
    "JUDGE",
    "SENATOR",
    "SEN",
    "GOV",
    "AMB",
    "COL",
    "CAPT",
    "GEN",
    "LT",
    "SGT",
    "MAJ",
];

const CREDENTIALS: [&str; 36] = [
    "ESQ", "ESQUIRE", "MD", "DO", "PHD", "EDD", "JD", "LLM", "CPA", "CFA", "CFP", "CFRE", "DDS",
    "DMD", "DVM", "RN", "NP", "PA", "LCSW", "MSW", "MBA", "MPH", "MPA", "MA", "MS", "PE", "AIA",
    "FAIA", "OD", "DC", "PSYD", "DMIN", "MDIV", "SJ", "RET", "LPC",
];

/// Parts of a surname that stand before it.
const PARTICLES: [&str; 27] = [
    "VAN", "VON", "DE", "DER", "DEN", "DI", "DA", "DAL", "DEL", "DELLA", "DELA", "DU", "LA", "LE",
    "LOS", "LAS", "SAN", "SAINT", "ST", "BIN", "BEN", "IBN", "AL", "EL", "TER", "DOS", "DAS",
];

/// A person's name in parts, all folded ([`crate::fold`]); surnames keep their inner spaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PersonName {
    /// The first given name, or its initial; empty when only a surname is known.
    pub given: String,
    /// Further given names or initials.
    pub middles: Vec<String>,
    /// The surname with its particles; double names are joined by a space.
    pub surname: String,
    /// Jr, Sr, II, …
    pub suffix: Option<Suffix>,
    /// What stood in quotes or brackets.
    pub nickname: Option<String>,
}

impl PersonName {
    /// Reads a name in either order. Never fails: a text without letters gives empty parts.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let (text, nickname) = take_nickname(text);
        let parts: Vec<Vec<String>> = text.split(',').map(tokens).collect();
        let mut name = Self { nickname, ..Self::default() };
        let mut parts: Vec<Vec<String>> =
            parts.into_iter().filter_map(|part| name.strip_marks(part)).collect();
        match parts.len() {
            0 => {}
            1 => name.read_direct(parts.remove(0)),
            _ => {
                let given = parts.remove(1);
                name.surname = join_surname(&parts.remove(0));
                name.read_given(given);
            }
        }
        name
    }

    /// Takes honorifics, credentials and generation marks off; `None` when nothing else was there.
    fn strip_marks(&mut self, mut part: Vec<String>) -> Option<Vec<String>> {
        let titles = part.iter().take_while(|word| HONORIFICS.contains(&word.as_str())).count();
        part.drain(..titles.min(part.len().saturating_sub(1)));
        while let Some(last) = part.last() {
            let suffix = Suffix::parse(last).filter(|suffix| {
                self.suffix.is_none() && (*suffix != Suffix::Fifth || part.len() > 2)
            });
            if let Some(suffix) = suffix {
                self.suffix = Some(suffix);
            } else if !CREDENTIALS.contains(&last.as_str()) || is_whole_name(&part) {
                break;
            }
            part.pop();
        }
        (!part.is_empty()).then_some(part)
    }

    fn read_direct(&mut self, mut tokens: Vec<String>) {
        // `SMITH JOHN A`: a single letter last, and no given name first, means the surname came first.
        let ends_in_initial = tokens.len() > 2 && tokens.last().is_some_and(|last| last.len() == 1);
        let surname_first = ends_in_initial
            && tokens.get(1).is_some_and(|t| is_given_name(t))
            && !is_given_name(&tokens[0]);
        if surname_first {
            self.surname = tokens.remove(0);
            self.read_given(tokens);
            return;
        }
        let mut start = tokens.len().saturating_sub(1);
        while start > 1 && PARTICLES.contains(&tokens[start - 1].as_str()) {
            start -= 1;
        }
        self.surname = join_surname(&tokens[start..]);
        tokens.truncate(start);
        self.read_given(tokens);
    }

    fn read_given(&mut self, tokens: Vec<String>) {
        let mut tokens = tokens
            .into_iter()
            .flat_map(|token| token.split('-').map(str::to_owned).collect::<Vec<_>>());
        self.given = tokens.next().unwrap_or_default();
        self.middles = tokens.collect();
    }

    /// Whether it could be read as somebody's name at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.surname.is_empty()
    }

    /// What two spellings of exactly the same name share.
    #[must_use]
    pub fn key(&self) -> String {
        let suffix = self.suffix.map_or("", Suffix::as_str);
        format!("{}|{}|{}|{suffix}", self.surname, self.given, self.middles.join(" "))
    }

    /// The name in reading order and mixed case: `Robert A. Smith Jr`.
    #[must_use]
    pub fn display(&self) -> String {
        let given =
            std::iter::once(&self.given).chain(&self.middles).filter(|part| !part.is_empty());
        let mut words: Vec<String> = given
            .map(|part| if part.len() == 1 { format!("{part}.") } else { capitalise(part) })
            .collect();
        words.extend(self.surname.split(' ').filter(|w| !w.is_empty()).map(|word| {
            if matches!(
                word,
                "DE" | "DER" | "DEN" | "VAN" | "VON" | "DI" | "DA" | "DEL" | "DOS" | "DAS" | "DU"
            ) && self.surname.contains(' ')
            {
                word.to_lowercase()
            } else {
                capitalise(word)
            }
        }));
        words.extend(self.suffix.map(|suffix| suffix.as_str().to_owned()));
        words.join(" ")
    }

    /// How much of the name is known: more is a better canonical name.
    #[must_use]
    pub fn completeness(&self) -> usize {
        let given = std::iter::once(&self.given).chain(&self.middles);
        given.map(|part| part.len().min(2) * 2).sum::<usize>() + usize::from(self.suffix.is_some())
    }
}

/// A credential that is also a surname, behind a single name, is the surname: `YO-YO MA`.
fn is_whole_name(part: &[String]) -> bool {
    part.len() == 2 && matches!(part[1].as_str(), "MA" | "DO" | "PA")
}

/// Whether a folded token is a title put before names.
pub(crate) fn is_honorific(token: &str) -> bool {
    HONORIFICS.contains(&token)
}

/// Whether a folded token marks a person when it stands after a name.
pub(crate) fn is_person_mark(token: &str) -> bool {
    CREDENTIALS.contains(&token) || (Suffix::parse(token).is_some() && token != "V")
}

/// Whether a folded token belongs to the surname behind it.
pub(crate) fn is_particle(token: &str) -> bool {
    PARTICLES.contains(&token)
}

/// Folded words; hyphens stay inside words, dotted capitals become a credential or single letters.
fn tokens(part: &str) -> Vec<String> {
    part.split_whitespace().flat_map(word_tokens).collect()
}

fn word_tokens(word: &str) -> Vec<String> {
    let compact = fold(word).replace(' ', "-");
    let letters: Vec<&str> = word.split('.').filter(|s| !s.is_empty()).collect();
    let dotted =
        word.contains('.') && letters.len() > 1 && letters.iter().all(|s| s.chars().count() == 1);
    if compact.is_empty() {
        Vec::new()
    } else if dotted && !CREDENTIALS.contains(&compact.as_str()) {
        compact.chars().map(String::from).collect()
    } else if !dotted
        && word.contains('.')
        && letters.len() > 1
        && !CREDENTIALS.contains(&compact.as_str())
    {
        // `J.Smith`, `Ph.D.`: only the first is two words.
        letters.iter().map(|s| fold(s)).filter(|s| !s.is_empty()).collect()
    } else {
        vec![compact]
    }
}

/// Hyphens inside a surname become spaces, so that `SMITH-JONES` and `SMITH JONES` are one.
fn join_surname(tokens: &[String]) -> String {
    tokens.join(" ").replace('-', " ")
}

fn take_nickname(text: &str) -> (String, Option<String>) {
    for (open, close) in [('"', '"'), ('(', ')'), ('“', '”')] {
        let Some((before, rest)) = text.split_once(open) else { continue };
        let Some((inner, after)) = rest.split_once(close) else { continue };
        let nickname = fold(inner);
        let named = !nickname.is_empty() && !nickname.contains(' ');
        return (format!("{before} {after}"), named.then_some(nickname));
    }
    (text.to_owned(), None)
}

fn capitalise(word: &str) -> String {
    let lower = word.to_lowercase();
    let after = lower
        .strip_prefix("mc")
        .filter(|rest| rest.len() > 2)
        .map(|rest| format!("Mc{}", first_upper(rest)));
    after.unwrap_or_else(|| first_upper(&lower))
}

fn first_upper(lower: &str) -> String {
    let mut chars = lower.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PersonName;

    fn check(text: &str, key: &str) {
        assert_eq!(PersonName::parse(text).key(), key, "{text}");
    }

    #[test]
    fn both_orders_give_the_same_name() {
        check("Robert A. Smith", "SMITH|ROBERT|A|");
        check("SMITH, ROBERT A", "SMITH|ROBERT|A|");
        check("SMITH ROBERT A", "SMITH|ROBERT|A|");
        check("Mr. Robert A Smith, Esq.", "SMITH|ROBERT|A|");
    }

    #[test]
    fn suffixes_and_credentials_are_told_apart_from_names() {
        check("ROBERT SMITH JR", "SMITH|ROBERT||Jr");
        check("Smith Jr., Robert", "SMITH|ROBERT||Jr");
        check("SMITH, ROBERT, JR", "SMITH|ROBERT||Jr");
        check("Robert Smith, M.D., Ph.D.", "SMITH|ROBERT||");
        check("Robert Smith III CPA", "SMITH|ROBERT||III");
        check("YO-YO MA", "MA|YO|YO|");
        check("J.R. Ewing", "EWING|J|R|");
    }

    #[test]
    fn particles_and_hyphens_belong_to_the_surname() {
        check("Ludwig van Beethoven", "VAN BEETHOVEN|LUDWIG||");
        check("Oscar de la Renta", "DE LA RENTA|OSCAR||");
        check("María Núñez-O’Brien", "NUNEZ OBRIEN|MARIA||");
        check("Van Johnson", "JOHNSON|VAN||");
    }

    #[test]
    fn nicknames_stand_apart() {
        let name = PersonName::parse("Robert \"Bob\" Smith");
        assert_eq!(
            (name.key().as_str(), name.nickname.as_deref()),
            ("SMITH|ROBERT||", Some("BOB"))
        );
    }

    #[test]
    fn canonical_names_read_naturally() {
        assert_eq!(PersonName::parse("MCDONALD JR, ANGUS T").display(), "Angus T. McDonald Jr");
        assert_eq!(PersonName::parse("OSCAR DE LA RENTA").display(), "Oscar de La Renta");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn reading_never_panics_and_display_reads_back(text in ".{0,60}", given in "[A-Z]{2,8}", surname in "[A-Z]{3,9}") {
            let _ = PersonName::parse(&text).display();
            let name = PersonName { given, surname, ..PersonName::default() };
            prop_assume!(PersonName::parse(&format!("{} {}", name.given, name.surname)).key() == name.key());
            prop_assert_eq!(PersonName::parse(&name.display()).key(), name.key());
        }
    }
}

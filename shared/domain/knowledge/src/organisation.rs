//! Reading an organisation's name: legal form off, abbreviations written out, `THE` and `AND` dropped.

use crate::fold::fold;

/// Endings that say how a body is incorporated and nothing about which one it is.
const LEGAL_FORMS: [&str; 26] = [
    "INC",
    "INCORPORATED",
    "LLC",
    "LLP",
    "LP",
    "LTD",
    "LIMITED",
    "CORP",
    "CORPORATION",
    "CO",
    "COMPANY",
    "PLLC",
    "PC",
    "PLC",
    "NFP",
    "NPC",
    "GMBH",
    "AG",
    "SA",
    "BV",
    "NV",
    "LC",
    "PBC",
    "CIO",
    "UA",
    "DTD",
];

const ABBREVIATIONS: [(&str, &str); 34] = [
    ("ASSN", "ASSOCIATION"),
    ("ASSOC", "ASSOCIATION"),
    ("FDN", "FOUNDATION"),
    ("FNDN", "FOUNDATION"),
    ("FOUND", "FOUNDATION"),
    ("FNDTN", "FOUNDATION"),
    ("UNIV", "UNIVERSITY"),
    ("CTR", "CENTER"),
    ("CENTRE", "CENTER"),
    ("NATL", "NATIONAL"),
    ("NATNL", "NATIONAL"),
    ("INTL", "INTERNATIONAL"),
    ("INTERNATL", "INTERNATIONAL"),
    ("SVC", "SERVICE"),
    ("SVCS", "SERVICES"),
    ("SERV", "SERVICE"),
    ("HOSP", "HOSPITAL"),
    ("INST", "INSTITUTE"),
    ("SOC", "SOCIETY"),
    ("COMM", "COMMUNITY"),
    ("CMTY", "COMMUNITY"),
    ("DEPT", "DEPARTMENT"),
    ("COMM'N", "COMMISSION"),
    ("CHAR", "CHARITABLE"),
    ("EDUC", "EDUCATION"),
    ("MEM", "MEMORIAL"),
    ("AMER", "AMERICAN"),
    ("BROS", "BROTHERS"),
    ("MFG", "MANUFACTURING"),
    ("CNTY", "COUNTY"),
    ("MT", "MOUNT"),
    ("ST", "SAINT"),
    ("SCH", "SCHOOL"),
    ("TR", "TRUST"),
];

/// An organisation's name in comparable form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct OrganisationName {
    /// The words that tell it apart, in order, abbreviations written out.
    pub words: Vec<String>,
    /// The legal form as read (`INC`, `LLC`), when there was one.
    pub legal_form: Option<String>,
}

impl OrganisationName {
    /// Reads a name. Never fails; a name that is nothing but a legal form keeps it as its word.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        // `DOING BUSINESS AS` and care-of lines name something else behind them.
        let folded = fold(text);
        let head = [" DBA ", " C O ", " FKA ", " AKA "]
            .iter()
            .fold(folded.as_str(), |head, cut| head.split(cut).next().unwrap_or(head));
        let mut words: Vec<&str> = head.split(' ').filter(|word| !word.is_empty()).collect();
        let mut legal_form = None;
        while words.len() > 1 && words.last().is_some_and(|last| LEGAL_FORMS.contains(last)) {
            legal_form = words.pop().map(canonical_form);
        }
        if words.len() > 1 && words[0] == "THE" {
            words.remove(0);
        }
        if words.len() > 1 && words.last() == Some(&"THE") {
            words.pop();
        }
        let kept = words.iter().filter(|word| words.len() == 1 || **word != "AND");
        Self { words: kept.map(|word| write_out(word)).collect(), legal_form }
    }

    /// What two spellings of the same name share, legal form aside.
    #[must_use]
    pub fn key(&self) -> String {
        self.words.join(" ")
    }

    /// The initials of the words that carry meaning: `AMERICAN CIVIL LIBERTIES UNION` → `ACLU`.
    #[must_use]
    pub fn acronym(&self) -> String {
        let weighty = self.words.iter().filter(|word| {
            !matches!(word.as_str(), "OF" | "FOR" | "IN" | "AT" | "ON" | "TO" | "A")
        });
        weighty.filter_map(|word| word.chars().next()).collect()
    }
}

/// Whether a folded word is a legal form.
pub(crate) fn is_legal_form(word: &str) -> bool {
    LEGAL_FORMS.contains(&word)
}

fn canonical_form(form: &str) -> String {
    match form {
        "INCORPORATED" => "INC",
        "LIMITED" => "LTD",
        "CORPORATION" => "CORP",
        "COMPANY" => "CO",
        other => other,
    }
    .to_owned()
}

fn write_out(word: &str) -> String {
    ABBREVIATIONS.iter().find(|(short, _)| *short == word).map_or(word, |(_, long)| long).to_owned()
}

#[cfg(test)]
mod tests {
    use super::OrganisationName;

    fn check(text: &str, key: &str) {
        assert_eq!(OrganisationName::parse(text).key(), key, "{text}");
    }

    #[test]
    fn legal_forms_articles_and_conjunctions_are_noise() {
        check("The Harbor Light Foundation, Inc.", "HARBOR LIGHT FOUNDATION");
        check("HARBOR LIGHT FDN INCORPORATED", "HARBOR LIGHT FOUNDATION");
        check("Smith & Sons Co., LLC", "SMITH SONS");
        check("SMITH AND SONS COMPANY", "SMITH SONS");
        check("Friends of the River, The", "FRIENDS OF THE RIVER");
    }

    #[test]
    fn kind_words_tell_bodies_apart_and_stay() {
        check("Smith Family Trust", "SMITH FAMILY TRUST");
        check("Inc", "INC");
        check("", "");
    }

    #[test]
    fn acronyms_skip_small_words() {
        assert_eq!(OrganisationName::parse("Society for the Study of Owls").acronym(), "STSO");
    }
}

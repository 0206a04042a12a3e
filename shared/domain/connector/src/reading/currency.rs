//! Currencies: their codes, and the signs that stand for them.

use pure_rust_locales::{Locale as Data, locale_match};

use super::locale::of_region;

/// Currencies whose code does not begin with that of a country with a locale, each with a locale that has it.
const SHARED: [(&str, Data); 3] =
    [("EUR", Data::de_DE), ("XCD", Data::en_AG), ("XOF", Data::wo_SN)];

/// A currency as a locale writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Currency {
    code: &'static str,
    sign: &'static str,
}

impl Currency {
    /// The currency of a locale.
    pub(super) fn in_use(data: Data) -> Self {
        Self {
            code: locale_match!(data => LC_MONETARY::INT_CURR_SYMBOL).trim(),
            sign: locale_match!(data => LC_MONETARY::CURRENCY_SYMBOL),
        }
    }

    /// A currency by its code of ISO 4217, which begins with that of its country.
    pub(super) fn of(code: &str) -> Option<Self> {
        if code.len() != 3 || !code.bytes().all(|b| b.is_ascii_uppercase()) {
            return None;
        }
        let shared = SHARED.iter().find(|(known, _)| *known == code).map(|(_, data)| *data);
        let mut candidates = shared.into_iter().chain(of_region(&code[..2])).map(Self::in_use);
        candidates.find(|currency| currency.code == code)
    }

    pub(super) fn code(&self) -> &'static str {
        self.code
    }

    /// A text without the currency at its beginning or its end.
    pub(super) fn strip<'t>(&self, text: &'t str) -> Option<&'t str> {
        // The yen has a wide sign in the data and a narrow one on most keyboards.
        let narrow = if self.sign == "￥" { "¥" } else { "" };
        let dotless = self.sign.trim_end_matches('.');
        let spellings = [self.code, self.sign, dotless, narrow];
        let mut spellings = spellings.into_iter().filter(|spelling| !spelling.is_empty());
        spellings.find_map(|own| text.strip_prefix(own).or_else(|| text.strip_suffix(own)))
    }
}

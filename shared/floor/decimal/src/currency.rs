//! Currencies that data names beside its amounts.

/// Whether a field of this name holds a currency: a word of it is `ccy`, or `currency` is part of it.
#[must_use]
pub fn is_currency_field(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("currency") || name.split(|c: char| !c.is_alphanumeric()).any(|w| w == "ccy")
}

/// Whether a field of this name and text says that amounts beside it are in another currency than `own`, a code of ISO 4217:
/// `currency: USD` is another than `EUR`. A blank or a dash names none, a number is an amount.
#[must_use]
pub fn is_another(name: &str, text: &str, own: &str) -> bool {
    let text = text.trim();
    let names_one = text.chars().all(|c| c.is_alphabetic() || "$€£¥".contains(c));
    names_one && !text.is_empty() && is_currency_field(name) && !own.eq_ignore_ascii_case(text)
}

#[cfg(test)]
mod tests {
    use super::is_another;

    #[test]
    fn f_200_a_field_may_name_another_currency() {
        for (name, text) in [
            ("currency", "USD"),
            ("Currency code", " gbp "),
            ("currency", "$"),
            ("settlement_ccy", "JPY"),
        ] {
            assert!(is_another(name, text, "EUR"), "{name}: {text}");
        }
        let others = [("currency", "eur"), ("currency", ""), ("currency", "-"), ("country", "USD")];
        for (name, text) in others.into_iter().chain([("currency_amount", "12.50")]) {
            assert!(!is_another(name, text, "EUR"), "{name}: {text}");
        }
    }
}

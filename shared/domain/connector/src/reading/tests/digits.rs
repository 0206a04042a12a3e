//! Numbers with more digits than a number keeps.

use proptest::prelude::{any, prop_assert_eq, proptest};
use serde_json::json;

use crate::model::ValueType;
use crate::reading::Reading;

#[test]
fn f_091_a_text_is_not_rounded_to_a_number() {
    let plain = Reading::default();
    let german = Reading::new(Some("de-DE"), None).unwrap();
    for (reading, text) in [
        (&plain, "1234567890123456.78"),
        (&plain, "99999999999999999999"),
        (&plain, "1,234,567,890,123,456.78"),
        (&german, "1.234.567.890.123.456,78 €"),
    ] {
        let (value, said) = reading.convert(&[text.to_owned()], ValueType::Number);
        let expect = format!(
            "`{text}` is not of type number; it has more digits than a number keeps: a `decimal` has up to 28"
        );
        assert_eq!((value, said), (json!(null), Some(expect)));
        let (value, said) = reading.convert(&[text.to_owned()], ValueType::Decimal);
        assert!(value.is_string() && said.is_none(), "{text}");
    }
    for kept in ["0.10", "19.989999999999998", "9223372036854775807"] {
        assert_eq!(plain.convert(&[kept.to_owned()], ValueType::Number).1, None, "{kept}");
    }
}

proptest! {
    #[test]
    fn f_091_what_a_number_prints_it_reads(float in any::<f64>()) {
        let text = float.to_string();
        if text.len() < 60 && float.is_finite() {
            let (value, _) = Reading::default().convert(&[text], ValueType::Number);
            prop_assert_eq!(value.as_f64(), Some(float));
        }
    }
}

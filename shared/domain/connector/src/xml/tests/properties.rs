//! What holds for any bytes.

use std::io::Read;

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

use super::{extract, read, rules};
use crate::xml::Limits;

/// Gives its bytes in pieces of any size.
struct Pieces<'b>(&'b [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(into.len()).min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = read("parse_990_officers", &bytes);
    }

    #[test]
    fn no_damage_makes_the_reader_panic(at in 0usize..10_000, byte in any::<u8>(), cut in 0usize..11_000) {
        let mut bytes = filing!("harborlight-2021-990").to_vec();
        bytes.truncate(cut.max(at + 1));
        if let Some(place) = bytes.get_mut(at) { *place = byte; }
        let _ = read("parse_990_officers", &bytes);
    }

    #[test]
    fn markup_of_any_form_never_panics(text in "(<[a-zA-Z/!?&;'\"= -]{0,9}>?|[a-z&;#0-9]{0,6}|<!\\[CDATA\\[|\\]\\]>|<Return>|</Return>){0,40}") {
        let _ = read("parse_990_officers", text.as_bytes());
    }

    #[test]
    fn the_size_of_reads_changes_nothing(size in 1usize..5_000) {
        let rules = rules("parse_990_officers");
        let limits = Limits::for_megabytes(50);
        for bytes in [filing!("tidewater-2022-990ez"), filing!("copperleaf-2020-990ez")] {
            let whole = extract(&rules, bytes, &limits).unwrap();
            prop_assert_eq!(&extract(&rules, Pieces(bytes, size), &limits).unwrap(), &whole);
        }
    }

    #[test]
    fn any_number_of_rows_comes_back_in_order(names in proptest::collection::vec("[A-Z]{1,8} [A-Z]{1,8}", 0..150)) {
        let rows: String = names.iter().map(|name| format!("<OfficerDirectorTrusteeEmplGrp><PersonNm>{name}</PersonNm></OfficerDirectorTrusteeEmplGrp>")).collect();
        let xml = format!("<Return><ReturnData><IRS990EZ>{rows}</IRS990EZ></ReturnData></Return>");
        let found = read("parse_990_officers", xml.as_bytes()).unwrap();
        let read: Vec<_> = found.records.into_iter().map(|record| record["name"].as_str().unwrap().to_owned()).collect();
        prop_assert!(read == names);
    }
}

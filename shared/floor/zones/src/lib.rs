//! The time zones that are known: those of the IANA database that is compiled in, not those of the host. A name that one function
//! takes is known to every other one.

mod moment;
mod to_the_second;

use jiff::tz::{TimeZone, TimeZoneDatabase};

pub use moment::Moment;
pub use to_the_second::to_the_second;

/// The zone of an IANA name, such as `Europe/Berlin` or `UTC`, in its own spelling; none of abbreviations such as `EST`.
#[must_use]
pub fn zone(name: &str) -> Option<TimeZone> {
    if name == "UTC" {
        return Some(TimeZone::UTC);
    }
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    (name.contains('/') && zone.iana_name() == Some(name)).then_some(zone)
}

#[cfg(test)]
mod tests {
    use super::zone;

    #[test]
    fn k_63_a_zone_is_known_by_its_iana_name_in_its_spelling() {
        for name in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+3"] {
            assert!(zone(name).is_some(), "{name}");
        }
        for name in ["", "EST", "utc", "europe/berlin", "Europe/Berln", "Berlin", "../etc/passwd"] {
            assert!(zone(name).is_none(), "{name}");
        }
    }
}

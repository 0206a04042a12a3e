//! The filter `status` of a list of runs.

use countersign_run::{RunStatus, STATUSES_OF_RUNS};
use serde::de::value::Error as ValueError;
use serde::de::{Error as _, IntoDeserializer as _};
use serde::{Deserialize, Deserializer};

/// A status; where the word is not one, the error lists those that runs have.
pub(crate) fn status_of_runs<'de, D>(word: D) -> Result<Option<RunStatus>, D::Error>
where
    D: Deserializer<'de>,
{
    let word = String::deserialize(word)?;
    let status = RunStatus::deserialize(word.as_str().into_deserializer());
    status.map(Some).map_err(|_: ValueError| D::Error::unknown_variant(&word, &STATUSES_OF_RUNS))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(word: &str) -> Result<Option<RunStatus>, String> {
        status_of_runs(Value::from(word)).map_err(|error| error.to_string())
    }

    #[test]
    fn f_347_a_status_that_there_is_not_is_answered_with_those_there_are() {
        for word in STATUSES_OF_RUNS {
            assert_eq!(read(word).unwrap().map(RunStatus::as_str), Some(word));
        }
        assert_eq!(read("skipped"), Ok(Some(RunStatus::Skipped)), "the list says where these are");
        let told = read("foo").unwrap_err();
        assert!(told.contains("expected one of `running`, `awaiting_approval`"), "{told}");
        assert!(!told.contains("suppressed"), "{told}");
    }
}

//! What the data bucket says of objects that were made.

use countersign_connector::keys;
use countersign_identity::UserId;
use countersign_run::TriggeredBy;
use percent_encoding::percent_decode_str;
use serde::Deserialize;

/// A file that has arrived in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// Whose.
    pub owner: UserId,
    /// Which folder.
    pub folder: String,
    /// The file.
    pub fired: TriggeredBy,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Notification {
    #[serde(default)]
    records: Vec<Record>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    #[serde(default)]
    event_name: String,
    s3: S3,
}

#[derive(Debug, Deserialize)]
struct S3 {
    object: Object,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    key: String,
    #[serde(default)]
    size: u64,
    #[serde(default)]
    e_tag: String,
}

/// The files of a notification. What is none of a folder is passed over, and so is what S3 sends to try the queue.
#[must_use]
pub fn arrivals(body: &str) -> Vec<Arrived> {
    let notification = serde_json::from_str::<Notification>(body);
    let records = match notification {
        Ok(notification) => notification.records,
        Err(error) => {
            tracing::warn!(
                line = error.line(),
                column = error.column(),
                "a message is not of the bucket"
            );
            return Vec::new();
        }
    };
    records.into_iter().filter_map(arrived).collect()
}

fn arrived(record: Record) -> Option<Arrived> {
    let name = record.event_name.trim_start_matches("s3:");
    let Object { key, size, e_tag } = record.s3.object;
    if !name.starts_with("ObjectCreated:") {
        return None;
    }
    // S3 writes a key as a form does.
    let key = key.replace('+', " ");
    let key = percent_decode_str(&key).decode_utf8().ok()?;
    let (owner, folder, file, name) = keys::in_folder(&key)?;
    let fired = TriggeredBy::File {
        file_id: file.to_string(),
        source: keys::source(Some(folder), &file),
        name: name.to_owned(),
        folder: folder.to_owned(),
        bytes: size,
        etag: e_tag.trim_matches('"').to_owned(),
    };
    Some(Arrived { owner, folder: folder.to_owned(), fired })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(body: &str) -> Vec<String> {
        let name = |arrived: Arrived| match arrived.fired {
            TriggeredBy::File { name, source, .. } => format!("{name} {source}"),
            other => panic!("{other:?}"),
        };
        arrivals(body).into_iter().map(name).collect()
    }

    #[test]
    fn the_sample_event_has_a_file_of_a_folder() {
        let sample = include_str!("../../../events/on-upload/batch.json");
        let event: aws_lambda_events::sqs::SqsEvent = serde_json::from_str(sample).unwrap();
        let bodies: Vec<&str> =
            event.records.iter().map(|one| one.body.as_deref().unwrap()).collect();
        let file = format!("file_{}", "2".repeat(32));
        assert_eq!(names(bodies[0]), [format!("a b.pdf folders/incoming/{file}")]);
        assert_eq!(names(bodies[1]), Vec::<String>::new(), "S3 tries the queue");
    }

    #[test]
    fn what_is_not_a_new_file_of_a_folder_is_passed_over() {
        let record = |event: &str, key: &str| {
            format!(
                "{{\"Records\":[{{\"eventName\":\"{event}\",\"s3\":{{\"object\":{{\"key\":\"{key}\"}}}}}}]}}"
            )
        };
        let (owner, file) =
            (format!("user_{}", "1".repeat(32)), format!("file_{}", "2".repeat(32)));
        let key = format!("uploads/{owner}/folders/in/{file}/a.pdf");
        assert_eq!(names(&record("ObjectCreated:Put", &key)).len(), 1);
        assert_eq!(names(&record("s3:ObjectCreated:Put", &key)).len(), 1);
        for other in [
            record("ObjectRemoved:Delete", &key),
            record("ObjectCreated:Put", &format!("uploads/{owner}/{file}/a.pdf")),
            record("ObjectCreated:Put", &format!("{key}/b.pdf")),
            record("ObjectCreated:Put", &key.replace("/in/", "/i.n/")),
            record("ObjectCreated:Put", &key.replace("uploads/", "exports/")),
            record("ObjectCreated:Put", "%ff"),
            "{}".to_owned(),
            "not JSON".to_owned(),
        ] {
            assert_eq!(names(&other), Vec::<String>::new(), "{other}");
        }
    }
}

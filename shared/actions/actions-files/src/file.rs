//! A document as actions on files see it.

use countersign_registry::actions::file_place::File;
use countersign_store_content::Document;

/// What lists of files say of a document.
pub(crate) fn file(document: &Document) -> File {
    File {
        document_id: document.id.to_string(),
        title: document.title.clone(),
        filename: document.filename.clone(),
        path: document.path(),
        file_type: ending(&document.filename),
        size_bytes: document.bytes,
        created_at: document.created_at.to_string(),
        modified_at: document.updated_at.unwrap_or(document.created_at).to_string(),
    }
}

/// The endings of files that are asked for.
pub(crate) struct FileTypes(Vec<String>);

impl FileTypes {
    /// These, with or without a dot, in any case of letters; all when there are none.
    pub(crate) fn of(written: &[String]) -> Self {
        let plain = |kind: &String| kind.trim().trim_start_matches('.').to_lowercase();
        Self(written.iter().map(plain).collect())
    }

    /// Whether a file of this name is asked for.
    pub(crate) fn has(&self, filename: &str) -> bool {
        self.0.is_empty() || self.0.contains(&ending(filename))
    }
}

/// The ending of a name, in lower case; empty without one.
pub(crate) fn ending(filename: &str) -> String {
    let ending = filename.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    ending.map(|(_, ending)| ending.to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::ending;

    #[test]
    fn f_080_the_type_of_a_file_is_the_ending_of_its_name() {
        for (name, expect) in
            [("a.MD", "md"), ("a.tar.gz", "gz"), ("a", ""), (".env", ""), ("a.", "")]
        {
            assert_eq!(ending(name), expect, "{name}");
        }
    }
}

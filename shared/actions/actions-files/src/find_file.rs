//! `find_file_by_name` (F-081).

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::find_file_by_name as declared;
use countersign_registry::shape::filled;
use countersign_store_content::{ContentStore, Document};
use countersign_store_kit::Window;

use crate::failed;
use crate::file::{FileTypes, file};

/// The most files that one call gives.
const MAX_FILES: usize = 100;
/// The most pages of files that one call looks through.
const MAX_PAGES: usize = 50;
/// Files a page.
const PAGE: i32 = 100;

pub(crate) struct FindFileByName(pub(crate) Arc<ContentStore>);

impl Perform for FindFileByName {
    type Action = declared::FindFileByName;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let folder = filled(params.folder_id.clone());
        if let Some(folder) = &folder {
            self.0.ensure_folder(&call.owner, folder, false, call.now).await.map_err(failed)?;
        }
        let wanted = Wanted::of(&inputs.name, &params);
        let (mut files, mut warnings) = (Vec::new(), Vec::new());
        let (mut next, mut pages) = (None, 0);
        loop {
            let window = Window { limit: PAGE, after: next };
            let page = self.0.documents(&call.owner, folder.as_deref(), window).await;
            let page = page.map_err(failed)?;
            files.extend(page.items.iter().filter(|document| wanted.is(document)).map(file));
            (next, pages) = (page.next, pages + 1);
            if next.is_none() || files.len() > MAX_FILES {
                break;
            }
            if pages == MAX_PAGES {
                warnings.push(
                    "there are more files than one call looks through: name a folder".to_owned(),
                );
                break;
            }
        }
        if files.len() > MAX_FILES {
            files.truncate(MAX_FILES);
            warnings.push(format!("only the first {MAX_FILES} files are given: use a longer name"));
        }
        Ok(declared::Output {
            count: files.len() as u64,
            files,
            warning_count: warnings.len() as u64,
            warnings,
        })
    }
}

/// Which files are asked for.
struct Wanted {
    name: String,
    exact: bool,
    types: FileTypes,
}

impl Wanted {
    fn of(name: &str, params: &declared::Params) -> Self {
        let exact = params.exact_match;
        let name = if exact { name.to_owned() } else { name.trim().to_lowercase() };
        Self { name, exact, types: FileTypes::of(&params.file_types) }
    }

    fn is(&self, document: &Document) -> bool {
        self.types.has(&document.filename)
            && (self.names(&document.filename) || self.names(&document.title))
    }

    fn names(&self, text: &str) -> bool {
        if self.exact { text == self.name } else { text.to_lowercase().contains(&self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Wanted, declared};

    fn check(name: &str, exact_match: bool, text: &str, expect: bool) {
        let params = declared::Params { exact_match, file_types: Vec::new(), folder_id: None };
        assert_eq!(Wanted::of(name, &params).names(text), expect, "{name} {text}");
    }

    #[test]
    fn f_081_a_name_is_a_part_in_any_case_or_the_whole() {
        check("grant", false, "Grants 2026.md", true);
        check(" GRÖSSE ", false, "größe", false);
        check(" Größe ", false, "die größe", true);
        check("grant", true, "grant", true);
        check("grant", true, "Grant", false);
        check("grant", true, "grants", false);
    }
}

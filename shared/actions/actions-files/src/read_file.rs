//! `read_file` (F-080).

use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::file_place::File;
use countersign_registry::actions::read_file as declared;
use countersign_registry::shape::filled;
use countersign_store_content::{ContentError, ContentStore};
use countersign_todo::{Filter, ListName, org};
use futures::future::BoxFuture;

use crate::file::file;
use crate::front_matter::{Split, split};
use crate::{failed, refused, text_of};

pub(crate) struct ReadFile(pub(crate) Arc<ContentStore>);

impl Perform for ReadFile {
    type Action = declared::ReadFile;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let named = named(inputs)?;
        let (file, text) = match list(&named) {
            Some(list) if !self.is_document(call, &named).await? => self.todos(call, list).await?,
            _ => self.document(call, &named).await?,
        };
        Ok(output(file, &text, &params))
    }
}

impl ReadFile {
    async fn is_document(&self, call: &Call, named: &str) -> Result<bool, ActionError> {
        match self.0.named(&call.owner, named).await {
            Ok(_) => Ok(true),
            Err(ContentError::NoDocument(_)) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    async fn document(&self, call: &Call, named: &str) -> Result<(File, String), ActionError> {
        let (document, text) = text_of(&self.0, &call.owner, named).await?;
        Ok((file(&document), text))
    }

    /// A list of to-dos is a file like any other to those who read.
    fn todos<'a>(
        &'a self,
        call: &'a Call,
        list: ListName,
    ) -> BoxFuture<'a, Result<(File, String), ActionError>> {
        Box::pin(async move {
            let path = list.path();
            let filter = Filter { file: Some(list), ..Filter::default() };
            let found = self.0.find_todos(&call.owner, usize::MAX, |todo| filter.takes(todo));
            let found = found.await.map_err(failed)?;
            let (Some(first), Some(last)) =
                (found.todos.first(), found.todos.iter().max_by_key(|todo| todo.updated_at))
            else {
                return Err(failed(ContentError::NoDocument(path)));
            };
            if !found.is_complete {
                return Err(failed(ContentError::TooManyTodos));
            }
            let text = org(&found.todos);
            let file = File {
                document_id: String::new(),
                title: first.file.to_string(),
                filename: first.file.to_string(),
                path,
                file_type: "org".to_owned(),
                size_bytes: text.len() as u64,
                created_at: first.created_at.to_string(),
                modified_at: last.updated_at.to_string(),
            };
            Ok((file, text))
        })
    }
}

/// The one name that was given.
fn named(inputs: declared::Inputs) -> Result<String, ActionError> {
    match (filled(inputs.document_id), filled(inputs.path)) {
        (Some(named), None) | (None, Some(named)) => Ok(named),
        _ => Err(refused("FILE_ARGUMENT", "give either `document_id` or `path`")),
    }
}

fn list(path: &str) -> Option<ListName> {
    path.strip_prefix("todos/")?.parse().ok()
}

fn output(file: File, text: &str, params: &declared::Params) -> declared::Output {
    let is_markdown = matches!(file.file_type.as_str(), "md" | "markdown");
    let Split { matter, text, warning } = if params.include_frontmatter && is_markdown {
        split(text)
    } else {
        Split { matter: None, text, warning: None }
    };
    let (content, cut) = cut(text, params.max_length as usize);
    let warnings: Vec<String> = warning.into_iter().chain(cut).collect();
    declared::Output {
        content: content.to_owned(),
        title: file.title.clone(),
        file_type: file.file_type.clone(),
        frontmatter: matter,
        metadata: file,
        warning_count: warnings.len() as u64,
        warnings,
    }
}

/// The first characters of a text, and what is said of the others.
fn cut(text: &str, max: usize) -> (&str, Option<String>) {
    match text.char_indices().nth(max) {
        None => (text, None),
        Some((end, _)) => {
            let left = text[end..].chars().count();
            (
                &text[..end],
                Some(format!(
                    "{left} characters were left out: the file is longer than `max_length`"
                )),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{cut, list};

    fn check(text: &str, max: usize, expect: &str, left: Option<&str>) {
        let (kept, warning) = cut(text, max);
        assert_eq!(kept, expect);
        assert_eq!(warning.as_deref().and_then(|said| said.split(' ').next()), left);
    }

    #[test]
    fn f_080_what_is_left_out_is_counted() {
        check("größe", 5, "größe", None);
        check("größe", 3, "grö", Some("2"));
        check("", 1, "", None);
    }

    #[test]
    fn f_075_a_list_of_to_dos_has_a_path() {
        assert_eq!(list("todos/work.org").map(String::from).as_deref(), Some("work.org"));
        assert_eq!((list("todos/a.md"), list("work.org")), (None, None));
    }
}

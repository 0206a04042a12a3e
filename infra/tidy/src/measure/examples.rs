//! What one more kind of document and one more action cost, told by one that exists.

use std::collections::BTreeSet;

use serde::Serialize;

use super::functions::{self, Function};
use super::sources::Source;
use super::tokens::{Kind, Token};

/// Lines of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Example {
    /// In files and folders named after it; of an action without its logic.
    pub own: usize,
    /// In other files, the lines that name it; uses are among them.
    pub elsewhere: usize,
}

/// A kind of document, such as `profile`: every file with that name or below a folder with it, in singular or plural.
/// Adapters other than stores are left out: schedules of AWS are no documents. Nothing when no file has the name itself.
pub(super) fn kind(sources: &[Source], name: &str) -> Option<Example> {
    of(sources, name, Source::lines)
}

/// An action, such as `crawl_url`, without its logic: of the files named after it everything but imports and those
/// functions that neither declare nor read a field. A function does when it passes a string together with the contract's
/// `Slot` or the call's `inputs` or `params`. Nothing when there is no such file.
pub(super) fn action(sources: &[Source], name: &str) -> Option<Example> {
    of(sources, name, without_logic)
}

fn of(sources: &[Source], name: &str, own: impl Fn(&Source) -> usize) -> Option<Example> {
    let names = [name.to_owned(), format!("{name}s")];
    let (named, others): (Vec<_>, Vec<_>) =
        sources.iter().partition(|source| is_named(source, &names));
    named.iter().any(|source| is_named(source, &names[..1])).then(|| Example {
        own: named.into_iter().map(own).sum(),
        elsewhere: others.into_iter().map(|source| naming(source, &names)).sum(),
    })
}

fn is_named(source: &Source, names: &[String]) -> bool {
    let of_crate = source.package.rsplit('/').next().unwrap_or_default();
    let is_service = source.package.contains("/adapters/") && !of_crate.starts_with("store-");
    let mut parts = source.module.iter().map(String::as_str).chain([of_crate]);
    !is_service && parts.any(|part| names.iter().any(|name| part == name))
}

/// The lines on which one of these names stands: as a word in any case, or as a string.
fn naming(source: &Source, names: &[String]) -> usize {
    let is_name = |token: &&Token| {
        let plain = token.text.trim_matches('"').to_lowercase();
        token.kind != Kind::Mark
            && names.iter().any(|name| plain == *name || plain == name.replace('_', ""))
    };
    source.tokens.iter().filter(is_name).flat_map(Token::lines).collect::<BTreeSet<_>>().len()
}

fn without_logic(source: &Source) -> usize {
    let mut lines: BTreeSet<usize> = source.tokens.iter().flat_map(Token::lines).collect();
    for range in imports(&source.tokens) {
        lines.retain(|line| !range.contains(line));
    }
    for function in functions::of(source).iter().filter(|function| !says_fields(function)) {
        let (first, last) = (&source.tokens[function.start], &source.tokens[function.end]);
        lines.retain(|line| *line < first.lines.0 || *line > last.lines.1);
    }
    lines.len()
}

fn imports(tokens: &[Token]) -> Vec<std::ops::RangeInclusive<usize>> {
    let begins = (0..tokens.len()).filter(|at| tokens[*at].is("use") || tokens[*at].is("mod"));
    let statement = |at: usize| {
        let end = tokens[at..].iter().position(|token| token.is(";"))?;
        Some(tokens[at].lines.0..=tokens[at + end].lines.1)
    };
    begins.filter_map(statement).collect()
}

/// Whether a function passes a string together with what the fields of an action are in.
fn says_fields(function: &Function<'_>) -> bool {
    const HOLDERS: [&str; 4] = ["Slot", "call", "inputs", "params"];
    let body = function.body();
    (0..body.len()).filter(|at| body[*at].is("(")).any(|at| {
        let arguments = &body[at + 1..at + body[at].to_close];
        let string = arguments
            .iter()
            .any(|token| token.kind == Kind::Literal && token.text.starts_with('"'));
        // The receiver, or the type before the function's name.
        let before = &body[at.saturating_sub(5)..at];
        let mut near = before.iter().chain(arguments);
        string && near.any(|token| HOLDERS.iter().any(|word| token.is(word)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::sources::source;
    use super::{Example, action, kind};

    #[test]
    fn a_kind_has_the_lines_of_its_files_and_those_that_name_it() {
        let sources = [
            source("shared/domain/schedule/src/lib.rs", "struct Schedule;\nfn f() {}\n"),
            source("shared/adapters/store-catalog/src/schedules.rs", "fn g() {}\n"),
            source(
                "functions/api/src/lib.rs",
                "fn routes() {\n    add(\"schedules\");\n    h();\n}\n",
            ),
            source("shared/adapters/states/src/schedules.rs", "fn aws() {}"),
            source("functions/api/src/scheduler.rs", "fn other() { schedulers() }"),
        ];
        assert_eq!(kind(&sources, "schedule"), Some(Example { own: 3, elsewhere: 1 }));
        assert_eq!(kind(&sources, "monitor"), None);
        assert_eq!(kind(&sources[1..], "schedule"), None);
    }

    #[test]
    fn an_action_has_its_lines_without_its_logic() {
        let text = "use a::b;\nstruct Params {\n    url: String,\n}\nfn logic() {\n    work(1, \"a\");\n}\nfn reading(call: &Call) {\n    text(call, \"url\");\n}\n";
        let sources = [
            source("shared/actions/web/src/crawl_url.rs", text),
            source("shared/domain/registry/src/lib.rs", "fn all() {\n    add(CrawlUrl);\n}\n"),
        ];
        assert_eq!(action(&sources, "crawl_url"), Some(Example { own: 6, elsewhere: 1 }));
    }
}

//! A GraphQL document: what it does, which variables it takes and which fields it asks for.

use std::collections::HashMap;

use apollo_parser::Parser;
use apollo_parser::cst::{self, CstNode as _};
use indexmap::IndexMap;

use crate::model::GraphqlEffect;

/// Tokens of one document.
const MAX_TOKENS: usize = 20_000;
/// Selections inside each other, fragments included.
const MAX_DEPTH: usize = 64;
/// Selections that are followed. A fragment is followed wherever it is spread, so that a short document can mean more of
/// them than could ever be counted.
const MAX_SELECTIONS: usize = 20_000;

/// A document with one operation.
pub(super) struct Document {
    pub(super) effect: GraphqlEffect,
    pub(super) variables: Vec<Variable>,
    /// The fields of the answer's `data`.
    pub(super) data: Selected,
}

/// A variable of the operation.
pub(super) struct Variable {
    pub(super) name: String,
    /// As written, such as `[String!]!`.
    pub(super) written: String,
    /// The name of its type, when it is not a list.
    pub(super) scalar: Option<String>,
    /// Whether a call without it is refused.
    pub(super) required: bool,
    /// Where it stands in the document.
    pub(super) offset: usize,
}

/// Fields of the answer, by the name they have there.
#[derive(Debug, Default)]
pub(super) struct Selected(pub(super) IndexMap<String, Selected>);

/// What is wrong with a document, and where in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DocumentFault {
    pub(super) message: String,
    pub(super) offset: usize,
}

fn fault(message: impl Into<String>, offset: usize) -> DocumentFault {
    DocumentFault { message: message.into(), offset }
}

/// Reads a document.
pub(super) fn read(text: &str) -> Result<Document, DocumentFault> {
    let tree = Parser::new(text).recursion_limit(MAX_DEPTH).token_limit(MAX_TOKENS).parse();
    // The first: what follows it is mostly its consequence.
    if let Some(error) = tree.errors().next() {
        let message = format!("the document cannot be read: {}", plain(error.message()));
        return Err(fault(message, error.index().min(text.len())));
    }
    document(&tree.document())
}

/// The parser names marks as its program does.
fn plain(message: &str) -> String {
    let word = |word: &str| {
        let name = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let plain = match name.split_once('_').unwrap_or(("", name)) {
            ("L", "CURLY") => "`{`",
            ("R", "CURLY") => "`}`",
            ("L", "PAREN") => "`(`",
            ("R", "PAREN") => "`)`",
            ("L", "BRACK") => "`[`",
            ("R", "BRACK") => "`]`",
            ("", "COLON") => "`:`",
            ("", "EOF") => "the end",
            ("", "NAME") => "a name",
            _ => return word.to_owned(),
        };
        word.replacen(name, plain, 1).replace(['<', '>'], "")
    };
    message.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn start(node: &impl cst::CstNode) -> usize {
    node.syntax().text_range().start().into()
}

fn document(document: &cst::Document) -> Result<Document, DocumentFault> {
    let mut operation = None;
    let mut fragments = HashMap::new();
    for definition in document.definitions() {
        let at = start(&definition);
        match definition {
            cst::Definition::OperationDefinition(found) if operation.is_none() => {
                operation = Some(found);
            }
            cst::Definition::OperationDefinition(_) => {
                return Err(fault(
                    "a document holds one operation; write another endpoint for another",
                    at,
                ));
            }
            cst::Definition::FragmentDefinition(fragment) => {
                let name = fragment.fragment_name().and_then(|name| name.name());
                let set = fragment.selection_set();
                if let (Some(name), Some(set)) = (name, set) {
                    fragments.insert(name.text().to_string(), set);
                }
            }
            _ => return Err(fault("a document holds a query or a mutation, and no types", at)),
        }
    }
    let operation = operation.ok_or_else(|| fault("the document holds no query or mutation", 0))?;
    let mut data = Selected::default();
    if let Some(set) = operation.selection_set() {
        Selecting { fragments: &fragments, left: MAX_SELECTIONS }.follow(&set, 0, &mut data)?;
    }
    let variables = operation.variable_definitions();
    Ok(Document {
        effect: effect(&operation)?,
        variables: variables
            .iter()
            .flat_map(cst::VariableDefinitions::variable_definitions)
            .filter_map(|definition| variable(&definition))
            .collect(),
        data,
    })
}

fn effect(operation: &cst::OperationDefinition) -> Result<GraphqlEffect, DocumentFault> {
    let Some(kind) = operation.operation_type() else { return Ok(GraphqlEffect::Query) };
    if kind.mutation_token().is_some() {
        return Ok(GraphqlEffect::Mutation);
    }
    if kind.query_token().is_some() {
        return Ok(GraphqlEffect::Query);
    }
    Err(fault("a subscription never ends and cannot be an endpoint", start(operation)))
}

fn variable(definition: &cst::VariableDefinition) -> Option<Variable> {
    let written = definition.ty()?;
    let not_null = matches!(written, cst::Type::NonNullType(_));
    let scalar = match &written {
        cst::Type::NamedType(named) => named.name(),
        cst::Type::NonNullType(inner) => inner.named_type().and_then(|named| named.name()),
        cst::Type::ListType(_) => None,
    };
    Some(Variable {
        name: definition.variable()?.name()?.text().to_string(),
        written: written.syntax().text().to_string().trim().to_owned(),
        scalar: scalar.map(|name| name.text().to_string()),
        required: not_null && definition.default_value().is_none(),
        offset: start(definition),
    })
}

/// Gathers the names the answer will have; fragments are followed. Fragments that stand in each other end at the bounds.
struct Selecting<'f> {
    fragments: &'f HashMap<String, cst::SelectionSet>,
    left: usize,
}

impl Selecting<'_> {
    fn follow(
        &mut self,
        set: &cst::SelectionSet,
        depth: usize,
        into: &mut Selected,
    ) -> Result<(), DocumentFault> {
        if depth > MAX_DEPTH {
            return Err(fault(
                "the document's selections and fragments stand too deep inside each other",
                start(set),
            ));
        }
        for selection in set.selections() {
            self.left = self.left.checked_sub(1).ok_or_else(|| too_many(&selection))?;
            match selection {
                cst::Selection::Field(field) => {
                    let name =
                        field.alias().and_then(|alias| alias.name()).or_else(|| field.name());
                    let Some(name) = name else { continue };
                    let inner = into.0.entry(name.text().to_string()).or_default();
                    if let Some(set) = field.selection_set() {
                        self.follow(&set, depth + 1, inner)?;
                    }
                }
                cst::Selection::InlineFragment(fragment) => {
                    if let Some(set) = fragment.selection_set() {
                        self.follow(&set, depth + 1, into)?;
                    }
                }
                cst::Selection::FragmentSpread(spread) => {
                    let Some(name) = spread.fragment_name().and_then(|name| name.name()) else {
                        continue;
                    };
                    let Some(set) = self.fragments.get(name.text().as_str()) else {
                        let message = format!("there is no fragment `{}`", name.text());
                        return Err(fault(message, start(&spread)));
                    };
                    self.follow(set, depth + 1, into)?;
                }
            }
        }
        Ok(())
    }
}

fn too_many(selection: &cst::Selection) -> DocumentFault {
    let message = format!(
        "the document selects more than {MAX_SELECTIONS} fields: spread its fragments less often"
    );
    fault(message, start(selection))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, proptest};

    use super::read;
    use crate::model::GraphqlEffect;

    fn check(text: &str, expect: Result<GraphqlEffect, (&str, usize)>) {
        match (read(text), expect) {
            (Ok(document), Ok(effect)) => assert_eq!(document.effect, effect, "{text}"),
            (Err(fault), Err((message, offset))) => {
                assert!(fault.message.contains(message), "{fault:?}");
                assert_eq!(fault.offset, offset, "{fault:?}");
            }
            (Ok(_), Err(expect)) => panic!("{text}: {expect:?}"),
            (Err(fault), Ok(_)) => panic!("{text}: {fault:?}"),
        }
    }

    #[test]
    fn a_document_that_is_cut_off_is_told_in_plain_words() {
        const WHOLE: &str = "query Q($a: [Int!]! = [1], $b: In = {c: \"d\"}) { a(x: $a, y: {z: [$b]}) { b ...F } } fragment F on T { c @include(if: true) }";
        for cut in 0..WHOLE.len() {
            let Err(fault) = read(&WHOLE[..cut]) else { continue };
            for word in ["EOF", "_CURLY", "_PAREN", "_BRACK", "NAME", "COLON"] {
                assert!(!fault.message.contains(word), "{fault:?}");
            }
        }
    }

    #[test]
    fn f_097_a_document_says_what_it_does() {
        check("{ a }", Ok(GraphqlEffect::Query));
        check("query Q($a: Int) { a }", Ok(GraphqlEffect::Query));
        check("# mutation\nquery mutation { mutation }", Ok(GraphqlEffect::Query));
        check("fragment F on T { b } mutation { a { ...F } }", Ok(GraphqlEffect::Mutation));
        check("subscription { a }", Err(("never ends", 0)));
        check("{ a } mutation { b }", Err(("one operation", 6)));
        check("type T { a: Int }", Err(("no types", 0)));
        check("fragment F on T { b }", Err(("no query or mutation", 0)));
        check("{ a { ...F } }", Err(("no fragment `F`", 6)));
        check("fragment F on T { ...F } { a { ...F } }", Err(("too deep", 16)));
    }

    #[test]
    fn f_097_a_broken_document_is_told_where() {
        for text in ["", "query {", "{ a(", "{ a } }", "mutation", "{ a: }", "\"\"\" x"] {
            let fault = read(text).err().unwrap_or_else(|| panic!("{text}"));
            assert!(fault.offset <= text.len() && !fault.message.is_empty());
        }
        let deep = format!("{}a{}", "{a".repeat(300), "}".repeat(300));
        assert!(read(&deep).is_err());
        assert!(read(&format!("{{ {} }}", "a ".repeat(30_000))).is_err());
    }

    #[test]
    fn f_097_fragments_that_spread_each_other_again_and_again_are_bounded() {
        for each in ["...fN ...fN", "a { ...fN } b { ...fN }"] {
            let fragments: Vec<String> = (0..25)
                .map(|n| {
                    format!("fragment f{n} on T {{ {} }} ", each.replace('N', &(n + 1).to_string()))
                })
                .collect();
            let text = format!("{}fragment f25 on T {{ a }} {{ ...f0 }}", fragments.concat());
            let fault = read(&text).err().expect("too much to follow");
            assert!(fault.message.contains("more than 20000 fields"), "{fault:?}");
            assert!(text[fault.offset..].starts_with(['a', 'b', '.']), "{fault:?}");
        }
        let often = format!("fragment F on T {{ a b c }} {{ {} }}", "x { ...F } ".repeat(1_000));
        assert_eq!(read(&often).unwrap_or_else(|fault| panic!("{fault:?}")).data.0["x"].0.len(), 3);
    }

    #[test]
    fn f_097_variables_and_fields_are_known() {
        let text = "query($q: String!, $n: Int! = 3, $ids: [ID!]!, $x: When) { items: search { nodes { id ...F } } } fragment F on T { name ... on U { extra } }";
        let document = read(text).unwrap_or_else(|fault| panic!("{fault:?}"));
        let variables: Vec<_> = document
            .variables
            .iter()
            .map(|v| (v.name.as_str(), v.written.as_str(), v.scalar.as_deref(), v.required))
            .collect();
        assert_eq!(
            variables,
            [
                ("q", "String!", Some("String"), true),
                ("n", "Int!", Some("Int"), false),
                ("ids", "[ID!]!", None, true),
                ("x", "When", Some("When"), false),
            ]
        );
        let nodes: Vec<_> = document.data.0["items"].0["nodes"].0.keys().collect();
        assert_eq!(nodes, ["id", "name", "extra"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn no_document_panics(text in "[ a-zA-Z{}()\\[\\]$:!.\",#=@&|\\\\\n0-9é]{0,80}") {
            let _ = read(&text);
        }
    }
}

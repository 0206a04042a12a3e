//! Files of a crate that need each other: what one must read to understand any of them.
//!
//! A file needs the file that defines what it names by a path from `crate` or `super`; names handed on by `use` are
//! followed to where they are defined. A module may name its own children: a tree is not a circle.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use super::paths::{self, Import};
use super::sources::{Source, by_package};

/// How often a name is followed from one `use` to the next.
const MAX_HOPS: usize = 8;

/// The circles, each with its files in order; the largest first.
pub(super) fn of(sources: &[Source]) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> =
        by_package(sources).values().flat_map(|files| of_package(files)).collect();
    found.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    found
}

fn of_package(files: &[&Source]) -> Vec<Vec<String>> {
    let graph = Modules::of(files);
    let mut edges = DiGraph::<usize, ()>::new();
    let nodes: Vec<_> = (0..files.len()).map(|file| edges.add_node(file)).collect();
    for (file, source) in files.iter().enumerate() {
        for needed in graph.needs(file, source) {
            edges.update_edge(nodes[file], nodes[needed], ());
        }
    }
    let circles = tarjan_scc(&edges).into_iter().filter(|circle| circle.len() > 1);
    let path = |node: petgraph::graph::NodeIndex| files[edges[node]].path.display().to_string();
    circles
        .map(|circle| circle.into_iter().map(path).collect::<BTreeSet<_>>().into_iter().collect())
        .collect()
}

/// The modules of one crate.
struct Modules<'s> {
    /// Which file a module is in.
    files: BTreeMap<&'s [String], usize>,
    /// Of each file: what it imports.
    imports: Vec<Vec<Import>>,
    /// Of each file: what it defines.
    defined: Vec<BTreeSet<&'s str>>,
    /// Of each file: the modules it declares.
    declared: Vec<BTreeSet<&'s str>>,
    paths: Vec<&'s [String]>,
}

impl<'s> Modules<'s> {
    fn of(files: &[&'s Source]) -> Self {
        let numbered = files.iter().enumerate();
        // What a crate with both shares is in `lib.rs`.
        let importable = numbered.filter(|(_, source)| !source.path.ends_with("src/main.rs"));
        Self {
            files: importable.map(|(file, source)| (&source.module[..], file)).collect(),
            imports: files.iter().map(|source| paths::imports(&source.tokens)).collect(),
            defined: files.iter().map(|source| paths::defined(&source.tokens).collect()).collect(),
            declared: files.iter().map(|source| paths::modules(&source.tokens).collect()).collect(),
            paths: files.iter().map(|source| &source.module[..]).collect(),
        }
    }

    /// The other files that this one needs: what it names from the root or from a module above it.
    fn needs(&self, file: usize, source: &Source) -> BTreeSet<usize> {
        let imported = self.imports[file].iter().map(|import| import.path.clone());
        let named = paths::named(&source.tokens).into_iter().map(|path| {
            let import = self.imports[file].iter().find(|import| import.name == path[0]);
            import.map_or_else(|| path.clone(), |import| [&import.path, &path[1..]].concat())
        });
        let upward =
            imported.chain(named).filter(|path| ["crate", "super"].contains(&path[0].as_str()));
        let all = upward.filter_map(|path| self.absolute(file, &path));
        let mut needs: BTreeSet<usize> = all.filter_map(|path| self.home(&path, 0)).collect();
        needs.remove(&file);
        needs
    }

    /// A path as seen from the root of the crate; nothing when it leads to another crate.
    fn absolute(&self, file: usize, path: &[String]) -> Option<Vec<String>> {
        let mut own = self.paths[file].to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                own.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|part| part == "super") {
                    own.pop();
                    rest = &rest[1..];
                }
            }
            child if self.declared[file].contains(child) => {}
            _ => return None,
        }
        own.extend_from_slice(rest);
        Some(own)
    }

    /// The file that defines what a path names.
    fn home(&self, path: &[String], hops: usize) -> Option<usize> {
        let depth =
            (0..=path.len()).rev().find(|depth| self.files.contains_key(&path[..*depth]))?;
        let file = self.files[&path[..depth]];
        let Some(name) = path.get(depth) else { return Some(file) };
        if hops == MAX_HOPS || self.defined[file].contains(name.as_str()) {
            return Some(file);
        }
        let follow = |import: &Import, rest: &[String]| {
            let path = [&import.path, rest].concat();
            self.home(&self.absolute(file, &path)?, hops + 1)
        };
        let imports = &self.imports[file];
        if let Some(import) = imports.iter().find(|import| import.name == *name) {
            return follow(import, &path[depth + 1..]).or(Some(file));
        }
        let globs = imports.iter().filter(|import| import.name == "*").filter_map(|import| {
            let module =
                Import { path: import.path[..import.path.len() - 1].to_vec(), name: String::new() };
            follow(&module, &path[depth..])
        });
        let mut defining = globs.filter(|home| self.defined[*home].contains(name.as_str()));
        Some(defining.next().unwrap_or(file))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sources::source;
    use super::of;

    #[track_caller]
    fn check(files: &[(&str, &str)], expect: &[&str]) {
        let sources: Vec<_> =
            files.iter().map(|(path, text)| source(&format!("a/src/{path}.rs"), text)).collect();
        let found: Vec<_> =
            of(&sources).iter().map(|circle| circle.join(" ").replace("a/src/", "")).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn files_that_need_each_other_are_a_circle() {
        check(
            &[
                ("lib", "mod x; mod y; mod z;"),
                ("x", "use crate::y::Y; pub struct X;"),
                ("y", "pub struct Y; fn f() { super::z::g() }"),
                ("z", "use super::x::X; pub fn g() {}"),
            ],
            &["x.rs y.rs z.rs"],
        );
    }

    #[test]
    fn a_tree_of_modules_is_none() {
        check(
            &[
                ("lib", "mod x; mod y; pub use x::X;"),
                ("x", "mod inner; use crate::y::Y; pub struct X; fn f() { inner::g() }"),
                ("x/inner", "use crate::y::Y; pub fn g() {}"),
                ("y", "pub struct Y;"),
            ],
            &[],
        );
    }

    #[test]
    fn a_name_handed_on_leads_to_its_home() {
        let handed_on = [
            ("lib", "mod x; mod y; pub use x::X; pub use y::*;"),
            ("x", "use crate::Y; pub struct X;"),
            ("y", "use crate::X; pub struct Y;"),
        ];
        check(&handed_on, &["x.rs y.rs"]);
    }

    #[test]
    fn a_module_may_name_its_children_and_they_it() {
        let inner = ("x/inner", "use super::X; pub fn g(x: X) {}");
        check(
            &[
                ("lib", "mod x;"),
                ("x/mod", "mod inner; pub struct X; fn f() { inner::g() }"),
                inner,
            ],
            &[],
        );
        check(
            &[
                ("lib", "mod x;"),
                ("x/mod", "mod inner; pub struct X; fn f() { crate::x::inner::g() }"),
                inner,
            ],
            &["x/inner.rs x/mod.rs"],
        );
    }
}

//! Edges go down, or sideways inside a layer; domain crates are pure.

use crate::project::{Package, Project};

/// The layers, lowest first: the folders of `shared/`. The folder of a crate is its layer.
pub const LAYERS: [&str; 5] = ["floor", "domain", "adapters", "actions", "entry"];

/// The layer of pure code; it and those below compute only.
const PURE: usize = 1;

/// What a domain crate must not need: the outside world, the clock, chance.
const IMPURE: [&str; 12] = [
    "tokio",
    "reqwest",
    "hyper",
    "axum",
    "lambda_runtime",
    "lambda_http",
    "uuid",
    "rand",
    "aws-config",
    "tracing",
    "ureq",
    "tempfile",
];

/// Every edge that goes up, every crate without a layer, every impure domain crate.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let mut broken = Vec::new();
    for package in project.in_folder("shared") {
        match layer(package) {
            None => broken.push(format!(
                "`{}` has no layer: move it to a folder of {}",
                package.folder,
                LAYERS.map(|layer| format!("`shared/{layer}`")).join(", ")
            )),
            Some(layer) => {
                broken.extend(upward(project, package, layer));
                broken.extend(impure(package, layer));
            }
        }
    }
    for package in project.in_folder("functions") {
        let others =
            project.in_folder("functions").filter(|other| package.needs.contains(&other.name));
        broken.extend(others.map(|other| {
            format!(
                "function `{}` depends on function `{}`: move what they share to `shared/`",
                package.name, other.name
            )
        }));
    }
    for package in project.in_folder("infra") {
        let heavy = package.needs.iter().filter(|name| name.starts_with("aws-"));
        broken.extend(heavy.map(|name| format!("`{}` needs `{name}`: the command line reaches AWS through the awscli and the doors", package.name)));
    }
    broken
}

fn layer(package: &Package) -> Option<usize> {
    let mut path = package.folder.split('/').skip(1);
    let (folder, name) = (path.next()?, path.next()?);
    LAYERS.iter().position(|layer| *layer == folder && !name.is_empty())
}

fn upward(project: &Project, package: &Package, own: usize) -> Vec<String> {
    let ours = package.needs.iter().filter_map(|name| project.package(name));
    let up = ours
        .filter(|needed| !needed.is_in("shared") || layer(needed).is_some_and(|layer| layer > own));
    up.map(|needed| {
        format!("`{}` depends on `{}`, which stands above it", package.folder, needed.folder)
    })
    .collect()
}

fn impure(package: &Package, layer: usize) -> Vec<String> {
    if layer > PURE {
        return Vec::new();
    }
    let outside = package
        .needs
        .iter()
        .filter(|name| IMPURE.contains(&name.as_str()) || name.starts_with("aws-sdk"));
    outside
        .map(|name| {
            format!(
                "`{}` is a domain crate and needs `{name}`: move that to an adapter",
                package.folder
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::broken;
    use crate::project::{Package, Project};

    #[track_caller]
    fn check(crates: &[(&str, &str)], expect: &str) {
        let package = |(folder, needs): &(&str, &str)| Package {
            name: named(folder),
            folder: (*folder).to_owned(),
            needs: needs.split_whitespace().map(str::to_owned).collect(),
            manifest: String::new(),
        };
        let project =
            Project { packages: crates.iter().map(package).collect(), ..Project::default() };
        assert_eq!(broken(&project).join("; "), expect);
    }

    fn named(folder: &str) -> String {
        let short = folder.rsplit('/').next().unwrap_or(folder);
        if folder.starts_with("shared/") {
            format!("countersign-{short}")
        } else {
            short.to_owned()
        }
    }

    #[test]
    fn edges_down_and_sideways_are_right() {
        check(
            &[
                ("shared/domain/plan", "countersign-ids countersign-run"),
                ("shared/domain/run", ""),
                ("shared/floor/ids", ""),
            ],
            "",
        );
    }

    #[test]
    fn an_edge_that_goes_up_is_named() {
        check(
            &[("shared/domain/plan", "countersign-web"), ("shared/entry/web", "")],
            "`shared/domain/plan` depends on `shared/entry/web`, which stands above it",
        );
    }

    #[test]
    fn a_crate_without_a_layer_is_named() {
        check(
            &[("shared/misc", "")],
            "`shared/misc` has no layer: move it to a folder of `shared/floor`, `shared/domain`, `shared/adapters`, \
             `shared/actions`, `shared/entry`",
        );
    }

    #[test]
    fn a_domain_crate_reaches_nothing_outside() {
        check(
            &[("shared/domain/plan", "tokio")],
            "`shared/domain/plan` is a domain crate and needs `tokio`: move that to an adapter",
        );
    }

    #[test]
    fn functions_do_not_depend_on_functions() {
        check(
            &[("functions/a", "b"), ("functions/b", "")],
            "function `a` depends on function `b`: move what they share to `shared/`",
        );
    }
}

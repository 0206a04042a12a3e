//! Edges go down, or sideways inside a layer; domain crates are pure.

use crate::project::{Package, Project};

/// The layers of `shared/`, lowest first. A new crate takes its place here before anything may use it.
pub const LAYERS: [(&str, &[&str]); 5] = [
    ("floor", &["ids", "failure", "lazy", "decimal"]),
    (
        "domain",
        &[
            "identity",
            "registry",
            "wiring",
            "playbook",
            "plan",
            "run",
            "approval",
            "effect",
            "resilience",
            "connector",
            "formats",
            "pages",
            "profile",
            "schedule",
            "journal",
            "knowledge",
            "retrieval",
            "editorial",
            "report",
            "letter",
            "links",
        ],
    ),
    (
        "adapters",
        &[
            "store-kit",
            "store-directory",
            "store-catalog",
            "store-runs",
            "store-approvals",
            "store-tokens",
            "store-knowledge",
            "store-content",
            "store-uploads",
            "store-vault",
            "store-egress",
            "store-journal",
            "states",
            "outbox",
            "vault",
            "signer",
            "http-out",
            "postgres-out",
            "robots",
            "reader",
            "model",
            "documents",
            "sandbox",
        ],
    ),
    (
        "actions",
        &[
            "actions-data",
            "actions-knowledge",
            "actions-connect",
            "actions-output",
            "actions-journal",
            "actions-notify",
            "actions-web",
        ],
    ),
    (
        "entry",
        &[
            "lambda-entry",
            "step-entry",
            "search-entry",
            "connect-entry",
            "gatekeeper",
            "recovery",
            "web",
        ],
    ),
];

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
                "`{}` has no layer: give it one in `infra/tidy/src/layers.rs`",
                package.folder
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
    LAYERS.iter().position(|(_, crates)| crates.contains(&package.short()))
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
    if layer > 1 {
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
        folder.strip_prefix("shared/").map_or_else(
            || folder.replace("functions/", ""),
            |short| format!("countersign-{short}"),
        )
    }

    #[test]
    fn edges_down_and_sideways_are_right() {
        check(
            &[
                ("shared/plan", "countersign-ids countersign-run"),
                ("shared/run", ""),
                ("shared/ids", ""),
            ],
            "",
        );
    }

    #[test]
    fn an_edge_that_goes_up_is_named() {
        check(
            &[("shared/plan", "countersign-web"), ("shared/web", "")],
            "`shared/plan` depends on `shared/web`, which stands above it",
        );
    }

    #[test]
    fn a_crate_without_a_layer_is_named() {
        check(
            &[("shared/misc", "")],
            "`shared/misc` has no layer: give it one in `infra/tidy/src/layers.rs`",
        );
    }

    #[test]
    fn a_domain_crate_reaches_nothing_outside() {
        check(
            &[("shared/plan", "tokio")],
            "`shared/plan` is a domain crate and needs `tokio`: move that to an adapter",
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

//! Every crate inherits what the workspace decides and has a name that says what it is.

use crate::project::{Package, Project};

const VAGUE: [&str; 7] = ["common", "utils", "util", "core", "helpers", "misc", "shared"];
const INHERITED: [&str; 5] = [
    "version.workspace = true",
    "edition.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
    "publish.workspace = true",
];

/// Every crate that goes its own way.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let mut broken: Vec<String> = project.packages.iter().flat_map(of_package).collect();
    for file in &project.files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        if file.extension().is_some_and(|extension| extension == "rs")
            && VAGUE.contains(&stem.as_ref())
        {
            broken.push(format!("`{}`: name the module after what is in it", file.display()));
        }
    }
    broken
}

fn of_package(package: &Package) -> Vec<String> {
    let mut broken = Vec::new();
    let expected = if package.is_in("functions") {
        package.short().to_owned()
    } else {
        format!("countersign-{}", package.short())
    };
    if package.name != expected {
        broken.push(format!(
            "the package in `{}` is called `{}` instead of `{expected}`",
            package.folder, package.name
        ));
    }
    if VAGUE.contains(&package.short()) {
        broken.push(format!("`{}`: name the crate after what is in it", package.folder));
    }
    let lints = package
        .manifest
        .split("[lints]")
        .nth(1)
        .is_some_and(|rest| rest.trim_start().starts_with("workspace = true"));
    if !lints {
        broken.push(format!(
            "`{}` does not inherit the lints: add `[lints] workspace = true`",
            package.folder
        ));
    }
    let missing = INHERITED.iter().filter(|line| !package.manifest.contains(*line));
    broken.extend(missing.map(|line| format!("`{}` does not say `{line}`", package.folder)));
    if package.manifest.contains("path = \"..") {
        broken.push(format!(
            "`{}` names a path: every version and path stands in the workspace's manifest",
            package.folder
        ));
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::{INHERITED, of_package};
    use crate::project::Package;
    use std::collections::BTreeSet;

    #[track_caller]
    fn check(name: &str, folder: &str, tail: &str, expect: &str) {
        let manifest = format!("{}\n{tail}", INHERITED.join("\n"));
        let package = Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            needs: BTreeSet::new(),
            manifest,
        };
        assert_eq!(of_package(&package).join("; "), expect);
    }

    #[test]
    fn a_crate_in_order_passes() {
        check("countersign-plan", "shared/domain/plan", "[lints]\nworkspace = true", "");
        check("run-begin", "functions/run-begin", "[lints]\nworkspace = true", "");
    }

    #[test]
    fn lints_must_be_inherited() {
        check(
            "api",
            "functions/api",
            "",
            "`functions/api` does not inherit the lints: add `[lints] workspace = true`",
        );
    }

    #[test]
    fn vague_names_and_wrong_names_are_refused() {
        check(
            "countersign-utils",
            "shared/utils",
            "[lints]\nworkspace = true",
            "`shared/utils`: name the crate after what is in it",
        );
        check(
            "plan",
            "shared/domain/plan",
            "[lints]\nworkspace = true",
            "the package in `shared/domain/plan` is called `plan` instead of `countersign-plan`",
        );
    }
}

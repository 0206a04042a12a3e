//! Files stay readable, and name no package registry.

use std::path::Path;

use crate::project::Project;

const MAX_LINES: usize = 400;
/// Registries are the business of whoever builds: a mirror must be enough.
const REGISTRIES: [&str; 8] = [
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("docker", ".io"),
    concat!("ghcr", ".io"),
    concat!("proxy.golang", ".org"),
];

/// Every file that is too long or names a registry.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    project
        .files
        .iter()
        .flat_map(|file| project.text(file).map(|text| of_file(file, &text)).unwrap_or_default())
        .collect()
}

fn of_file(file: &Path, text: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let is_rust = file.extension().is_some_and(|extension| extension == "rs");
    let lines = text.lines().count();
    if is_rust && lines > MAX_LINES {
        broken.push(format!(
            "`{}` has {lines} lines: split it, so that none has more than {MAX_LINES}",
            file.display()
        ));
    }
    // Lock files record where Cargo and npm found things; nobody writes them.
    let is_written = !["Cargo.lock", "package-lock.json"].iter().any(|lock| file.ends_with(lock));
    if is_written {
        let named = REGISTRIES.iter().filter(|host| text.contains(**host));
        broken
            .extend(named.map(|host| format!("`{}` names the registry `{host}`", file.display())));
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::of_file;
    use std::path::Path;

    #[track_caller]
    fn check(file: &str, text: &str, expect: &[&str]) {
        assert_eq!(of_file(Path::new(file), text), expect);
    }

    #[test]
    fn long_sources_are_refused_and_long_data_is_not() {
        let long = "x\n".repeat(401);
        check("a.rs", &long, &["`a.rs` has 401 lines: split it, so that none has more than 400"]);
        check("a.rs", &"x\n".repeat(400), &[]);
        check("names.csv", &long, &[]);
    }

    #[test]
    fn registries_are_not_named_except_in_lock_files() {
        let host = concat!("crates", ".io");
        check("a.md", host, &[&format!("`a.md` names the registry `{host}`")]);
        check("Cargo.lock", host, &[]);
    }
}

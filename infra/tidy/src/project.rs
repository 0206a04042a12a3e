//! What the rules look at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};
use serde_json::Value;

/// The project cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TidyError {
    /// Cargo does not understand the workspace.
    #[error("reading the workspace: {0}")]
    Metadata(#[from] cargo_metadata::Error),
    /// A file cannot be read.
    #[error("reading `{path}`: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The template is not YAML.
    #[error("reading the template: {0}")]
    Template(String),
    /// A state machine is not JSON.
    #[error("reading `{path}`: {source}")]
    Machine {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// A source file is not Rust.
    #[error("reading `{path}`: {reason}")]
    Source {
        /// Which file.
        path: PathBuf,
        /// What the tokenizer says.
        reason: String,
    },
    /// A commit cannot be unpacked.
    #[error("measuring `{commit}`: {reason}")]
    Commit {
        /// Which commit.
        commit: String,
        /// What git says.
        reason: String,
    },
    /// The figures cannot be printed.
    #[error("printing: {0}")]
    Output(std::io::Error),
}

/// One crate of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The folder below the workspace, such as `shared/domain/plan`.
    pub folder: String,
    /// What it needs to be built, by package name; without what only its tests need.
    pub needs: BTreeSet<String>,
    /// The text of its manifest.
    pub manifest: String,
}

impl Package {
    /// The folder's own name: `plan` of `shared/domain/plan`.
    #[must_use]
    pub fn short(&self) -> &str {
        self.folder.rsplit('/').next().unwrap_or(&self.folder)
    }

    /// Whether it stands below a folder of the workspace.
    #[must_use]
    pub fn is_in(&self, folder: &str) -> bool {
        self.folder.split('/').next() == Some(folder)
    }
}

/// The project as the rules see it.
#[derive(Debug, Clone, Default)]
pub struct Project {
    /// The folder of the workspace.
    pub root: PathBuf,
    /// Every crate.
    pub packages: Vec<Package>,
    /// The template; short forms of functions are read as their argument (`!GetAtt A.Arn` → `"A.Arn"`).
    pub template: Value,
    /// The state machines by file name.
    pub machines: BTreeMap<String, Value>,
    /// Every file of ours, relative to the root: neither built nor fetched nor ignored.
    pub files: Vec<PathBuf>,
}

impl Project {
    /// Reads the workspace this crate belongs to.
    ///
    /// # Errors
    /// [`TidyError`] naming what cannot be read.
    pub fn load() -> Result<Self, TidyError> {
        let metadata =
            MetadataCommand::new().no_deps().other_options(["--offline".to_owned()]).exec()?;
        let root: PathBuf = metadata.workspace_root.clone().into();
        let mut packages = Vec::new();
        for package in &metadata.packages {
            let folder = package.manifest_path.parent().unwrap_or(&package.manifest_path);
            let needed = package
                .dependencies
                .iter()
                .filter(|needed| needed.kind != DependencyKind::Development);
            packages.push(Package {
                name: package.name.to_string(),
                folder: folder.strip_prefix(&metadata.workspace_root).unwrap_or(folder).to_string(),
                needs: needed.map(|needed| needed.name.clone()).collect(),
                manifest: read(package.manifest_path.as_std_path())?,
            });
        }
        let template = serde_saphyr::from_str(&read(&root.join("template.yaml"))?);
        let template = template.map_err(|error| TidyError::Template(error.to_string()))?;
        let mut files = Vec::new();
        walk(&root, &root, &mut files)?;
        files.sort();
        let mut project = Self { root, packages, template, machines: BTreeMap::new(), files };
        project.machines = project.read_machines()?;
        Ok(project)
    }

    /// The text of a file, by its path below the root; nothing when it is not text.
    #[must_use]
    pub fn text(&self, file: &Path) -> Option<String> {
        String::from_utf8(fs::read(self.root.join(file)).ok()?).ok()
    }

    /// The crates below a folder.
    pub fn in_folder<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a Package> {
        self.packages.iter().filter(move |package| package.is_in(folder))
    }

    /// A crate by its package name.
    #[must_use]
    pub fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// Every crate of the workspace that a crate is built from, itself left out.
    #[must_use]
    pub fn closure(&self, package: &Package) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut open = vec![package];
        while let Some(package) = open.pop() {
            for needed in package.needs.iter().filter_map(|name| self.package(name)) {
                if found.insert(needed.name.as_str()) {
                    open.push(needed);
                }
            }
        }
        found
    }

    /// The resources of the template: logical name, type, properties.
    pub fn resources(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        let resources =
            self.template.get("Resources").and_then(Value::as_object).into_iter().flatten();
        resources.map(|(name, resource)| {
            let kind = resource.get("Type").and_then(Value::as_str).unwrap_or_default();
            (name.as_str(), kind, resource.get("Properties").unwrap_or(&Value::Null))
        })
    }

    fn read_machines(&self) -> Result<BTreeMap<String, Value>, TidyError> {
        let mut machines = BTreeMap::new();
        for file in self.files.iter().filter(|file| file.starts_with("statemachines")) {
            let Some(name) = file.file_name().map(|name| name.to_string_lossy().into_owned())
            else {
                continue;
            };
            if name.ends_with(".asl.json") {
                let text = read(&self.root.join(file))?;
                let machine = serde_json::from_str(&text);
                machines.insert(
                    name,
                    machine.map_err(|source| TidyError::Machine { path: file.clone(), source })?,
                );
            }
        }
        Ok(machines)
    }
}

pub(crate) fn read(path: &Path) -> Result<String, TidyError> {
    fs::read_to_string(path).map_err(|source| TidyError::File { path: path.to_owned(), source })
}

/// Folders that hold nothing of ours.
const SKIPPED: [&str; 6] =
    [".git", ".countersign", "target", "node_modules", "__pycache__", "dist"];

pub(crate) fn walk(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), TidyError> {
    let failed = |source| TidyError::File { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_symlink() || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, files)?;
        } else if let Ok(below) = path.strip_prefix(root) {
            files.push(below.to_owned());
        }
    }
    Ok(())
}

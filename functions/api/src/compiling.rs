//! Texts of users: connectors and playbooks. Every problem at once, each with its place.

use countersign_connector::{
    ConnectorDefinition, Diagnostic, Parsed, Severity as ConnectorSeverity,
};
use countersign_playbook::{
    Bindings, Compiled, Diagnostic as PlaybookDiagnostic, PlaybookSource,
    Severity as PlaybookSeverity, ValidPlaybook, World, compile,
};
use countersign_registry::Registry;
use countersign_web::{FieldError, Problem};
use http::StatusCode;

/// Compiles a playbook, with the connectors of a profile when one is known.
pub(crate) fn compiled(registry: &Registry, yaml: &str, bindings: Option<&Bindings>) -> Compiled {
    let world = World::of(registry);
    let world = bindings.map_or(world, |bindings| world.with(bindings));
    compile(&PlaybookSource::new("playbook.yaml", yaml), &world)
}

/// The playbook with its warnings, or a problem with all its errors.
pub(crate) fn valid(
    registry: &Registry,
    yaml: &str,
) -> Result<(ValidPlaybook, Vec<PlaybookDiagnostic>), Problem> {
    let compiled = compiled(registry, yaml, None);
    let errors: Vec<FieldError> = compiled
        .errors()
        .map(|error| {
            let place = format!("yaml:{}:{}", error.place.line, error.place.column);
            FieldError { path: place, message: error.message.clone(), hint: error.hint.clone() }
        })
        .collect();
    let warns = |found: &PlaybookDiagnostic| found.severity == PlaybookSeverity::Warning;
    let warnings = compiled.diagnostics.into_iter().filter(warns).collect();
    let playbook = compiled.playbook.map(|playbook| (playbook, warnings));
    playbook.ok_or_else(|| invalid("PLAYBOOK_INVALID", "the playbook", errors))
}

/// The connector with its warnings, or a problem with all its errors.
pub(crate) fn connector(yaml: &str) -> Result<(ConnectorDefinition, Vec<Diagnostic>), Problem> {
    read(countersign_connector::parse(yaml))
}

/// A connector of the deployment, whose form may name environment variables (K-37).
pub(crate) fn template(yaml: &str) -> Result<ConnectorDefinition, Problem> {
    read(countersign_connector::parse_template(yaml)).map(|(definition, _)| definition)
}

fn read(parsed: Parsed) -> Result<(ConnectorDefinition, Vec<Diagnostic>), Problem> {
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) = parsed
        .diagnostics
        .into_iter()
        .partition(|diagnostic| diagnostic.severity == ConnectorSeverity::Error);
    let errors: Vec<FieldError> = errors
        .into_iter()
        .map(|diagnostic| {
            let place = format!("yaml:{}:{}", diagnostic.at.line, diagnostic.at.column);
            FieldError { path: place, message: diagnostic.message, hint: diagnostic.hint }
        })
        .collect();
    let definition = parsed.definition.map(|definition| (definition, warnings));
    definition.ok_or_else(|| invalid("CONNECTOR_INVALID", "the connector", errors))
}

fn invalid(code: &str, what: &str, errors: Vec<FieldError>) -> Problem {
    let detail = match errors.len() {
        1 => format!("{what} has an error"),
        count => format!("{what} has {count} errors"),
    };
    let mut problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail);
    problem.errors = errors;
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(problem: &Problem, code: &str, at_least: usize) {
        assert_eq!((problem.status, problem.code.as_str()), (422, code));
        assert!(problem.errors.len() >= at_least, "{problem:?}");
        for error in &problem.errors {
            assert!(error.path.starts_with("yaml:"), "{error:?}");
        }
    }

    #[test]
    fn f_343_every_error_of_a_playbook_has_its_place() {
        let yaml = "id: Not Kebab\nname: x\nsteps:\n  - name: a\n    action: launch_rocket\n  - name: a\n    action: parallel\n";
        check(&valid(&Registry::builtin(), yaml).unwrap_err(), "PLAYBOOK_INVALID", 2);
    }

    #[test]
    fn f_332_every_error_of_a_connector_has_its_place() {
        check(&connector("id: Not Kebab\ntype: moon\n").unwrap_err(), "CONNECTOR_INVALID", 1);
    }
}

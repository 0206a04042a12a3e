//! Texts of users: connectors and playbooks. Every problem at once, each with its place.

use countersign_connector::{
    Claim, ConnectorDefinition, Diagnostic, Parsed, Severity, Span, claims,
};
use countersign_playbook::{
    CompileContext, Compiled, Diagnostic as PlaybookDiagnostic, PlaybookSource,
    Severity as PlaybookSeverity, ValidPlaybook, compile,
};
use countersign_web::{FieldError, Problem};
use http::StatusCode;

/// Compiles a playbook.
pub(crate) fn compiled(yaml: &str, world: &CompileContext<'_>) -> Compiled {
    compile(&PlaybookSource::new("playbook.yaml", yaml), world)
}

/// The playbook as it may be saved with its warnings, or a problem with all its errors.
pub(crate) fn valid(
    compiled: Compiled,
) -> Result<(ValidPlaybook, Vec<PlaybookDiagnostic>), Problem> {
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
    let (definition, mut warnings) = read(countersign_connector::parse(yaml))?;
    let unaccepted = claims(&definition).map(|(endpoint, claim)| unaccepted(yaml, endpoint, claim));
    warnings.extend(unaccepted.collect::<Vec<_>>());
    Ok((definition, warnings))
}

/// A claim of an author does not count by itself; who writes it is told.
fn unaccepted(yaml: &str, endpoint: &str, claim: Claim) -> Diagnostic {
    let claimed = match claim {
        Claim::Safe => format!("`safe: true` of `{endpoint}` is not accepted yet"),
        Claim::Query => {
            format!("`{endpoint}` is a query, and nobody has accepted yet that it only reads")
        }
    };
    let message = format!("{claimed}: its calls need a signature");
    let key = claim.key();
    let hint = "an administrator accepts it at `/api/admin/connectors/{owner}/{id}/safe-endpoints`";
    let of_endpoint = |line: &&str| line.trim_start().starts_with(&format!("{endpoint}:"));
    let from = yaml.lines().position(|line| of_endpoint(&line)).unwrap_or_default();
    let lines = || yaml.lines().enumerate().skip(from);
    let place = lines().find_map(|(n, line)| Some((n, line.find(&format!("{key}:"))?)));
    let (line, column) = place.unwrap_or((from, 0));
    let column = yaml
        .lines()
        .nth(line)
        .and_then(|text| text.get(..column))
        .map_or(0, |text| text.chars().count());
    let count = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
    let span = Span { line: count(line), column: count(column), length: 1, ..Span::default() };
    let pointer = format!("/endpoints/{endpoint}/{key}");
    let problem = Diagnostic::error("safe", pointer, message).at(span);
    Diagnostic { severity: Severity::Warning, ..problem }.hint(hint.to_owned())
}

/// A connector of the deployment, whose form may name environment variables (K-37).
pub(crate) fn template(yaml: &str) -> Result<ConnectorDefinition, Problem> {
    read(countersign_connector::parse_template(yaml)).map(|(definition, _)| definition)
}

fn read(parsed: Parsed) -> Result<(ConnectorDefinition, Vec<Diagnostic>), Problem> {
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
        parsed.diagnostics.into_iter().partition(Diagnostic::is_error);
    let errors = errors.into_iter().map(|problem| FieldError {
        path: problem.path(),
        message: problem.message,
        hint: problem.hint,
    });
    let errors: Vec<FieldError> = errors.collect();
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
    use countersign_registry::Registry;

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
        check(
            &valid(compiled(yaml, &CompileContext::of(&Registry::builtin()))).unwrap_err(),
            "PLAYBOOK_INVALID",
            2,
        );
    }

    #[test]
    fn k_25_the_author_is_told_where_a_claim_does_not_count() {
        let yaml = "id: shelf\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\nendpoints:\n  list: { description: lists, path: / }\n  find: { description: finds, method: POST, path: /find, safe: true }\n";
        let (_, warnings) = connector(yaml).unwrap();
        let said: Vec<(&str, (u32, u32))> =
            warnings.iter().map(|one| (one.code.as_str(), one.place())).collect();
        assert_eq!(said, [("safe", (8, 58))], "{warnings:?}");
        let reads = yaml.replace("method: POST, ", "");
        let (_, warnings) = connector(&reads).unwrap();
        let said: Vec<&str> = warnings.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(said, ["`safe` has no effect: a GET only reads"]);
        assert!(connector(&reads.replace(", safe: true", "")).unwrap().1.is_empty());
    }

    #[test]
    fn k_25_the_author_of_a_query_is_told_too() {
        let yaml = "id: graph\nname: Graph\ntype: graphql\nversion: 1.0.0\nconnection: { endpoint: 'https://a.example/graphql' }\nendpoints:\n  find:\n    description: finds\n    query: '{ items { id } }'\n    response_mapping: { results_path: items, fields: { id: id } }\n";
        let (_, warnings) = connector(yaml).unwrap();
        let said: Vec<(&str, (u32, u32))> =
            warnings.iter().map(|one| (one.message.as_str(), one.place())).collect();
        let told = "`find` is a query, and nobody has accepted yet that it only reads: its calls need a signature";
        assert_eq!(said, [(told, (9, 5))], "{warnings:?}");
    }

    #[test]
    fn f_332_every_error_of_a_connector_has_its_place() {
        check(&connector("id: Not Kebab\ntype: moon\n").unwrap_err(), "CONNECTOR_INVALID", 1);
    }
}

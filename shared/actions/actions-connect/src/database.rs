//! Asking a database (F-100, K-40): one statement, values apart from it, and nothing of the credential in what comes out.

use std::time::Duration;

use countersign_connector::sql::{ReadStatement, Server, fit};
use countersign_connector::{DatabaseConnection, QueryRules, Reading, StatementSource};
use countersign_postgres_out::{Ask, DatabaseError, Table, ask};
use countersign_registry::action::Call;
use countersign_registry::{DataType, Field, Warnings};
use countersign_resilience::{Remedy, Tried};
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::binding::Resolved;
use crate::calling::{arguments, deadline};
use crate::credential;
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::output::{Limit, Origin, shaped, stamp};

pub(crate) async fn call(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    connection: &DatabaseConnection,
    rules: &QueryRules,
) -> Result<Value, ConnectError> {
    let used = resolved.binding.credential.as_ref();
    let credential = credential::find(deps, call, resolved, used).await?;
    let server = Server::of(connection, credential.as_ref())?;
    let question = Question::of(rules, &arguments(call, resolved)?)?;
    let as_written = as_written(&resolved.endpoint.output.fields, &rules.reading);
    let asking = Asking { deps, call, resolved, connection, as_written };
    let table = asking.ask(&server, &question).await?;
    Ok(asking.output(table, question.max_rows, &rules.reading))
}

/// The columns of which every digit is wanted. A locale applies to texts, and not to the numbers of a database: where one
/// is declared, these stay numbers.
fn as_written<'f>(fields: &'f [Field], reading: &Reading) -> Vec<&'f str> {
    let wanted = |field: &&Field| match field.data_type {
        DataType::String => true,
        DataType::Decimal => reading.is_plain(),
        _ => false,
    };
    fields.iter().filter(wanted).map(|field| field.name.as_str()).collect()
}

/// What is asked.
struct Question {
    statement: ReadStatement,
    values: Vec<Value>,
    max_rows: usize,
}

impl Question {
    fn of(rules: &QueryRules, arguments: &Map<String, Value>) -> Result<Self, ConnectError> {
        let value = |name: &String| arguments.get(name).cloned().unwrap_or_default();
        match &rules.statement {
            StatementSource::Fixed { sql, binds } => Ok(Self {
                statement: sql.clone(),
                values: binds.iter().map(value).collect(),
                max_rows: rules.max_rows as usize,
            }),
            StatementSource::Free => Self::free(rules, arguments),
        }
    }

    /// The call's own statement is held to the same rules as an author's.
    fn free(rules: &QueryRules, arguments: &Map<String, Value>) -> Result<Self, ConnectError> {
        let wrong = |text: &str| Err(ConnectError::Argument(text.to_owned()));
        let Some(Value::String(sql)) = arguments.get("sql") else {
            return wrong("the input `sql` must be a text");
        };
        let values = match arguments.get("params") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(values)) => values.clone(),
            Some(_) => return wrong("the input `params` must be a list"),
        };
        let max_rows = match arguments.get("max_rows").map(Value::as_u64) {
            None => u64::from(rules.max_rows),
            Some(Some(rows)) if rows >= 1 => rows.min(u64::from(rules.max_rows)),
            Some(_) => return wrong("the input `max_rows` must be a whole number from 1"),
        };
        let max_rows = usize::try_from(max_rows).unwrap_or(1);
        Ok(Self { statement: ReadStatement::parse(sql)?, values, max_rows })
    }
}

struct Asking<'a> {
    deps: &'a Deps,
    call: &'a Call,
    resolved: &'a Resolved,
    connection: &'a DatabaseConnection,
    as_written: Vec<&'a str>,
}

impl Asking<'_> {
    /// One answer, after the retries its failures allow, within the step's time.
    async fn ask(&self, server: &Server, question: &Question) -> Result<Table, ConnectError> {
        let meter = &self.resolved.meter;
        let deadline = deadline(self.call);
        let left = || deadline.saturating_duration_since(Instant::now());
        let usual = Duration::from_secs(u64::from(self.connection.timeout_seconds));
        let mut tried = Tried::default();
        loop {
            meter.permit(deadline).await?;
            let begun = Instant::now();
            let (timeout, left_now) = (usual * tried.timeouts(), left());
            if left_now.is_zero() {
                return Err(self.out_of_time());
            }
            let asked = Ask {
                server,
                ca_certificate: self.connection.ca_certificate.as_deref(),
                search_path: &self.connection.search_path,
                statement: &question.statement,
                arguments: &question.values,
                timeout: timeout.min(left_now),
                max_rows: question.max_rows,
                as_written: &self.as_written,
            };
            let failed =
                match tokio::time::timeout_at(deadline, ask(&self.deps.egress, &asked)).await {
                    Ok(Ok(table)) => {
                        meter.answered(begun.elapsed());
                        return Ok(table);
                    }
                    Ok(Err(failed)) => failed,
                    Err(_) => DatabaseError::Timeout,
                };
            // A database that had less than its usual time did not fail.
            let cut = left_now < timeout && matches!(failed, DatabaseError::Timeout);
            let error = if cut { self.out_of_time() } else { ConnectError::from(failed) };
            let Some(fault) = error.fault() else { return Err(error) };
            meter.failed(&error, fault);
            match tried.remedy(fault, false, left()) {
                Remedy::Again(pause) => tokio::time::sleep(pause).await,
                Remedy::GiveUp | Remedy::InDoubt => return Err(error),
            }
        }
    }

    fn out_of_time(&self) -> ConnectError {
        let connector = self.resolved.connector();
        ConnectError::OutOfTime { waited_for: format!("`{connector}` answered") }
    }

    fn output(&self, table: Table, max_rows: usize, reading: &Reading) -> Value {
        let Table { rows, has_more, mut warnings } = table;
        let declared = &self.resolved.endpoint.output;
        // Where a record came from, without the host: that is part of the credential.
        let reference = format!("postgresql:{}", self.resolved.definition.id);
        let origin = Origin { reference: &reference, name: "" };
        let mut records = rows;
        for record in &mut records {
            for warning in fit(record, &declared.fields, reading) {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            stamp(record, self.resolved, self.call, &origin);
        }
        // 10 MB of rows are said by whoever read them.
        let is_full = has_more && records.len() == max_rows;
        let limit =
            Limit { of: "row", key: "max_rows", most: max_rows, goes_on: false, is_fixed: false };
        let limit = is_full.then_some(limit);
        let (mut output, missing) = shaped(&self.resolved.endpoint, records, has_more, limit);
        let mut all: Warnings = missing.into_iter().collect();
        all.extend(warnings);
        output.insert("_has_more".to_owned(), has_more.into());
        all.write(&mut output);
        output.into()
    }
}

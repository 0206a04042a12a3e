//! The rows of one statement, batch by batch.

use std::collections::HashSet;

use serde_json::{Map, Value};
use tokio_postgres::types::FromSql;
use tokio_postgres::{Row, Statement, Transaction};

use crate::argument::Argument;
use crate::error::DatabaseError;
use crate::value::{Cell, Written, is_known};
use crate::{Ask, Table};

/// Rows fetched at a time.
const BATCH: usize = 50;
/// Bytes of all rows together; what is beyond is left there.
const MAX_BYTES: usize = 10 * 1024 * 1024;

pub(crate) async fn read(
    transaction: &Transaction<'_>,
    ask: &Ask<'_>,
) -> Result<Table, DatabaseError> {
    let text = ask.statement.as_str();
    let failed = |error| DatabaseError::running(&error, text);
    // Prepared by itself, a text is one statement or an error.
    let statement = transaction.prepare(text).await.map_err(failed)?;
    check(&statement, ask)?;
    let arguments: Vec<Argument<'_>> = ask.arguments.iter().map(Argument).collect();
    let portal = transaction.bind_raw(&statement, arguments).await.map_err(failed)?;
    let mut reading = Reading::default();
    loop {
        // One more than asked for tells whether there are more.
        let wanted = (ask.max_rows + 1 - reading.rows.len()).min(BATCH);
        let count = i32::try_from(wanted).unwrap_or(i32::MAX);
        let batch = transaction.query_portal(&portal, count).await.map_err(failed)?;
        let is_last = batch.len() < wanted;
        for row in &batch {
            reading.take(row, ask)?;
        }
        if is_last || reading.has_more {
            return Ok(reading.table());
        }
    }
}

fn check(statement: &Statement, ask: &Ask<'_>) -> Result<(), DatabaseError> {
    let (expected, given) = (statement.params().len(), ask.arguments.len());
    if expected != given {
        return Err(DatabaseError::Arguments { expected, given });
    }
    let columns = statement.columns();
    for (index, column) in columns.iter().enumerate() {
        let refuse = |problem: String| {
            Err(DatabaseError::Column { column: column.name().to_owned(), problem })
        };
        if columns[..index].iter().any(|other| other.name() == column.name()) {
            return refuse("comes twice".to_owned());
        }
        if column.name().starts_with('_') {
            return refuse(
                "has a name that begins with `_`, as where a record came from".to_owned(),
            );
        }
        if !is_known(column.type_()) {
            return refuse(format!("is of type `{}`, which no record holds", column.type_()));
        }
    }
    Ok(())
}

/// One value; nothing where there is none.
fn cell(row: &Row, index: usize, as_written: bool) -> Result<Cell, tokio_postgres::Error> {
    if as_written {
        let text: Option<Written> = row.try_get(index)?;
        return Ok(text.map_or_else(Cell::default, |text| Value::from(text.0).into()));
    }
    row.try_get::<_, Option<Cell>>(index).map(Option::unwrap_or_default)
}

#[derive(Default)]
struct Reading {
    rows: Vec<Map<String, Value>>,
    bytes: usize,
    has_more: bool,
    warnings: Vec<String>,
    /// Which notes were made of which column; a result has at most 1,664 columns.
    noted: HashSet<(usize, &'static str)>,
}

impl Reading {
    fn take(&mut self, row: &Row, ask: &Ask<'_>) -> Result<(), DatabaseError> {
        self.bytes += row.raw_size_bytes();
        let too_much = self.bytes > MAX_BYTES;
        if too_much && !self.has_more {
            self.warnings.push(format!(
                "only the first {} rows came back: they have 10 MB",
                self.rows.len()
            ));
        }
        if too_much || self.rows.len() == ask.max_rows {
            self.has_more = true;
            return Ok(());
        }
        let mut record = Map::new();
        for (index, column) in row.columns().iter().enumerate() {
            let as_written =
                Written::accepts(column.type_()) && ask.as_written.contains(&column.name());
            let cell = cell(row, index, as_written).map_err(|error| {
                let problem = error.into_source().map(|source| source.to_string());
                let problem = problem.unwrap_or_else(|| "cannot be read".to_owned());
                DatabaseError::Column { column: column.name().to_owned(), problem }
            })?;
            if let Some(note) = cell.note
                && self.noted.insert((index, note))
            {
                self.warnings.push(format!("the column `{}` {note}", column.name()));
            }
            record.insert(column.name().to_owned(), cell.value);
        }
        self.rows.push(record);
        Ok(())
    }

    fn table(self) -> Table {
        Table { rows: self.rows, has_more: self.has_more, warnings: self.warnings }
    }
}

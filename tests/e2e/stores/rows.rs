//! Rows of a table that several write at once.

use countersign_identity::UserId;
use countersign_report::table::{ColumnType, Row, Schema, TableColumn};
use countersign_store_content::{ContentStore, OnConflict, RowWrite, Written};
use countersign_store_kit::{Blobs, Window};
use jiff::Timestamp;
use serde_json::json;

async fn store() -> ContentStore {
    let blobs = Blobs::of(&super::aws().await, "countersign-code");
    ContentStore::new(super::table("content").await, blobs)
}

fn rows(count: usize, value: &str) -> Vec<Row> {
    let row = |n: usize| {
        let cells = json!({ "name": format!("{n}"), "value": value });
        Row { id: format!("{n:04}"), cells: cells.as_object().unwrap().clone() }
    };
    (0..count).map(row).collect()
}

fn schema() -> Schema {
    let column = |name: &str| TableColumn { name: name.to_owned(), column_type: ColumnType::Text };
    Schema { columns: ["name", "value"].map(column).to_vec(), key: vec!["name".to_owned()] }
}

/// What the call of this name wrote.
async fn write(
    store: &ContentStore,
    owner: &UserId,
    call: &str,
    count: usize,
    on_conflict: OnConflict,
) -> Written {
    let write = RowWrite {
        owner,
        workspace: "default",
        table: "filings",
        create_if_missing: true,
        schema: schema(),
        rows: rows(count, call),
        on_conflict,
        idempotency_key: call,
        now: Timestamp::UNIX_EPOCH,
    };
    store.write_rows(write).await.unwrap().1
}

async fn check(count: usize, on_conflict: OnConflict) {
    let (store, owner) = (store().await, UserId::from_bytes([3; 16]));
    let (a, b, c) = tokio::join!(
        write(&store, &owner, "a", count, on_conflict),
        write(&store, &owner, "b", count, on_conflict),
        write(&store, &owner, "c", count, on_conflict),
    );
    let all = [a, b, c];
    let sum = |of: fn(&Written) -> u64| all.iter().map(of).sum::<u64>();
    let count = count as u64;
    assert_eq!(sum(|call| call.inserted), count, "each row is inserted once: {all:?}");
    assert_eq!(sum(|call| call.updated + call.skipped), 2 * count, "{all:?}");
    let info = store.table(&owner, "default", "filings").await.unwrap().unwrap();
    assert_eq!(info.row_count, count, "{info:?}");
    let rows = store.rows(&owner, "default", "filings", Window::first(1_000)).await.unwrap();
    assert_eq!(rows.items.len() as u64, count);
    // Whoever comes again counts what it counted.
    assert_eq!(write(&store, &owner, "a", 2, on_conflict).await, a);
}

#[tokio::test]
async fn f_290_rows_of_one_key_that_several_write_at_once_are_inserted_once() {
    check(40, OnConflict::Skip).await;
    check(130, OnConflict::Skip).await;
}

#[tokio::test]
async fn f_052_rows_of_one_key_that_several_update_at_once_are_inserted_once() {
    check(40, OnConflict::Update).await;
}

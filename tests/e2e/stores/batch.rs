//! One batch across tables.

use countersign_store_kit::{Key, Lookup, Write};

use super::table;

#[tokio::test]
async fn one_batch_reads_several_tables() {
    let (one, other) = (table("Batch").await, table("Batch").await);
    let key = |n: usize| Key::new(format!("P#{n}"), "S");
    for (at, table) in [&one, &other].into_iter().enumerate() {
        let item = serde_json::json!({ "table": at });
        table.write(Write::put(&key(1), &item).unwrap()).await.unwrap();
    }
    // More than one request holds, the same key in both tables, and most of them missing.
    let wanted: Vec<Lookup> =
        (0..80).flat_map(|n| [one.lookup(key(n)), other.lookup(key(n))]).collect();
    let mut found = one.get_across(&wanted).await.unwrap();
    assert_eq!(found.len(), 2);
    for (at, table) in [&one, &other].into_iter().enumerate() {
        let item = found.remove(&table.lookup(key(1))).unwrap();
        assert_eq!(item["table"].as_n().unwrap(), &at.to_string());
    }
}

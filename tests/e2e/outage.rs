//! What hours without a tick leave behind: records of clocks whose times are longer ago.

use serde_json::{Value, json};

use crate::world::world;

/// A record as it is stored.
pub(crate) struct Record {
    table: String,
    item: Value,
}

impl Record {
    pub(crate) async fn of(pk: &str, sk: &str) -> Self {
        Self::in_table("TABLE_CATALOG", pk, sk).await
    }

    /// One of another table, by the name of its setting.
    pub(crate) async fn in_table(setting: &str, pk: &str, sk: &str) -> Self {
        let function = format!("{}-cron-sweep", world().stack.name);
        let get = ["lambda", "get-function-configuration", "--function-name", &function];
        let settings = world().aws(&get).await.unwrap();
        let table = settings["Environment"]["Variables"][setting].as_str().unwrap();
        let key = json!({ "PK": { "S": pk }, "SK": { "S": sk } }).to_string();
        let get =
            ["dynamodb", "get-item", "--consistent-read", "--table-name", table, "--key", &key];
        let item = world().aws(&get).await.unwrap()["Item"].clone();
        assert!(item.is_object(), "there is no {sk} of {pk}");
        Self { table: table.to_owned(), item }
    }

    /// When DynamoDB may remove it, in seconds since 1970.
    pub(crate) fn expires_at(&self) -> i64 {
        self.item["expires_at"]["N"].as_str().unwrap().parse().unwrap()
    }

    async fn put(&self) {
        let item = self.item.to_string();
        let put = ["dynamodb", "put-item", "--table-name", &self.table, "--item", &item];
        world().aws(&put).await.unwrap();
    }

    /// What is stored.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.item["json"]["S"].as_str().unwrap()).unwrap()
    }

    /// Changes what is stored, and where the index has it.
    pub(crate) async fn changed(mut self, place: Option<&str>, change: impl FnOnce(&mut Value)) {
        let mut record = self.json();
        change(&mut record);
        self.item["json"]["S"] = json!(record.to_string());
        if let Some(place) = place {
            self.item["GSI1SK"]["S"] = json!(place);
        }
        self.put().await;
    }

    /// Changes attributes of one that is not stored as JSON.
    pub(crate) async fn updated(&self, expression: &str, values: &Value) {
        let key = json!({ "PK": self.item["PK"], "SK": self.item["SK"] }).to_string();
        let (table, values) = (self.table.as_str(), values.to_string());
        let update = ["dynamodb", "update-item", "--table-name", table, "--key", &key];
        let how = ["--update-expression", expression, "--expression-attribute-values", &values];
        world().aws(&[update.as_slice(), how.as_slice()].concat()).await.unwrap();
    }
}

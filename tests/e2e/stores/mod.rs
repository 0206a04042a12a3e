//! Stores against the database's own conditions: what many callers at once may do, and what comes after what. No door
//! shows these one by one.

mod approvals;
mod asked;
mod batch;
mod clocks;
mod connections;
mod conversations;
mod directory;
mod egress;
mod ends_of_turns;
mod forgotten;
mod knowledge;
mod last_runs;
mod model_turns;
mod monitors;
mod moves;
mod outages;
mod put_off;
mod quotas;
mod revisions;
mod rights;
mod rows;
mod runs;
mod strikes;
mod sweeps;
mod ticks;
mod turns;

use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType,
};
use countersign_aws::AwsConfig;
use countersign_store_approvals::Approvals;
use countersign_store_kit::{DynamoClient, Table};
use countersign_store_tokens::Tokens;

use crate::world::world;

/// The emulator, as the owner of its account sees it.
async fn aws() -> AwsConfig {
    let config = aws_config::defaults(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "the local stack"))
        .endpoint_url(world().stack.endpoint())
        .load();
    config.await.into()
}

/// There is time enough, also on a machine that does much else.
fn later() -> Instant {
    Instant::now() + Duration::from_secs(600)
}

/// Approvals with the tokens of their tasks, in tables of their own.
async fn approvals(kind: &str) -> Approvals {
    let tokens = Tokens::new(table("tokens").await);
    Approvals::new(table(kind).await).with_tokens(Arc::new(tokens))
}

/// A table of its own, with the keys every table has.
async fn table(kind: &str) -> Table {
    let config = aws().await;
    let client = DynamoClient::new(&config);
    let name = format!("{kind}-{}", uuid::Uuid::now_v7().simple());
    let key = |name: &str, kind| {
        KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap()
    };
    let attributes = ["PK", "SK", "GSI1PK", "GSI1SK"].map(|name| {
        let text = AttributeDefinition::builder().attribute_name(name);
        text.attribute_type(ScalarAttributeType::S).build().unwrap()
    });
    let all = Projection::builder().projection_type(ProjectionType::All).build();
    let index = GlobalSecondaryIndex::builder().index_name("GSI1").projection(all);
    let index =
        index.key_schema(key("GSI1PK", KeyType::Hash)).key_schema(key("GSI1SK", KeyType::Range));
    let create = client.create_table().table_name(&name).billing_mode(BillingMode::PayPerRequest);
    let create = create.key_schema(key("PK", KeyType::Hash)).key_schema(key("SK", KeyType::Range));
    let create = create.set_attribute_definitions(Some(attributes.to_vec()));
    create.global_secondary_indexes(index.build().unwrap()).send().await.unwrap();
    Table::new(client, name)
}

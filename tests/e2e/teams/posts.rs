//! What members write.

use serde_json::{Value, json};

use super::{delete, switch, team, write};
use crate::case::{admin, person};
use crate::world::world;

#[tokio::test]
async fn f_409_members_write_reply_and_take_back_what_they_wrote() {
    let ana = person("ana", &["global:reader"]).await;
    let bea = person("bea", &["global:reader"]).await;
    let team = team(&[&ana, &bea]).await;
    let posts = format!("/teams/{team}/posts");
    let first = write(&ana, &team, "Who has seen the filing?").await;
    assert_eq!((&first["author"], &first["begins_thread"]), (&json!("ana"), &json!(true)));
    let thread = first["thread_id"].as_str().unwrap();
    let reply = json!({ "content": "I have.", "thread_id": thread });
    let reply = bea.post(&posts, &reply).await;
    assert_eq!((&reply["thread_id"], &reply["begins_thread"]), (&json!(thread), &json!(false)));
    let other = write(&bea, &team, "Lunch?").await;

    let ids = |page: &Value| -> Vec<Value> {
        page["items"].as_array().unwrap().iter().map(|post| post["id"].clone()).collect()
    };
    let all = ana.get(&posts).await;
    assert_eq!(ids(&all), [&other, &reply, &first].map(|post| post["id"].clone()), "{all:#}");
    let of_thread = ana.get(&format!("{posts}?thread_id={thread}")).await;
    assert_eq!(ids(&of_thread).len(), 2);
    let begun = ana.get(&format!("{posts}?begins_thread=true&author_id={}", ana.id)).await;
    assert_eq!(ids(&begun), [first["id"].clone()]);
    assert_eq!(begun["items"][0]["reply_count"], 1, "{begun:#}");
    let page = ana.get(&format!("{posts}?limit=2")).await;
    let rest = ana.get(&format!("{posts}?limit=2&cursor={}", page["next"].as_str().unwrap())).await;
    assert_eq!((ids(&page).len(), ids(&rest).len(), &rest["next"]), (2, 1, &Value::Null));

    let first = format!("{posts}/{}", first["id"].as_str().unwrap());
    assert_eq!(delete(&bea, &first).await, 403, "another member's");
    assert_eq!(delete(&ana, &first).await, 200);
    let removed = bea.get(&first).await;
    assert_eq!((&removed["content"], &removed["reply_count"]), (&json!(""), &json!(1)));
    assert!(removed["removed_at"].is_string(), "{removed:#}");
    let path = format!("/api/admin{posts}/{}", reply["id"].as_str().unwrap());
    admin(world()).delete(&path).await.unwrap();

    let unknown = json!({ "content": "?", "thread_id": format!("thrd_{}", "0".repeat(32)) });
    let refused = ana.refused(&posts, Some(&unknown)).await;
    assert_eq!(refused, (404, "THREAD_NOT_FOUND".to_owned()));
    let not_one = reply["id"].as_str().unwrap().replace("post_", "thrd_");
    let to_reply = json!({ "content": "?", "thread_id": not_one });
    assert_eq!(ana.refused(&posts, Some(&to_reply)).await.0, 404, "a reply begins no thread");
    for body in [json!({ "content": "\u{7}" }), json!({ "content": "" }), json!({ "text": "?" })] {
        assert_eq!(ana.refused(&posts, Some(&body)).await.0, 422, "{body}");
    }
    let stranger = person("cleo", &["global:reader"]).await;
    assert_eq!(stranger.refused(&posts, Some(&json!({ "content": "?" }))).await.0, 404);
    assert_eq!(delete(&stranger, &first).await, 404);
    switch(&team, false).await;
    assert_eq!(ana.refused(&posts, Some(&json!({ "content": "?" }))).await.0, 404);
}

use std::sync::Arc;

use countersign_failure::Class;
use countersign_identity::UserId;
use countersign_monitor::{MarkKind, Position};
use countersign_registry::action::Call;
use countersign_team::{
    Feed, Post, PostId, PostPage, ReadError, TeamAccess, TeamId, TeamPermission, ThreadId,
};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::NewTeamPosts;
use crate::tests::{call, look, now, owner};

/// What members have written, as its store lists it, and what the agent may.
struct Team {
    posts: Vec<Post>,
    permission: TeamPermission,
}

impl Feed for Team {
    fn since<'a>(
        &'a self,
        _: &'a TeamId,
        since: Option<Timestamp>,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, Result<PostPage, ReadError>> {
        let is_late = |post: &&Post| since.is_none_or(|at| post.created_at >= at);
        let mut found: Vec<Post> = self.posts.iter().filter(is_late).cloned().collect();
        found.sort_by_key(|post| post.created_at);
        let begin: usize = after.map_or(0, |after| after.parse().unwrap());
        let end = found.len().min(begin + 100);
        let next = (end < found.len()).then(|| end.to_string());
        Box::pin(async move { Ok(PostPage { posts: found[begin..end].to_vec(), next }) })
    }
}

impl TeamAccess for Team {
    fn permission<'a>(
        &'a self,
        asked: &'a UserId,
        _: &'a str,
        _: &'a TeamId,
    ) -> BoxFuture<'a, Result<TeamPermission, ReadError>> {
        assert_eq!(*asked, owner());
        Box::pin(async { Ok(self.permission) })
    }
}

fn team() -> TeamId {
    TeamId::from_bytes([9; 16])
}

fn post(number: u32, minutes_ago: i64, content: &str) -> Post {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    let id = PostId::from_bytes(bytes);
    Post {
        thread_id: ThreadId::begun_by(&id),
        team_id: team(),
        author_id: owner(),
        author: "Bea".to_owned(),
        content: content.to_owned(),
        begins_thread: true,
        reply_count: 0,
        created_at: now() - SignedDuration::from_mins(minutes_ago),
        removed_at: None,
        id,
    }
}

fn posts(posts: Vec<Post>, post_access: bool) -> NewTeamPosts {
    let permission = TeamPermission { file_access: true, post_access };
    let team = Arc::new(Team { posts, permission });
    NewTeamPosts { posts: team.clone(), access: team }
}

fn asked(params: &Value) -> Call {
    call("detect_new_team_posts", &json!({ "team_id": team() }), params)
}

#[tokio::test]
async fn f_061_new_posts_of_some_threads_are_found_once() {
    let old = post(1, 90, "an old one");
    let reply = Post {
        thread_id: old.thread_id.clone(),
        begins_thread: false,
        ..post(2, 9, "Who has seen the filing?")
    };
    let call = asked(&json!({ "thread_ids": [old.thread_id], "min_length": 5 }));
    let first = look(&posts(vec![old.clone()], true), &call, None).await.unwrap();
    assert_eq!(first.output["count"], 0, "F-219");
    let there = vec![
        Post { content: String::new(), removed_at: Some(now()), ..reply.clone() },
        Post { id: post(3, 0, "").id, content: "Me!".to_owned(), ..reply.clone() },
        Post { id: post(4, 0, "").id, ..reply.clone() },
        post(5, 8, "of another thread"),
        old,
    ];
    let there = posts(there, true);
    let second = look(&there, &call, first.position.as_ref()).await.unwrap();
    let [found] = second.output["posts"].as_array().unwrap().as_slice() else {
        panic!("{:#}", second.output)
    };
    assert_eq!((&found["author"], &found["content"]), (&json!("Bea"), &json!(reply.content)));
    assert_eq!(second.metadata["team_id"], json!(team()));
    let third = look(&there, &call, second.position.as_ref()).await.unwrap();
    assert_eq!(third.output["count"], 0);
}

#[tokio::test]
async fn f_010_an_agent_without_the_grant_of_the_team_reads_nothing() {
    let there = posts(vec![post(1, 5, "secret")], false);
    let refused = look(&there, &asked(&json!({})), None).await.unwrap_err();
    assert_eq!((refused.code, refused.class), ("TEAM_ACCESS_MISSING", Class::Terminal));
    // Whoever starts the agent as a member of one team learns nothing of another.
    let allowed = posts(vec![post(1, 5, "secret")], true);
    let mut member = asked(&json!({}));
    member.info.team = Some(TeamId::from_bytes([8; 16]).to_string());
    assert_eq!(look(&allowed, &member, None).await.unwrap_err().code, "TEAM_ACCESS_MISSING");
    let odd = json!({ "team_id": "Grants desk" });
    let odd = call("detect_new_team_posts", &odd, &json!({}));
    assert_eq!(look(&there, &odd, None).await.unwrap_err().code, "DETECT_ARGUMENT");
}

#[tokio::test]
async fn f_061_however_much_was_written_the_looks_go_through_it() {
    let call = asked(&json!({ "min_length": 5 }));
    // Every tenth is long enough; a minute has 20.
    let written = |n: u32| {
        let content = if n.is_multiple_of(10) { "long enough" } else { "no" };
        post(n, 1_000 - i64::from(n / 20), content)
    };
    let there = posts((0..15_000).map(written).collect(), true);
    let mut position = Position::start(MarkKind::Cursor);
    let mut keys = Vec::new();
    for _ in 0..20 {
        let seen = look(&there, &call, Some(&position)).await.unwrap();
        keys.extend(seen.keys);
        position = seen.position.unwrap();
    }
    assert_eq!(keys.len(), 1_500, "each once, none left out");
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 1_500);
}

#[tokio::test]
async fn f_061_more_within_the_overlap_than_a_look_reads_is_said() {
    let there = posts((0..5_100).map(|n| post(n, 5, "no")).collect(), true);
    let call = asked(&json!({ "min_length": 5 }));
    assert_eq!(look(&there, &call, None).await.unwrap_err().code, "TOO_MANY_POSTS");
}

//! The built-in actions, one per file.
//!
//! Roles: what only reads, computes or tells the caller something (journal, notification) asks for the role reader;
//! what changes data other people work with (`save_to_workspace`, `route_output`) asks for analyst. Whether an endpoint
//! has an effect is declared by its connector, so `call_connector` asks for reader here and the signature protects the
//! rest.

pub mod call_connector;
pub mod complete_todo;
pub mod copy_file;
pub mod crawl_url;
pub mod create_todo;
pub mod cross_reference;
pub mod delete_file;
pub mod detect_folder_changes;
pub mod detect_new_data;
pub mod detect_new_entities;
pub mod detect_new_files;
pub mod detect_new_team_posts;
pub mod extract_entities;
pub mod extract_facts;
pub mod file_place;
pub mod find_file_by_name;
pub mod get_monitor_watermark;
pub mod list_todos;
pub mod llm_analyze;
pub mod match_entities;
pub mod model_task;
pub mod move_file;
pub mod parallel;
pub mod patch_file;
pub mod plan_tasks;
pub mod query_journal;
pub mod read_file;
pub mod research_with_tools;
pub mod resolve_entities;
pub mod restore_file;
pub mod route_output;
pub mod run_python;
pub mod save_to_workspace;
pub mod search_documents;
pub mod search_knowledge_graph;
pub mod search_todos;
pub mod search_web;
pub mod send_channel_message;
pub mod send_notification;
pub mod synthesize_report;
pub mod todo_record;
pub mod transform_data;
pub mod update_todo;
pub mod write_journal_entry;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::typed::Declared;

/// No inputs, params or outputs.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
pub struct Nothing {}

/// Every declared action.
pub(crate) fn all() -> Vec<Declared> {
    vec![
        Declared::of::<call_connector::CallConnector>(),
        Declared::of::<complete_todo::CompleteTodo>(),
        Declared::of::<copy_file::CopyFile>(),
        Declared::of::<crawl_url::CrawlUrl>(),
        Declared::of::<create_todo::CreateTodo>(),
        Declared::of::<cross_reference::CrossReference>(),
        Declared::of::<delete_file::DeleteFile>(),
        Declared::of::<detect_folder_changes::DetectFolderChanges>(),
        Declared::of::<detect_new_data::DetectNewData>(),
        Declared::of::<detect_new_entities::DetectNewEntities>(),
        Declared::of::<detect_new_files::DetectNewFiles>(),
        Declared::of::<detect_new_team_posts::DetectNewTeamPosts>(),
        Declared::of::<extract_entities::ExtractEntities>(),
        Declared::of::<extract_facts::ExtractFacts>(),
        Declared::of::<find_file_by_name::FindFileByName>(),
        Declared::of::<get_monitor_watermark::GetMonitorWatermark>(),
        Declared::of::<list_todos::ListTodos>(),
        Declared::of::<llm_analyze::LlmAnalyze>(),
        Declared::of::<match_entities::MatchEntities>(),
        Declared::of::<move_file::MoveFile>(),
        Declared::of::<parallel::Parallel>(),
        Declared::of::<patch_file::PatchFile>(),
        Declared::of::<plan_tasks::PlanTasks>(),
        Declared::of::<query_journal::QueryJournal>(),
        Declared::of::<read_file::ReadFile>(),
        Declared::of::<research_with_tools::ResearchWithTools>(),
        Declared::of::<resolve_entities::ResolveEntities>(),
        Declared::of::<restore_file::RestoreFile>(),
        Declared::of::<route_output::RouteOutput>(),
        Declared::of::<run_python::RunPython>(),
        Declared::of::<save_to_workspace::SaveToWorkspace>(),
        Declared::of::<search_documents::SearchDocuments>(),
        Declared::of::<search_knowledge_graph::SearchKnowledgeGraph>(),
        Declared::of::<search_todos::SearchTodos>(),
        Declared::of::<search_web::SearchWeb>(),
        Declared::of::<send_channel_message::SendChannelMessage>(),
        Declared::of::<send_notification::SendNotification>(),
        Declared::of::<synthesize_report::SynthesizeReport>(),
        Declared::of::<transform_data::TransformData>(),
        Declared::of::<update_todo::UpdateTodo>(),
        Declared::of::<write_journal_entry::WriteJournalEntry>(),
    ]
}

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::contract::Slot;
use crate::{DataType, Registry};

/// `name!` is required, `name=json` has a default.
fn check(action: &str, inputs: &str, params: &str, outputs: &str) {
    let registry = Registry::builtin();
    let contract = registry.get(action).unwrap();
    assert_eq!(slots(&contract.inputs), inputs, "{action} inputs");
    assert_eq!(slots(&contract.params), params, "{action} params");
    let names: Vec<String> = contract.outputs.iter().map(output).collect();
    assert_eq!(names.join(" "), outputs, "{action} outputs");
}

fn slots(slots: &[Slot]) -> String {
    let text = |slot: &Slot| match (&slot.default, slot.required) {
        (Some(default), _) => format!("{}={default}", slot.name),
        (None, true) => format!("{}!", slot.name),
        (None, false) => slot.name.clone(),
    };
    slots.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn output(slot: &Slot) -> String {
    let fields = |data_type: &DataType| match data_type {
        DataType::Record(fields) => {
            fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>().join(",")
        }
        _ => String::new(),
    };
    match &slot.data_type {
        DataType::Array(item) if matches!(**item, DataType::Record(_)) => {
            format!("{}[{}]", slot.name, fields(item))
        }
        DataType::Record(_) => format!("{}{{{}}}", slot.name, fields(&slot.data_type)),
        _ => slot.name.clone(),
    }
}

#[test]
fn f_042_call_connector() {
    check("call_connector", "", "connector! endpoint!", "results count has_more");
}

#[test]
fn f_043_search_knowledge_graph() {
    check(
        "search_knowledge_graph",
        "entity_name entity_names external_id",
        "entity_types=[] relationship_types=[] include_related=true max_hops=2 namespace",
        "entities[name,type,subtype,aliases,external_ids,confidence,entity_id,source_count,counted_with,first_seen,last_seen] \
         relationships[source,target,type,properties,differing,confidence,source_id,target_id,readings,more_readings] count is_cut not_found warnings warning_count",
    );
}

#[test]
fn f_044_search_documents() {
    check(
        "search_documents",
        "query!",
        "max_results=10 folder_id file_types=[]",
        "documents[document_id,title,snippet,line,score,folder_path] count method warnings warning_count",
    );
}

#[test]
fn f_045_search_web() {
    check(
        "search_web",
        "query!",
        "max_results=10 categories deep",
        "results[title,url,snippet,source,score,content] count note warnings warning_count",
    );
}

#[test]
fn f_046_crawl_url() {
    check("crawl_url", "url!", r#"extract_mode="text""#, "content title metadata links[url,text]");
}

#[test]
fn f_047_extract_entities() {
    check(
        "extract_entities",
        "data!",
        r#"entity_types="auto" relationship_type strategy="auto" rules"#,
        "entities[name,type,source_field,source_record_index,confidence,method,relationship_type,related_to,\
         external_ids,context,place,attributes,source_connector,source_endpoint,source_query,retrieved_at,document] count warnings warning_count",
    );
}

#[test]
fn f_048_resolve_entities() {
    check(
        "resolve_entities",
        "entities!",
        r#"strategy="fuzzy" threshold=0.85 namespace within_seconds=20"#,
        "resolved[canonical_name,type,aliases,spellings,merge_count,confidence,entity_id,is_known,external_ids] \
         merge_count ambiguous ambiguous_left_out relationships new_relationships pending warnings warning_count",
    );
}

#[test]
fn f_048_match_entities() {
    check(
        "match_entities",
        "entities! records",
        r#"strategy="fuzzy" threshold=0.85 record_field="name" namespace"#,
        "resolved[canonical_name,type,aliases,spellings,merge_count,confidence,entity_id,is_known,external_ids] \
         merge_count ambiguous[entity,candidate,type,entity_id,candidate_id,confidence,match_method,match_details,\
         reason,why] ambiguous_left_out records warnings warning_count",
    );
}

#[test]
fn f_049_cross_reference() {
    check(
        "cross_reference",
        "dataset_a! dataset_b! doubts",
        "match_strategy=\"fuzzy_name\" match_threshold=0.8 name_field_a name_field_b id_field_a id_field_b entity_type \
         distinct_field entity_field",
        "matches[entity_a,entity_b,match_score,match_method,basis] unmatched_a unmatched_b count \
         doubtful[entity_a,entity_b,why] doubtful_count warnings warning_count",
    );
}

#[test]
fn f_051_transform_data() {
    check(
        "transform_data",
        "data!",
        "operations=[]",
        "data count warnings[record,field,text,message] warning_count",
    );
}

#[test]
fn f_052_save_to_workspace() {
    check(
        "save_to_workspace",
        "data!",
        "table_name workspace_id create_if_missing=true upsert_key",
        "rows_inserted rows_updated table_name workspace_id warnings warning_count",
    );
}

#[test]
fn f_053_route_output() {
    check(
        "route_output",
        "data!",
        "destinations",
        "routed_to[destination,status,details] success warnings warning_count",
    );
}

#[test]
fn f_054_parallel() {
    check("parallel", "", "parallel_steps!", "");
    assert!(Registry::builtin().get("parallel").unwrap().is_control());
}

#[test]
fn f_058_to_f_064_what_looks_for_what_is_new() {
    let marks = "watermark previous_watermark";
    check(
        "detect_new_files",
        "folder_id!",
        "file_types=[]",
        &format!(
            "files[file_id,filename,file_type,size_bytes,created_at,modified_at,folder_path,source] count {marks}"
        ),
    );
    check(
        "detect_folder_changes",
        "folder_id!",
        "change_types=[]",
        &format!(
            "changes[file_id,filename,change_type,old_hash,new_hash,timestamp,source] added_count modified_count deleted_count count {marks}"
        ),
    );
    check(
        "detect_new_data",
        "",
        "connector! endpoint! date_field append_only=false extra_params={}",
        &format!("results count has_more {marks}"),
    );
    check(
        "detect_new_entities",
        "entity_types!",
        "min_confidence=0.5 source_filter",
        &format!(
            "entities[name,type,subtype,confidence,source,created_at,entity_id] count has_more {marks}"
        ),
    );
    check(
        "detect_new_team_posts",
        "team_id!",
        "thread_ids=[] min_length=0",
        &format!(
            "posts[post_id,thread_id,author,author_id,content,created_at,reply_count] count has_more {marks}"
        ),
    );
    check("get_monitor_watermark", "step_name!", "", "watermark last_checked_at items_found_last");
    let registry = Registry::builtin();
    let named = registry.iter().map(|contract| contract.name.as_str());
    let detect: Vec<&str> = named.filter(|name| name.starts_with("detect_")).collect();
    assert_eq!(detect, crate::DETECTIONS);
}

#[test]
fn f_055_f_056_what_a_model_does_has_no_outputs_of_its_own() {
    for action in ["synthesize_report", "llm_analyze"] {
        check(action, "data! findings", "instructions template", "");
        let registry = Registry::builtin();
        assert!(registry.get(action).unwrap().answers_as_declared(), "{action}");
    }
}

#[test]
fn f_057_research_with_tools() {
    check(
        "research_with_tools",
        "data! conversation assignment",
        "tools! system_prompt! max_rounds=3",
        "",
    );
    let registry = Registry::builtin();
    assert!(registry.get("research_with_tools").unwrap().answers_as_declared());
}

#[test]
fn r_009_run_python() {
    check("run_python", "data", "code!", "result stdout");
}

#[test]
fn r_005_plan_tasks() {
    let outputs = "analysis{intent,entities} execution_plan[agent_id,agent_name,task,depends_on,stage] stages";
    check("plan_tasks", "data!", "specialists! stages=2", outputs);
    let contract = Registry::builtin().get("plan_tasks").cloned().unwrap();
    assert!(contract.uses_llm && !contract.answers_as_declared());
}

#[test]
fn r_082_r_083_r_084_extract_facts() {
    let outputs = "found critical_facts{user_name,company_name,job_title,recent_projects} preferences{tone,detail_level,language} reason";
    check("extract_facts", "question! known", "", outputs);
    assert!(Registry::builtin().get("extract_facts").unwrap().uses_llm);
}

#[test]
fn f_065_write_journal_entry() {
    check(
        "write_journal_entry",
        "summary! detail_entries entities_mentioned",
        "",
        "journal_entry_id success warnings warning_count",
    );
}

#[test]
fn f_066_query_journal() {
    check(
        "query_journal",
        "query date_from date_to entity_name status",
        "limit=20",
        "entries[journal_entry_id,summary,created_at,run_context,steps_completed,entities_discovered,outputs_produced,task_status] \
         count date_range{from,to} has_more warnings",
    );
}

#[test]
fn f_072_send_notification() {
    check(
        "send_notification",
        "message!",
        r#"title priority="normal" action_url action_label"#,
        "notification_id success",
    );
}

#[test]
fn f_073_send_channel_message() {
    check(
        "send_channel_message",
        "message!",
        r#"channel="default" chat_id format="plain" silent=false"#,
        "message_id channel success",
    );
    assert!(Registry::builtin().get("send_channel_message").unwrap().irreversible, "K-25");
}

#[test]
fn f_075_to_f_079_what_is_done_with_to_dos() {
    let records = "todos[todo_id,title,body,state,priority,deadline,scheduled,tags,file_id,file_path,created_at,\
                   updated_at,completed_at] count warnings warning_count";
    check(
        "create_todo",
        r#"title! body="""#,
        r#"priority state="TODO" deadline scheduled tags=[] target_file="todos.org""#,
        "success todo_id file_path",
    );
    check("list_todos", r#"state="all""#, "tags=[] deadline_before file_id limit=100", records);
    check(
        "update_todo",
        "todo_id!",
        "state priority deadline scheduled add_tags=[] remove_tags=[] add_note",
        "success updated_fields",
    );
    check("complete_todo", "todo_id!", "completion_note", "success completed_at");
    check("search_todos", "query!", "states=[] include_done=false", records);
}

#[test]
fn f_080_f_081_f_083_to_f_086_what_is_done_with_files() {
    let file = "document_id,title,filename,path,file_type,size_bytes,created_at,modified_at";
    check(
        "read_file",
        r#"document_id path scope="my_docs" team_id"#,
        "max_length=100000 include_frontmatter=false",
        &format!("content title file_type frontmatter metadata{{{file}}} warnings warning_count"),
    );
    check(
        "find_file_by_name",
        r#"name! scope="my_docs" team_id"#,
        "exact_match=false file_types=[] folder_id",
        &format!("files[{file}] count warnings warning_count"),
    );
    check(
        "patch_file",
        "document_id! edits!",
        "create_if_missing=false",
        "success operations_applied new_content_length",
    );
    check("delete_file", "document_id!", "confirm!", "success deleted_title");
    check("move_file", "document_id! target_folder_id!", "", "success new_folder_path");
    check(
        "copy_file",
        "document_id! target_folder_id!",
        "new_title",
        "new_document_id new_title new_folder_path",
    );
    check("restore_file", "document_id!", "", "success title path");
}

#[test]
fn k_25_what_destroys_is_signed() {
    let registry = Registry::builtin();
    let signed = registry.iter().filter(|contract| contract.irreversible);
    let signed: Vec<(&str, &str)> =
        signed.map(|one| (one.name.as_str(), one.function.as_str())).collect();
    let of = |name| (name, crate::TOOL_FILES_WRITE);
    let message = ("send_channel_message", crate::TOOL_CONNECT_WRITE);
    assert_eq!(signed, [of("delete_file"), of("move_file"), of("patch_file"), message]);
}

#[test]
fn k_57_every_action_but_control_has_a_function() {
    let registry = Registry::builtin();
    let functions: BTreeSet<&str> = registry.functions().map(|(_, function)| function).collect();
    let expect = [
        "tool-code",
        "tool-connect",
        "tool-connect-write",
        "tool-data",
        "tool-files",
        "tool-files-write",
        "tool-journal",
        "tool-knowledge",
        "tool-model",
        "tool-notify",
        "tool-output",
        "tool-web",
    ];
    assert_eq!(functions, BTreeSet::from(expect));
    assert_eq!(registry.iter().count(), 41);
    assert!(registry.iter().all(|c| !c.irreversible || c.writes));
}

#[test]
fn contracts_survive_json_and_their_choices_hold_the_default() {
    for contract in Registry::builtin().iter() {
        let json = serde_json::to_string(contract).unwrap();
        assert_eq!(&serde_json::from_str::<crate::Contract>(&json).unwrap(), contract);
        for slot in contract.params.iter().filter(|slot| !slot.choices.is_empty()) {
            let default = slot.default.as_ref().and_then(|value| value.as_str());
            assert!(
                default.is_none_or(|text| slot.choices.iter().any(|c| c == text)),
                "{}",
                slot.name
            );
        }
    }
}

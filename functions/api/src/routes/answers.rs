//! Names for the types of other crates that are sent as they are: the macros of the routes take no type with a parameter.

use countersign_approval::ApprovalRecord;
use countersign_connector::{AuthField, ConfigOverrides, EndpointTool, Permissions};
use countersign_document::Verdict;
use countersign_journal::Entry;
use countersign_knowledge::explore::EntityRecord;
use countersign_knowledge::{Discovery, Document, ResolutionLogRow, ReviewRow};
use countersign_playbook::render::Judgement;
use countersign_playbook::{Diagnostic, Graph, InputDecl, ValidPlaybook};
use countersign_registry::{Contract, Slot};
use countersign_resilience::HealthView;
use countersign_run::summary::Summary;
use countersign_run::{
    Event, FromMonitor, ModelUse, Occurrence, Response, RunRecord, Statistics, StepWarnings, Stop,
    TeamContext, ToolCall, UnderstoodInput,
};
use countersign_store_catalog::StoredAbout;
use countersign_store_content as content;
use countersign_store_directory::User;
use countersign_team::{Post, Share, Team};
use countersign_todo::Todo;

use super::dated::Dated;
use crate::documented::Documented;

pub(crate) type AboutAnswer = Documented<StoredAbout>;
pub(crate) type ActionAnswer = Documented<Contract>;
pub(crate) type ApprovalRecordAnswer = Documented<ApprovalRecord>;
pub(crate) type AuthFieldAnswer = Documented<AuthField>;
pub(crate) type DiagnosticAnswer = Documented<countersign_document::Problem>;
pub(crate) type DiscoveryAnswer = Documented<Discovery>;
pub(crate) type DocumentAnswer = Documented<content::Document>;
pub(crate) type EntityAnswer = Documented<EntityRecord>;
pub(crate) type EntryAnswer = Documented<Entry>;
pub(crate) type EventAnswer = Documented<Event>;
pub(crate) type ExportAnswer = Documented<content::Export>;
pub(crate) type FromMonitorAnswer = Documented<FromMonitor>;
pub(crate) type GraphDocumentAnswer = Documented<Document>;
pub(crate) type HealthAnswer = Documented<HealthView>;
pub(crate) type InputDeclAnswer = Documented<InputDecl>;
pub(crate) type JudgementAnswer = Documented<Judgement>;
pub(crate) type LogAnswer = Documented<ResolutionLogRow>;
pub(crate) type ModelUseAnswer = Documented<ModelUse>;
pub(crate) type NotificationAnswer = Documented<content::Notification>;
pub(crate) type OccurrenceAnswer = Documented<Occurrence>;
pub(crate) type OverridesAnswer = Documented<ConfigOverrides>;
pub(crate) type PermissionsAnswer = Documented<Permissions>;
pub(crate) type PersonAnswer = Documented<Dated<User>>;
pub(crate) type PlaybookAnswer = Documented<ValidPlaybook>;
pub(crate) type PlaybookDiagnosticAnswer = Documented<Diagnostic>;
pub(crate) type PlaybookGraphAnswer = Documented<Graph>;
pub(crate) type PostAnswer = Documented<Post>;
pub(crate) type RemovedDocumentAnswer = Documented<content::RemovedDocument>;
pub(crate) type ResponseAnswer = Documented<Response>;
pub(crate) type ReviewAnswer = Documented<ReviewRow>;
pub(crate) type RunRecordAnswer = Documented<RunRecord>;
pub(crate) type ShareAnswer = Documented<Share>;
pub(crate) type SlotAnswer = Documented<Slot>;
pub(crate) type StatisticsAnswer = Documented<Statistics>;
pub(crate) type StepWarningsAnswer = Documented<StepWarnings>;
pub(crate) type StopAnswer = Documented<Stop>;
pub(crate) type SummaryAnswer = Documented<Summary>;
pub(crate) type TableAnswer = Documented<content::TableInfo>;
pub(crate) type TeamAnswer = Documented<Team>;
pub(crate) type TeamContextAnswer = Documented<TeamContext>;
pub(crate) type TodoAnswer = Documented<Todo>;
pub(crate) type ToolAnswer = Documented<EndpointTool>;
pub(crate) type ToolCallAnswer = Documented<ToolCall>;
pub(crate) type UnderstoodAnswer = Documented<UnderstoodInput>;
pub(crate) type VerdictAnswer = Documented<Verdict<countersign_document::Problem>>;

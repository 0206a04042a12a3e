//! A child process for what strangers made, or wrote: this program itself, started with one word more, that has nothing of its
//! parent but two pipes, and limits of memory and computing time
//! ([ADR 18](../../../../docs/adr/0018-strangers-files-are-read-in-a-child.md)).

mod end;
mod limits;
mod program;

pub use end::End;
pub use limits::confined;
pub use program::Program;

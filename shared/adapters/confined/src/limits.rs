//! What a child confines itself to, before it looks at anything.

use std::env::args_os;
use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Whether this process was started as the child of this word, and if so whether its limits hold. A child without them must not go
/// on.
#[must_use]
pub fn confined(word: &str) -> Option<bool> {
    let mut arguments = args_os().skip(1);
    if arguments.next()? != word {
        return None;
    }
    let mut number = || arguments.next()?.to_str()?.parse().ok();
    let limits = number().zip(number());
    Some(limits.is_some_and(|(memory, seconds)| confine(memory, seconds).is_ok()))
}

/// No more memory and computing time than this, no files, no image of what was in memory.
fn confine(memory: u64, seconds: u64) -> io::Result<()> {
    let limits = [
        (Resource::Core, 0, 0),
        (Resource::Fsize, 0, 0),
        (Resource::Nofile, 0, 0),
        (Resource::Data, memory, memory),
        // A second between being told and being killed, because only the first says why.
        (Resource::Cpu, seconds, seconds + 1),
    ];
    for (resource, current, maximum) in limits {
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let limit = Rlimit { current: Some(current.min(most)), maximum: Some(maximum.min(most)) };
        setrlimit(resource, limit)?;
    }
    // A child that computes would outlive a parent that was killed; the kernel ends it with the thread that started it.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    closed()
}

/// Closes the memory of this process to other processes of its user: parent and children all run as the same.
pub(crate) fn closed() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

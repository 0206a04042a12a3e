//! What the system says of processes.

use std::fs;
use std::time::Duration;

use crate::error::CliError;

/// The processes that the emulator has started for a function, by their environment.
pub(in crate::commands::bench) fn of_function(name: &str) -> Vec<u32> {
    let wanted = format!("AWS_LAMBDA_FUNCTION_NAME={name}");
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut found: Vec<u32> = ids
        .filter(|id| {
            // Those of others cannot be read.
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
        })
        .collect();
    found.sort_unstable();
    found
}

/// The processor time that processes have used together.
pub(in crate::commands::bench) fn processor_times(processes: &[u32]) -> Result<Duration, CliError> {
    processes.iter().map(|process| processor_time(*process)).sum()
}

/// The processor time that a process has used, in its own code and in the system's.
pub(super) fn processor_time(process: u32) -> Result<Duration, CliError> {
    let doing = |source| CliError::io("reading the processor time of a process", source);
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).map_err(doing)?;
    let fields = stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace());
    // In ticks of 10 ms: of the process itself, in its own code and in the system's.
    let ticks: u64 =
        fields.into_iter().flatten().skip(11).take(2).flat_map(str::parse::<u64>).sum();
    Ok(Duration::from_millis(ticks * 10))
}

#[cfg(test)]
mod tests {
    use super::{of_function, processor_time};
    use std::process::Command;
    use std::time::{Duration, Instant};

    #[test]
    fn a_process_is_found_by_its_function() {
        let name = format!("bench-{}", uuid::Uuid::now_v7().simple());
        let mut command = Command::new("sleep");
        let mut child = command.arg("600").env("AWS_LAMBDA_FUNCTION_NAME", &name).spawn().unwrap();
        // A process that has just been started does not show its environment at once.
        let deadline = Instant::now() + Duration::from_secs(20);
        while of_function(&name) != [child.id()] {
            assert!(Instant::now() < deadline);
        }
        assert!(of_function(&name[1..]).is_empty());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn work_is_counted() {
        let before = processor_time(std::process::id()).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while processor_time(std::process::id()).unwrap() < before + Duration::from_millis(30) {
            assert!(Instant::now() < deadline);
        }
        assert!(processor_time(u32::MAX).is_err());
    }
}

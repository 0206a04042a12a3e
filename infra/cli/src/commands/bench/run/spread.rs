//! Several measurements of the same.

/// The middle of the measurements, and the least and the most of them.
pub(in crate::commands::bench) struct Spread {
    pub(in crate::commands::bench) least: f64,
    pub(in crate::commands::bench) median: f64,
    pub(in crate::commands::bench) most: f64,
}

impl Spread {
    pub(in crate::commands::bench) fn range(&self, digits: usize) -> String {
        format!("{:.digits$} to {:.digits$}", self.least, self.most)
    }
}

pub(in crate::commands::bench) fn spread(values: impl Iterator<Item = f64>) -> Spread {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let at = |nth: usize| values.get(nth).copied().unwrap_or_default();
    Spread { least: at(0), median: at(values.len() / 2), most: at(values.len().saturating_sub(1)) }
}

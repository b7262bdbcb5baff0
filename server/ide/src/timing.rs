//! What timing a statement found, and how its lens says it. Must never run anything itself.

use sumac_la::Dag;

use crate::quantity;

/// Repeated runs of one form.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Measured {
    /// Median in milliseconds.
    pub ms_median: f64,
    /// Where the median surely lies (95 %), in milliseconds: from this …
    pub ms_low: f64,
    /// … to this.
    pub ms_high: f64,
    /// Fastest run in milliseconds.
    pub ms_min: f64,
    /// Number of runs after the warm-up.
    pub runs: u32,
    /// Runs among them that took much longer than most.
    pub outliers: u32,
    /// Most bytes alive at once.
    pub peak_bytes: u64,
    /// Floating-point operations of a run, by the cost model.
    pub flops: f64,
    /// Bytes that a run reads and writes, by the cost model.
    pub bytes: f64,
}

impl Measured {
    /// FLOPs per second.
    #[must_use]
    pub fn flop_rate(&self) -> f64 {
        self.flops / (self.ms_median / 1e3)
    }

    /// Bytes per second.
    #[must_use]
    pub fn byte_rate(&self) -> f64 {
        self.bytes / (self.ms_median / 1e3)
    }
}

/// Where the inputs of a timing came from.
#[derive(Clone, PartialEq, Debug)]
pub enum Inputs {
    /// The script's own data.
    Real,
    /// Random data of the stated sizes and sparsity, for these names.
    Synthetic(Vec<String>),
}

/// What timing a statement as written and as suggested found.
#[derive(Clone, PartialEq, Debug)]
pub struct Timing {
    /// As written.
    pub original: Measured,
    /// As suggested.
    pub optimized: Measured,
    /// Which engine ran it.
    pub engine: String,
    /// What it ran on.
    pub inputs: Inputs,
    /// Share of the real size that was run: 1, or less where the original would not fit or take too long.
    pub scale: f64,
    /// Bytes that the original would need at full size, where that is more than it may have.
    pub needs_bytes: Option<f64>,
    /// Seconds that a run of the slower form is estimated to take at full size, operator by operator, where nobody would wait for it.
    pub needs_seconds: Option<f64>,
    /// Median milliseconds of what the suggestion computes once before the loop, where it does.
    pub once_ms: Option<f64>,
}

impl Timing {
    /// How many times faster the suggestion ran.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.original.ms_median / self.optimized.ms_median.max(1e-6)
    }

    /// What was gained, in short: `13× faster, measured`.
    #[must_use]
    pub fn gain(&self) -> String {
        let speedup = self.speedup();
        if speedup >= 1.0 {
            format!("{} faster, measured", quantity::ratio(speedup))
        } else {
            format!("{} slower, measured", quantity::ratio(1.0 / speedup))
        }
    }

    /// From how many runs of the loop on what is computed once before it has paid; `None` where nothing is, or no run is
    /// faster.
    #[must_use]
    pub fn pays_from(&self) -> Option<f64> {
        let saved = self.original.ms_median - self.optimized.ms_median;
        let runs = (self.once_ms? / saved).ceil().max(1.0);
        (saved > 0.0).then_some(runs)
    }

    /// One line for a lens: `41.0 s → 2.1 ms (19500×) · measured on synthetic X`. Of a part of what runs it gives no ratio, as that
    /// is none of the whole.
    #[must_use]
    pub fn title(&self, part: Option<&str>) -> String {
        let how = match part {
            None => format!("({})", quantity::ratio(self.speedup())),
            Some(part) => format!("in {part}"),
        };
        let times = format!(
            "{} → {} {how}",
            quantity::seconds(self.original.ms_median / 1e3),
            quantity::seconds(self.optimized.ms_median / 1e3),
        );
        let inputs = match &self.inputs {
            Inputs::Real => "the script's data".to_owned(),
            Inputs::Synthetic(names) if names.is_empty() => "synthetic data".to_owned(),
            Inputs::Synthetic(names) => format!("synthetic {}", names.join(", ")),
        };
        let once = match (self.once_ms, self.pays_from()) {
            (Some(ms), Some(runs)) => format!(
                "; {} before the loop pay from run {} on",
                quantity::seconds(ms / 1e3),
                sumac_la::number(runs)
            ),
            (Some(ms), None) => format!(
                "; {} before the loop never pay",
                quantity::seconds(ms / 1e3)
            ),
            (None, _) => String::new(),
        };
        let measured = format!("{times}{once} · measured on {inputs}");
        let needs = match (self.needs_bytes, self.needs_seconds) {
            (Some(bytes), _) => format!("needs {}", quantity::bytes(bytes)),
            (None, Some(seconds)) => {
                format!("would take about {}", quantity::seconds(seconds))
            }
            (None, None) => String::new(),
        };
        match self.scale < 1.0 && !needs.is_empty() {
            true => format!(
                "{needs}; measured at 1/{:.0} scale: {measured}",
                1.0 / self.scale
            ),
            false => measured,
        }
    }
}

/// What a statement's lens knows of its timing.
#[derive(Clone, PartialEq, Debug)]
pub enum TimingState {
    /// A run is under way.
    Running,
    /// The result of the last run.
    Done(Box<Timing>),
    /// The last run failed, and why.
    Failed(String),
}

/// Identifies a timing by content: the same two forms over inputs of the same sizes are the same timing, wherever
/// and in whichever file they stand.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TimingKey(String);

impl TimingKey {
    /// The key of timing `original` against `optimized`.
    #[must_use]
    pub fn new(original: &Dag, optimized: &Dag) -> Self {
        let mut key = String::new();
        for dag in [original, optimized] {
            for input in dag.inputs() {
                key.push_str(&format!("{}: {}; ", input.name, input.ty));
            }
            for root in dag.roots() {
                key.push_str(&dag.print(*root));
                key.push('\n');
            }
        }
        TimingKey(key)
    }
}

#[cfg(test)]
mod tests {
    use sumac_la::{Op, Type};

    use super::*;

    fn timing() -> Timing {
        Timing {
            inputs: Inputs::Synthetic(vec!["X".into()]),
            ..crate::fixture::timing(41_000.0, 2.1)
        }
    }

    #[test]
    fn what_is_computed_before_the_loop_is_told_with_the_run_in_which_it_has_paid() {
        let before_loop = |optimized_ms: f64| Timing {
            original: Measured {
                ms_median: 0.6,
                ..Measured::default()
            },
            optimized: Measured {
                ms_median: optimized_ms,
                ..Measured::default()
            },
            once_ms: Some(8.0),
            ..timing()
        };
        let part = Some("one run of the loop, without once_q");
        assert_eq!(
            before_loop(0.1).title(part),
            "600 µs → 100 µs in one run of the loop, without once_q; 8.0 ms before the loop pay from run 16 on · measured on synthetic X"
        );
        assert!(
            before_loop(0.7)
                .title(part)
                .contains("; 8.0 ms before the loop never pay ·")
        );
        assert_eq!(before_loop(0.6).pays_from(), None);
        assert_eq!(timing().pays_from(), None);
    }

    #[test]
    fn the_title_says_what_was_measured_and_on_what() {
        assert_eq!(
            timing().title(None),
            "41.0 s → 2.1 ms (19500×) · measured on synthetic X"
        );
    }

    #[test]
    fn a_scaled_run_says_what_the_whole_would_need() {
        let scaled = Timing {
            scale: 1.0 / 64.0,
            needs_bytes: Some(40e9),
            ..timing()
        };
        assert_eq!(
            scaled.title(None),
            "needs 40 GB; measured at 1/64 scale: 41.0 s → 2.1 ms (19500×) · measured on synthetic X"
        );
        let slow = Timing {
            scale: 1.0 / 4.0,
            needs_seconds: Some(160.0),
            ..timing()
        };
        assert_eq!(
            slow.title(None),
            "would take about 160 s; measured at 1/4 scale: 41.0 s → 2.1 ms (19500×) · measured on synthetic X"
        );
    }

    #[test]
    fn the_key_is_the_content() {
        let sum = |rows: u64| {
            let mut dag = Dag::default();
            let x = dag.input("X", Type::matrix(rows, 3));
            let sum = dag.op(Op::Sum, [x]).unwrap();
            dag.push_root(sum);
            dag
        };
        assert_eq!(
            TimingKey::new(&sum(2), &sum(2)),
            TimingKey::new(&sum(2), &sum(2))
        );
        assert_ne!(
            TimingKey::new(&sum(2), &sum(2)),
            TimingKey::new(&sum(4), &sum(4))
        );
    }
}

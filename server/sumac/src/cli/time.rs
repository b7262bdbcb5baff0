//! `sumac time`: times a statement as written and as suggested.

use serde::Serialize;
use sumac_cost::Machine;
use sumac_ide::{CancelToken, Inputs, Measured, Timing, quantity};
use sumac_runtime::synthesize::Spread;

use super::args::{self, Time};
use super::engine::{engine, limits};
use super::exit::{Exit, Usage};
use super::input::{read_text, split_place};
use super::language;
use super::output::Output;
use super::place::{AtPlace, Located, searched, why_none};
use super::said::Said;
use crate::languages;
use crate::machine::Origin;
use crate::measure::{self, Subject};

#[derive(Serialize)]
struct Report {
    original: Side,
    optimized: Side,
    /// Whose figures the estimates are of.
    machine: Origin,
    engine: String,
    inputs: &'static str,
    /// Of synthetic inputs.
    seed: Option<u64>,
    scale: f64,
    /// Bytes that the original needs at full size, where it was scaled down.
    needs_bytes: Option<f64>,
    /// Seconds that a run of the slower form is estimated to take at full size, where that is more than anyone waits for.
    needs_seconds: Option<f64>,
    /// What the times are of, where they leave out what is computed once before a loop.
    part: Option<String>,
    /// What is computed once before the loop takes so long.
    once_ms: Option<f64>,
    /// From how many runs of the loop on it has paid; nothing where no run is faster.
    pays_from_runs: Option<f64>,
}

#[derive(Serialize)]
struct Side {
    /// What the cost model says of it at full size; nothing where it ran at another.
    ms_estimated: Option<f64>,
    ms_median: f64,
    /// Where the median surely lies (95 %).
    ms_low: f64,
    ms_high: f64,
    ms_min: f64,
    runs: u32,
    /// Runs that took much longer than most.
    outliers: u32,
    peak_bytes: u64,
    roofline: Roofline,
}

/// What was achieved, beside what the machine can do: one of both shares is near 1 where nothing is left to gain.
#[derive(Serialize)]
struct Roofline {
    bytes_per_second: f64,
    of_bandwidth: f64,
    flops_per_second: f64,
    of_peak: f64,
}

impl Roofline {
    fn of(measured: &Measured, machine: &Machine) -> Roofline {
        let (bytes, flops) = (measured.byte_rate(), measured.flop_rate());
        Roofline {
            bytes_per_second: bytes,
            of_bandwidth: bytes / machine.bandwidth,
            flops_per_second: flops,
            of_peak: flops / machine.product_flops,
        }
    }
}

/// Prints the times.
///
/// # Errors
/// The place names no line of the file, or its `sumac.toml` is wrong.
pub(super) fn run(args: &Time, said: &Said, output: &Output) -> Result<Exit, Usage> {
    let (path, line) = split_place(&args.place)?;
    if let Some(language) = languages::of(&path) {
        return match read_text(&path) {
            Ok(text) => {
                let read = language::Read::new(language, path.display().to_string(), &text);
                let config = said.context(&path)?.config;
                let limits = limits(&args.engine, args.timeout, &config);
                let sizes: Vec<String> = said
                    .stated
                    .args
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                language::time(&read, (&path, line), &sizes, &limits, output)
            }
            Err(refused) => {
                output.error(&refused);
                Ok(Exit::Found)
            }
        };
    }
    let Some(AtPlace {
        at,
        machine,
        figures,
    }) = searched(
        &args.place,
        (&args.search, args.engine.memory),
        said,
        output,
    )?
    else {
        return Ok(Exit::Found);
    };
    let Located {
        script,
        context,
        path,
        wanted,
        ..
    } = at;
    let Some(suggestion) = script.snapshot.applicable(wanted).next() else {
        output.note(format_args!(
            "{}: there is no suggestion for this line, so nothing to time{}",
            args.place,
            why_none(&script.snapshot, wanted)
        ));
        return Ok(Exit::Found);
    };
    let mut folders = measure::folder_of(Some(&path));
    folders.push(std::path::PathBuf::new());
    let mut job = measure::job(Subject {
        suggestion,
        program: script.snapshot.parse.program(),
        folders: &folders,
        stated: &context.stated,
    });
    job.seed = args.data_seed;
    job.planning.machine = figures;
    job.spread = match args.spread {
        args::Spread::Uniform => Spread::Uniform,
        args::Spread::PowerLaw => Spread::PowerLaw,
    };
    let estimates = [suggestion.before.seconds, suggestion.after.seconds];
    let limits = limits(&args.engine, args.timeout, &context.config);
    let timed = engine(&args.engine, &context.config)
        .map_err(|error| error.to_string())
        .and_then(|engine| {
            let progress = &mut |text: &str| output.note(text);
            let cancel = CancelToken::default();
            let once = suggestion.pair.once.as_ref();
            measure::time_suggestion(engine.as_ref(), (job, once), &limits, &cancel, progress)
                .map_err(|error| error.to_string())
        });
    match timed {
        Ok(timing) if output.is_json() => {
            output.json(&report(
                timing,
                &estimates,
                (machine, &figures),
                (args.data_seed, suggestion.timed_part()),
            ));
        }
        Ok(timing) => {
            let part = suggestion.timed_part();
            output.print(text_of(
                &timing,
                (&estimates, part.as_deref()),
                &figures,
                args,
            ));
        }
        Err(error) => {
            output.error(format_args!("{}: {error}", args.place));
            return Ok(Exit::Found);
        }
    }
    Ok(Exit::Done)
}

/// The estimate of one side, where it is one of what was run.
fn comparable(timing: &Timing, seconds: f64) -> Option<f64> {
    (timing.scale >= 1.0).then_some(seconds)
}

fn report(
    timing: Timing,
    estimates: &[f64; 2],
    (machine, figures): (Origin, &Machine),
    (seed, part): (u64, Option<String>),
) -> Report {
    let [before, after] = estimates.map(|seconds| comparable(&timing, seconds));
    let side = |measured: Measured, estimate: Option<f64>| Side {
        ms_estimated: estimate.map(|seconds| seconds * 1e3),
        ms_median: measured.ms_median,
        ms_low: measured.ms_low,
        ms_high: measured.ms_high,
        ms_min: measured.ms_min,
        runs: measured.runs,
        outliers: measured.outliers,
        peak_bytes: measured.peak_bytes,
        roofline: Roofline::of(&measured, figures),
    };
    let pays_from_runs = timing.pays_from();
    Report {
        once_ms: timing.once_ms,
        pays_from_runs,
        original: side(timing.original, before),
        optimized: side(timing.optimized, after),
        machine,
        engine: timing.engine,
        seed: matches!(timing.inputs, Inputs::Synthetic(_)).then_some(seed),
        inputs: match timing.inputs {
            Inputs::Real => "real",
            Inputs::Synthetic(_) => "synthetic",
        },
        scale: timing.scale,
        needs_bytes: timing.needs_bytes,
        needs_seconds: timing.needs_seconds,
        part,
    }
}

/// How inputs were made up, so that another run can do the same.
fn made_up(timing: &Timing, args: &Time) -> String {
    let how = match args.spread {
        args::Spread::Uniform => "uniform",
        args::Spread::PowerLaw => "by a power law",
    };
    match timing.inputs {
        Inputs::Real => String::new(),
        Inputs::Synthetic(_) => format!(" (seed {}, non-zeros {how})", args.data_seed),
    }
}

/// Whose figures these are: without a calibration they are not of the machine that this ran on.
fn owner(machine: &Machine) -> &'static str {
    if *machine == Machine::of(machine.engine) {
        "the assumed machine's"
    } else {
        "this machine's"
    }
}

/// What memory gives bounds only what comes from memory.
fn of_bandwidth(share: f64, owner: &str) -> String {
    if share <= 1.0 {
        format!("{:.0} % of {owner} bandwidth", share * 100.0)
    } else {
        format!("more than {owner} memory gives: it came from caches, or was not read")
    }
}

/// Operators over the non-zeros of a sparse matrix compute less than the operators that they stand for.
fn of_products(share: f64) -> String {
    if share <= 1.0 {
        format!("{:.0} % of its products'", share * 100.0)
    } else {
        "more than its products give: what is multiplied by zeros was not computed".to_owned()
    }
}

fn text_of(
    timing: &Timing,
    (estimates, part): (&[f64; 2], Option<&str>),
    machine: &Machine,
    args: &Time,
) -> String {
    // What is computed once was not run, and an estimate has its share of it.
    let share = timing
        .once_ms
        .map_or("", |_| " with its share of what is computed once");
    let side = |name: &str, measured: &Measured, (estimate, of_what): (f64, &str)| {
        let roofline = Roofline::of(measured, machine);
        let outliers = match measured.outliers {
            0 => String::new(),
            n => format!(", {n} of them disturbed"),
        };
        let estimate = comparable(timing, estimate);
        let estimate =
            estimate.map(|seconds| format!(", estimated {}{of_what}", quantity::seconds(seconds)));
        format!(
            "{name:10} median {:>9} (95 %: {} to {}), fastest {:>9}, {} runs{outliers}, peak memory {}{}\n\
             {:10} {}/s, {}; {} FLOP/s, {}\n",
            quantity::seconds(measured.ms_median / 1e3),
            quantity::seconds(measured.ms_low / 1e3),
            quantity::seconds(measured.ms_high / 1e3),
            quantity::seconds(measured.ms_min / 1e3),
            measured.runs,
            quantity::bytes(measured.peak_bytes as f64),
            estimate.unwrap_or_default(),
            "",
            quantity::bytes(roofline.bytes_per_second),
            of_bandwidth(roofline.of_bandwidth, owner(machine)),
            quantity::count(roofline.flops_per_second),
            of_products(roofline.of_peak),
        )
    };
    format!(
        "{}{}{}{}\n",
        side("as written", &timing.original, (estimates[0], "")),
        side("optimized", &timing.optimized, (estimates[1], share)),
        timing.title(part),
        made_up(timing, args),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_share_of_the_products_is_more_than_the_whole() {
        assert_eq!(of_products(0.42), "42 % of its products'");
        assert!(of_products(14.9).starts_with("more than"));
    }

    #[test]
    fn no_share_of_the_bandwidth_is_more_than_the_whole() {
        let assumed = Machine::default();
        let measured = Machine {
            bandwidth: 1e10,
            ..assumed
        };
        for (machine, text) in [
            (assumed, "42 % of the assumed machine's bandwidth"),
            (measured, "42 % of this machine's bandwidth"),
        ] {
            assert_eq!(of_bandwidth(0.42, owner(&machine)), text);
            let more = of_bandwidth(298.3, owner(&machine));
            assert!(!more.contains('%'), "{more}");
        }
    }
}

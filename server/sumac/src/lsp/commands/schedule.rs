//! `sumac.schedule`: loop nests for the largest product on a line, as sketches say them, each run where the workspace is trusted.
//! Its fourth argument is a sketch's name; without it, every sketch that could say loops for a product is tried.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sumac_engine::{EngineError, Limits, LocalEngine, RunNest, TimePair};
use sumac_ide::CancelToken;
use sumac_ide::schedule::{
    NestState, PLAIN, Product, ProductSize, Row, document, loop_sketches, products,
};
use sumac_ide::sketch::Library;
use sumac_runtime::TimingOptions;
use tokio::sync::watch;

use super::{Place, SCHEDULE};
use crate::config::Config;
use crate::lsp::activity::{Task, What};
use crate::lsp::background::{Failure, background};
use crate::lsp::document::Versioned;
use crate::lsp::progress::{Shown, with_reports};
use crate::lsp::sketches;
use crate::lsp::state::Shared;
use crate::lsp::{pipeline, virtual_document};
use crate::{measure, nests};

/// Seconds after which the run of a nest is stopped unless the configuration says otherwise.
const TIME_LIMIT: f64 = 60.0;
/// Bytes that a nest's inputs and its result may take unless the configuration says otherwise.
const MOST_BYTES: f64 = 2e9;
/// Seconds for which the product is timed without a nest.
const PLAIN_SECONDS: f64 = 1.0;

/// Runs the command; the result is `{uri}`, whose text `sumac/document` gives.
///
/// # Errors
/// There is no product or no such sketch, the product's nests are being timed already, or it was cancelled.
pub async fn run(
    shared: &Arc<Shared>,
    place: Place,
    arguments: &[Value],
) -> Result<Value, Failure> {
    let (found, product) = product(shared, &place).await?;
    let wanted = arguments.get(3).and_then(Value::as_str);
    let library = library(shared, &place).await?;
    let known = loop_sketches(&library)
        .into_iter()
        .map(|sketch| sketch.name);
    let names: Vec<String> = match wanted {
        Some(name) => vec![name.to_owned()],
        None => known.collect(),
    };
    let claim = Claim::new(shared, product.size, &names)?;
    pipeline::refresh(shared).await;
    let token = CancelToken::default();
    let (tell, told) = watch::channel(String::new());
    let task = Task::new(
        &shared.activity,
        What::Timing,
        Some(&place.uri),
        token.clone(),
    );
    let search = Search {
        library,
        names,
        size: product.size,
        runner: Runner::new(&found.config, shared.session().trusted),
    };
    let work = background(task, move |token| search.rows(token, &tell));
    let title = format!("Loop nests of {}", place.title());
    let shown = Shown {
        title: &title,
        after: Duration::ZERO,
    };
    let rows = with_reports(shared, shown, token, told, work).await;
    let rows = rows.and_then(|rows| rows.ok_or(Failure::Cancelled));
    let (rows, plain, measured) = match rows {
        Ok(found) => found,
        Err(failure) => {
            drop(claim);
            pipeline::refresh(shared).await;
            return Err(failure);
        }
    };
    claim.end(&rows, plain);
    pipeline::refresh(shared).await;
    let statement = found.snapshot.text()[product.range.start..product.range.end].trim();
    let about = (&*place.title(), statement);
    let text = document(about, product.size, measured, plain, &rows);
    let uri = virtual_document::publish(shared, "loops", &place, text);
    virtual_document::show(shared, &uri).await;
    Ok(json!({ "uri": uri.as_str() }))
}

/// The largest product on a line.
///
/// # Errors
/// There is none, or the script is not open or has changed.
pub async fn product(shared: &Arc<Shared>, place: &Place) -> Result<(Versioned, Product), Failure> {
    let (found, line) = place.line(shared, false).await?;
    let task = shared.task_for(What::Answer, &place.uri);
    let product = background(task, {
        let snapshot = found.snapshot.clone();
        move |_| {
            let all = products(&snapshot, line);
            all.max_by(|a, b| a.size.flops().total_cmp(&b.size.flops()))
        }
    })
    .await?;
    let product = product.ok_or_else(|| {
        Failure::Refused(format!(
            "there is no product of dense matrices with known sizes on line {}",
            place.line + 1
        ))
    })?;
    Ok((found, product))
}

/// The sketches on arrays that a script sees, and those that are always there.
///
/// # Errors
/// The lookup was cancelled.
pub async fn library(shared: &Arc<Shared>, place: &Place) -> Result<Library, Failure> {
    let task = shared.task_for(What::Answer, &place.uri);
    let (keeper, uri) = (Arc::clone(shared), place.uri.clone());
    background(task, move |_| sketches::on_arrays(&keeper, &uri)).await
}

/// What is searched and run, in the background.
struct Search {
    library: Library,
    names: Vec<String>,
    size: ProductSize,
    runner: Runner,
}

/// What sketches came to, the milliseconds of the product without a nest, and the size of all runs.
type Found = (Vec<Row>, Option<f64>, ProductSize);

impl Search {
    /// `None` if it was cancelled.
    fn rows(&self, token: &CancelToken, tell: &watch::Sender<String>) -> Option<Found> {
        let size = self.size.measured(self.runner.most_bytes);
        let mut rows = Vec::new();
        for (i, name) in self.names.iter().enumerate() {
            // Nobody listens to a search that no client shows.
            let _ = tell.send(format!("{name} ({} of {})", i + 1, self.names.len()));
            rows.push(self.row(name, size, token));
            if token.is_cancelled() {
                return None;
            }
        }
        let plain = if rows.iter().any(|row| row.ms.is_some()) {
            self.runner.plain(size, token)
        } else {
            None
        };
        (!token.is_cancelled()).then_some((rows, plain, size))
    }

    fn row(&self, name: &str, measured: ProductSize, token: &CancelToken) -> Row {
        let mut row = Row {
            name: name.to_owned(),
            found: None,
            ms: None,
            missed: None,
        };
        let written = ProductSize::program();
        let ended = (|| {
            let program = nests::search(&written, &self.library, name, token)?;
            let c = |size: ProductSize| {
                let nest = sumac_array::nest::lower_at(&program, &size.sizes())?;
                Ok::<_, String>(sumac_array::nest::c::text(&nest))
            };
            row.found = Some((program.show(), c(self.size)?));
            let job = RunNest {
                written: written.show(),
                found: program.show(),
                sizes: measured.sizes().into_iter().collect(),
                seed: measure::SEED,
                objects: nests::objects(),
                is_checked: true,
                budget: nests::BUDGET,
            };
            row.ms = Some(self.runner.nest(job, token)?);
            Ok::<_, String>(())
        })();
        row.missed = ended.err();
        row
    }
}

/// What runs nests, and how much it may take.
struct Runner {
    is_trusted: bool,
    limits: Limits,
    most_bytes: f64,
}

impl Runner {
    fn new(config: &Config, is_trusted: bool) -> Self {
        let memory = config.run_memory();
        #[expect(clippy::cast_precision_loss, reason = "a bound, not an address")]
        let most_bytes = memory.map_or(MOST_BYTES, |bytes| bytes as f64 / 2.0);
        Runner {
            is_trusted,
            limits: Limits {
                memory_bytes: memory,
                seconds: Some(config.engine.time_limit.map_or(TIME_LIMIT, |limit| limit.0)),
            },
            most_bytes,
        }
    }

    /// The milliseconds of a nest's run.
    fn nest(&self, job: RunNest, token: &CancelToken) -> Result<f64, String> {
        if !self.is_trusted {
            return Err("not run: the workspace is not trusted".to_owned());
        }
        let engine = LocalEngine::current().map_err(|error| error.to_string())?;
        match nests::run(&engine, job, &self.limits, token) {
            Ok(ran) => Ok(ran.median),
            Err(EngineError::Cancelled) => Err("cancelled".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The milliseconds of the product as scripts run it; `None` where that cannot be said.
    fn plain(&self, size: ProductSize, token: &CancelToken) -> Option<f64> {
        let dag = size.dag();
        let job = TimePair {
            options: TimingOptions {
                budget_seconds: PLAIN_SECONDS,
                ..TimingOptions::default()
            },
            ..measure::pair(dag.clone(), dag)
        };
        let engine = LocalEngine::current().ok()?;
        let timing = measure::time(&engine, job, &self.limits, token, &mut |_| {}).ok()?;
        (timing.scale >= 1.0).then_some(timing.original.ms_median)
    }
}

/// The nests of a size that are being timed. Whatever ends the runs, the lens does not stay at "timing".
struct Claim<'a> {
    shared: &'a Shared,
    size: ProductSize,
    before: Vec<(String, Option<NestState>)>,
}

impl<'a> Claim<'a> {
    fn new(shared: &'a Shared, size: ProductSize, names: &[String]) -> Result<Self, Failure> {
        let known = shared.nests();
        let known = known.get(&size);
        let before = names.iter().map(|name| {
            let state = known.and_then(|known| known.get(name).cloned());
            (name.clone(), state)
        });
        let before: Vec<(String, Option<NestState>)> = before.collect();
        if let Some((name, _)) = before
            .iter()
            .find(|(_, state)| *state == Some(NestState::Running))
        {
            return Err(Failure::Refused(format!(
                "{SCHEDULE}: the nest of {name} is being timed already"
            )));
        }
        for name in names {
            shared.set_nest(size, name, Some(NestState::Running));
        }
        Ok(Claim {
            shared,
            size,
            before,
        })
    }

    /// Records what the sketches came to, and the time of the product without one.
    fn end(mut self, rows: &[Row], plain: Option<f64>) {
        let state = |row: &Row| match (row.ms, &row.missed) {
            (Some(ms), _) => NestState::Timed(ms),
            (None, missed) => NestState::Failed(missed.clone().unwrap_or_default()),
        };
        self.before = rows
            .iter()
            .map(|row| (row.name.clone(), Some(state(row))))
            .collect();
        if let Some(plain) = plain {
            let timed = (PLAIN.to_owned(), Some(NestState::Timed(plain)));
            self.before.push(timed);
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        for (name, state) in self.before.drain(..) {
            self.shared.set_nest(self.size, &name, state);
        }
    }
}

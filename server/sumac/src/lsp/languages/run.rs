//! From a changed text to diagnostics and hints, in the background.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sumac_advice::{NoSuggestion, suggest};
use sumac_ide::CancelToken;
use sumac_ide::expressions::{File, Found, diagnostics};
use sumac_language::{Expression, Language};
use sumac_text::{LineIndex, TextRange};
use tower_lsp::ls_types::Uri;

use crate::lsp::activity::{Task, What};
use crate::lsp::background::{Failure, background};
use crate::lsp::convert::Converter;
use crate::lsp::pipeline::refresh;
use crate::lsp::requests::diagnostic;
use crate::lsp::state::Shared;
use crate::lsp::to_proto;

/// Between two times that a client is told of new hints while a search goes on.
const TOLD_EVERY: Duration = Duration::from_millis(300);

/// What a run works on.
#[derive(Clone)]
struct Run {
    shared: Arc<Shared>,
    uri: Uri,
    language: &'static dyn Language,
    version: i32,
    lines: LineIndex,
    token: CancelToken,
}

/// Starts the run for the document's present text.
pub(super) fn start(shared: &Arc<Shared>, uri: &Uri) {
    let run = shared.languages.lock().open.get(uri).map(|open| Run {
        shared: Arc::clone(shared),
        uri: uri.clone(),
        language: open.language,
        version: open.version,
        lines: open.lines.clone(),
        token: open.token.clone(),
    });
    let Some(run) = run else {
        return;
    };
    tokio::spawn(async move {
        match run.go().await {
            Ok(()) | Err(Failure::Cancelled) => {}
            Err(Failure::Panicked(text) | Failure::Refused(text)) => {
                tracing::error!("the analysis of {} failed: {text}", run.uri.as_str());
            }
        }
    });
}

impl Run {
    fn task(&self, what: What) -> Task {
        Task::new(
            &self.shared.activity,
            what,
            Some(&self.uri),
            self.token.clone(),
        )
    }

    async fn go(&self) -> Result<(), Failure> {
        let run = self.clone();
        let file = background(self.task(What::Analysis), move |_| {
            let analysis = Arc::new(run.language.read(run.lines.text()));
            // What is remembered is there at once.
            let known = analysis
                .expressions
                .iter()
                .map_while(|one| run.shared.languages.found(&one.key));
            File {
                language: run.language,
                lines: run.lines,
                found: known.collect(),
                analysis,
            }
        })
        .await?;
        if !self
            .shared
            .languages
            .store(&self.uri, self.version, file.clone())
        {
            return Ok(());
        }
        self.shared.edited();
        self.publish(&file).await;
        refresh(&self.shared).await;
        self.search(file).await
    }

    /// Tells the client what is wrong.
    async fn publish(&self, file: &File) {
        let encoding = self.shared.session().encoding;
        let converter = Converter::new(&file.lines, encoding);
        let found = diagnostics(self.language, file.text(), &file.analysis, false).into_iter();
        let items = found
            .map(|one| to_proto::diagnostic(&converter, &self.uri, one))
            .collect();
        let (shared, uri, version) = (&self.shared, &self.uri, self.version);
        let is_present = || {
            shared
                .languages
                .present(uri)
                .is_some_and(|(present, _)| present == version)
        };
        diagnostic::publish(shared, uri, items, Some(version), is_present).await;
    }

    /// Searches one expression after the other, and tells the client from time to time.
    async fn search(&self, mut file: File) -> Result<(), Failure> {
        let mut told = Instant::now();
        let mut is_new = false;
        while file.found.len() < file.analysis.expressions.len() {
            let (run, analysis, at) = (self.clone(), Arc::clone(&file.analysis), file.found.len());
            let found = background(self.task(What::Search), move |token| {
                let expression = &analysis.expressions[at];
                let known = run.shared.languages.found(&expression.key);
                known.unwrap_or_else(|| {
                    let found = Arc::new(relative(suggest(expression, token), expression));
                    if !token.is_cancelled() {
                        run.shared
                            .languages
                            .remember(expression.key.clone(), &found);
                    }
                    found
                })
            })
            .await?;
            if self.token.is_cancelled() {
                return Ok(());
            }
            is_new |= found.is_ok();
            file.found.push(found);
            let is_last = file.found.len() == file.analysis.expressions.len();
            if is_new && (is_last || told.elapsed() > TOLD_EVERY) {
                if !self
                    .shared
                    .languages
                    .store(&self.uri, self.version, file.clone())
                {
                    return Ok(());
                }
                refresh(&self.shared).await;
                (told, is_new) = (Instant::now(), false);
            }
        }
        self.shared.languages.store(&self.uri, self.version, file);
        Ok(())
    }
}

/// What was found, in places from the start of its expression on: so it is the same wherever that stands.
fn relative(
    found: Result<Vec<sumac_advice::Suggestion>, NoSuggestion>,
    expression: &Expression,
) -> Found {
    let start = expression.range.start;
    let back = |range: TextRange| TextRange {
        start: range.start.saturating_sub(start),
        end: range.end.saturating_sub(start),
    };
    found.map(|mut all| {
        for one in &mut all {
            one.range = back(one.range);
            one.edit.range = back(one.edit.range);
        }
        all
    })
}

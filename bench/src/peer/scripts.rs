//! The scripts of a checkout, and work on them over two threads in a fixed order of results.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;

use crate::corpus;

/// The scripts below `checkout`, by their paths in it.
///
/// # Errors
/// As [`corpus::scripts`].
pub(crate) fn below(checkout: &Path) -> Result<Vec<PathBuf>> {
    let in_checkout = |path: PathBuf| Ok(path.strip_prefix(checkout)?.to_owned());
    corpus::scripts(checkout)?
        .into_iter()
        .map(in_checkout)
        .collect()
}

/// `work` on each item over two threads, each with a state of its own that `start` makes; results in the items' order.
///
/// # Errors
/// The first error of `start` or `work`.
pub(crate) fn on_two_threads<I: Sync, S, R: Send>(
    items: &[I],
    start: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, &I) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let walk = || -> Result<()> {
        let mut state = start()?;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return Ok(());
            };
            let result = work(&mut state, item)?;
            if let Ok(mut all) = results.lock() {
                all.push((at, result));
            }
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(walk);
        let here = walk();
        let there = other
            .join()
            .map_err(|_| anyhow::anyhow!("a worker panicked"))?;
        here.and(there)
    })?;
    let mut all = results
        .into_inner()
        .map_err(|_| anyhow::anyhow!("a worker panicked"))?;
    all.sort_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}

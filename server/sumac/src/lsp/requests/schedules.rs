//! `sumac/schedules`: the sketches that say loops for the product on a line, for a client that lets the person choose one.
//!
//! Parameters `{uri, line, version}`; result `{title, items: [{title, detail, sketch}]}`. The client lets the person choose an item
//! and runs `sumac.schedule` with the same place and the item's sketch, which is `null` for all of them. A client that
//! offers this says `picksSchedules` in its `initializationOptions`, and has the command `sumac.pickSchedule`, whose
//! arguments are the parameters.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sumac_ide::quantity;
use sumac_ide::schedule::{LoopSketch, NestState, loop_sketches};
use tower_lsp::ls_types::Uri;

use crate::lsp::background::Failure;
use crate::lsp::commands::{Place, schedule};
use crate::lsp::state::Shared;

/// The method's name.
pub const METHOD: &str = "sumac/schedules";

/// Which statement.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct SchedulesParams {
    /// The document.
    pub uri: Uri,
    /// A line of the statement, from 0.
    pub line: u32,
    /// The version of the text that the person saw. Another one is refused.
    pub version: Option<i32>,
}

/// What there is to choose from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SchedulesResult {
    /// What is chosen.
    pub title: String,
    /// All of them first, then each.
    pub items: Vec<Item>,
}

/// A sketch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Item {
    /// Its name.
    pub title: String,
    /// What it says, and what its nest took here.
    pub detail: String,
    /// Its name, or nothing for all sketches.
    pub sketch: Option<String>,
}

/// Answers the request.
///
/// # Errors
/// There is no product on the line, or the script is not open or has changed.
pub async fn handle(
    shared: &Arc<Shared>,
    params: SchedulesParams,
) -> Result<SchedulesResult, Failure> {
    let SchedulesParams { uri, line, version } = params;
    let place = Place {
        uri,
        line,
        character: None,
        version,
    };
    let (_, product) = schedule::product(shared, &place).await?;
    let sketches = loop_sketches(&schedule::library(shared, &place).await?);
    let known = shared.nests();
    let known = known.get(&product.size);
    let all = Item {
        title: "all of them".to_owned(),
        detail: format!("{} loop nests, one after the other", sketches.len()),
        sketch: None,
    };
    let item = |LoopSketch { name, doc }: LoopSketch| {
        let took = match known.and_then(|known| known.get(&name)) {
            Some(NestState::Timed(ms)) => format!("{} here. ", quantity::seconds(ms / 1e3)),
            Some(NestState::Running) => "timing … ".to_owned(),
            Some(NestState::Failed(why)) => format!("{why}. "),
            None => String::new(),
        };
        Item {
            title: name.clone(),
            detail: format!("{took}{doc}"),
            sketch: Some(name),
        }
    };
    Ok(SchedulesResult {
        title: format!("Loops for a product, {}", product.size.shown()),
        items: std::iter::once(all)
            .chain(sketches.into_iter().map(item))
            .collect(),
    })
}

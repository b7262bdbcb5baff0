//! The server's commands. Each takes `[uri, line, version]` (the line counts from 0; where a line holds several statements, a
//! position stands in its place) and waits for the suggestions of the
//! document's present text, so that it never acts on an earlier one. Where a version is given, any other is refused.

pub mod alternatives;
pub mod apply;
pub mod apply_all;
pub mod explain;
pub mod fusion;
mod names;
mod place;
pub mod schedule;
pub mod sketch;
pub mod time;
pub mod why_none;

use std::sync::Arc;

use serde_json::Value;

use super::background::Failure;
use super::state::Shared;
pub use names::{
    ALL, ALTERNATIVES, APPLY, APPLY_ALL, EXPLAIN, FUSION, PICK_ALTERNATIVE, PICK_SCHEDULE,
    SCHEDULE, SKETCH, TIME, WHY_NONE,
};
pub use place::Place;

/// Runs a command.
///
/// # Errors
/// There is no such command, its arguments are wrong, or it cannot be done.
pub async fn run(shared: &Arc<Shared>, name: &str, arguments: &[Value]) -> Result<Value, Failure> {
    let place = Place::read(name, arguments)?;
    match name {
        TIME => time::run(shared, place).await,
        EXPLAIN => explain::run(shared, place).await,
        FUSION => fusion::run(shared, place).await,
        APPLY => apply::run(shared, place).await,
        APPLY_ALL => apply_all::run(shared, place).await,
        ALTERNATIVES => alternatives::run(shared, place, arguments).await,
        SKETCH => sketch::run(shared, place, arguments).await,
        SCHEDULE => schedule::run(shared, place, arguments).await,
        WHY_NONE => why_none::run(shared, place).await,
        _ => Err(Failure::Refused(format!(
            "there is no command {name:?}; there are {}",
            ALL.join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_a_uri_and_a_line() {
        let place = Place::read(TIME, &[json!("file:///a.dml"), json!(7)]).unwrap();
        assert_eq!((place.uri.as_str(), place.line), ("file:///a.dml", 7));
        assert_eq!(place.version, None);
        let place = Place::read(TIME, &[json!("file:///a.dml"), json!(7), json!(3)]).unwrap();
        assert_eq!((place.version, &*place.title()), (Some(3), "a.dml:8"));
        assert_eq!(place.character, None);
        let at = json!({"line": 7, "character": 12});
        let place = Place::read(TIME, &[json!("file:///a.dml"), at]).unwrap();
        assert_eq!((place.line, place.character), (7, Some(12)));
        for bad in [
            vec![],
            vec![json!(1), json!(2)],
            vec![json!("file:///a.dml"), json!(-1)],
        ] {
            assert!(
                matches!(Place::read(TIME, &bad), Err(Failure::Refused(_))),
                "{bad:?}"
            );
        }
    }
}

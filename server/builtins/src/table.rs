//! The rows, read once, and looked up by name.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::model::{Builtin, Group};
use crate::parse;

/// The files of the table: whatever stands in one is of its group.
const FILES: &[(Group, &str)] = &[
    (Group::Aggregates, include_str!("../table/aggregates.sig")),
    (Group::Cellwise, include_str!("../table/cellwise.sig")),
    (Group::Reorganize, include_str!("../table/reorganize.sig")),
    (Group::Casts, include_str!("../table/casts.sig")),
    (Group::Io, include_str!("../table/io.sig")),
    (Group::Construct, include_str!("../table/construct.sig")),
    (
        Group::LinearAlgebra,
        include_str!("../table/linear_algebra.sig"),
    ),
    (
        Group::NeuralNetworks,
        include_str!("../table/neural_networks.sig"),
    ),
    (Group::Frames, include_str!("../table/frames.sig")),
    (Group::Control, include_str!("../table/control.sig")),
    (Group::Statistics, include_str!("../table/statistics.sig")),
    (Group::Regression, include_str!("../table/regression.sig")),
    (
        Group::Classification,
        include_str!("../table/classification.sig"),
    ),
    (Group::Clustering, include_str!("../table/clustering.sig")),
    (Group::Reduction, include_str!("../table/reduction.sig")),
    (Group::TimeSeries, include_str!("../table/time_series.sig")),
    (Group::Cleaning, include_str!("../table/cleaning.sig")),
    (Group::Preparation, include_str!("../table/preparation.sig")),
    (Group::Metrics, include_str!("../table/metrics.sig")),
    (Group::Tuning, include_str!("../table/tuning.sig")),
    (Group::Images, include_str!("../table/images.sig")),
    (Group::Graphs, include_str!("../table/graphs.sig")),
];

/// What parameters mean that are the same wherever they occur.
const GLOSSARY: &str = include_str!("../table/glossary.sig");

struct Table {
    rows: Vec<Builtin>,
    /// From a name or alias to a row.
    places: HashMap<&'static str, usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let glossary = parse::glossary(GLOSSARY);
    let mut rows = Vec::new();
    for (group, text) in FILES {
        let read = parse::rows(*group, text, &glossary);
        rows.extend(read.unwrap_or_else(|error| panic!("the table of {group}: {error}")));
    }
    rows.sort_by_key(|row: &Builtin| row.name);
    let places = rows.iter().enumerate();
    let places = places.flat_map(|(i, row)| row.names().map(move |name| (name, i)));
    Table {
        places: places.collect(),
        rows,
    }
});

/// All builtins, sorted by name.
#[must_use]
pub fn all() -> &'static [Builtin] {
    &TABLE.rows
}

/// The builtin of that name, or that has it as an alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    TABLE.places.get(name).map(|place| &TABLE.rows[*place])
}

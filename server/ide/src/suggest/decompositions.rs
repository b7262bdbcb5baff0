//! What statements compute beside their expressions of linear algebra and both forms compute all the same: inverses, solutions
//! of systems and other decompositions. A gain is a share of the whole. Must never look at forms.

use sumac_la::{Cost, Machine};
use sumac_syntax::text::TextRange;

use super::group::Group;
use super::site::Site;

/// FLOPs of a decomposition of n rows, as a multiple of n³ (Golub and Van Loan, *Matrix Computations*, 4th edition).
const WORK: [(&str, f64); 8] = [
    ("inv", 2.0),
    ("solve", 2.0 / 3.0),
    ("cholesky", 1.0 / 3.0),
    ("det", 2.0 / 3.0),
    ("lu", 2.0 / 3.0),
    ("qr", 4.0 / 3.0),
    ("eigen", 9.0),
    ("svd", 21.0),
];

/// The cost of the decompositions in the statements of a group. `None` where there are none of known size.
pub(super) fn cost(site: Site<'_>, group: &Group<'_>, machine: &Machine) -> Option<Cost> {
    let statements = group.members.iter();
    let statements = statements.map(|place| site.block.statements[*place].range);
    let all = statements.flat_map(|range| in_statement(site, range));
    let flops: f64 = all.sum();
    (flops > 0.0).then(|| Cost {
        flops,
        seconds: flops / machine.product_flops,
        ..Cost::default()
    })
}

/// FLOPs of each decomposition in a range of the unit.
fn in_statement(site: Site<'_>, statement: TextRange) -> Vec<f64> {
    let text = &site.text()[statement.start..statement.end];
    let mut found = Vec::new();
    for (name, share) in WORK {
        for (at, _) in text.match_indices(name) {
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ':';
            if text[..at].ends_with(is_word) || !text[at + name.len()..].starts_with('(') {
                continue;
            }
            if let Some(rows) = site.rows_at(statement.start + at + name.len() + 1) {
                found.push(share * rows.powi(3));
            }
        }
    }
    found
}

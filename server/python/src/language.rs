//! Python as a language of the product: what reading gives, with prices and a way to write in each place.

use std::sync::Arc;

use sumac_language::{Analysis, Expression, Language};
use sumac_text::SyntaxError;

use crate::env::Env;
use crate::lower::lower;
use crate::notation::{Place, Reader};
use crate::price::price;
use crate::read::expression;
use crate::site::Site;
use crate::tree::Tree;
use crate::value::DType;

/// Python with NumPy.
#[derive(Clone, Copy, Debug)]
pub struct Python;

/// Reads where an expression stands.
#[derive(Debug)]
struct Here(Arc<Env>);

impl Reader for Here {
    fn tree(&self, text: &str) -> Option<Tree> {
        expression(text, &self.0)
    }
}

impl Language for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["py"]
    }

    fn read(&self, text: &str) -> Analysis {
        let reading = crate::read(text);
        let sites = reading.sites.into_iter();
        Analysis {
            diagnostics: reading.diagnostics,
            facts: reading.facts,
            expressions: sites.filter_map(|site| priced(site, text)).collect(),
        }
    }

    fn syntax_errors(&self, text: &str) -> Vec<SyntaxError> {
        crate::parse::program(text).errors
    }
}

/// A comment would be lost; and what these functions cost is not what the steps cost that they stand for.
const LEFT_ALONE: [&str; 3] = ["#", "einsum", "multi_dot"];

/// Whether 32-bit floats stand beside others: a sum that moves from the one to the other loses digits.
fn has_mixed_floats(tree: &Tree) -> bool {
    let kinds = tree
        .nodes()
        .filter(|node| !node.value.is_weak)
        .map(|node| node.value.dtype);
    let (mut narrow, mut wide) = (false, false);
    for kind in kinds {
        narrow |= kind == DType::Float32;
        wide |= matches!(kind, DType::Float64 | DType::Assumed);
    }
    narrow && wide
}

/// An expression whose sizes all have names or numbers; others have no price.
fn priced(site: Site, text: &str) -> Option<Expression> {
    let (dag, price) = (lower(&site.tree)?, price(&site.tree)?);
    let text: Arc<str> = text.get(site.range.start..site.range.end)?.into();
    if has_mixed_floats(&site.tree) || LEFT_ALONE.iter().any(|word| text.contains(word)) {
        return None;
    }
    let key = format!(
        "{text}\n{:?}\n{:?}\n{} {:?} {:?}",
        site.tree, site.style, site.is_bare, site.assumes, site.order
    );
    Some(Expression {
        range: site.range,
        statement: site.statement,
        function: site.function,
        key,
        dag,
        price,
        assumes: site.assumes,
        order: site.order,
        notation: Arc::new(Place {
            tree: site.tree,
            text,
            style: site.style,
            range: site.range,
            is_bare: site.is_bare,
            reader: Arc::new(Here(site.env)),
        }),
    })
}

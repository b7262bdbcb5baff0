//! Facts against what is known: refinements, contradictions, and the facts behind shapes that do not fit.

use std::sync::Arc;

use sumac_la::{Dim, ShapeError, Type};
use sumac_syntax::ast::Expr;

use crate::analyzer::Analyzer;
use crate::equality::Equality;
use crate::expr::Operand;
use crate::names;
use crate::provenance::{Origin, Provenance};
use crate::result::{Severity, codes};
use crate::sites::{SizeFact, disagreement};
use crate::value::{ValueInfo, ValueKind};

/// More places than these explain nothing.
const MOST_RELATED: usize = 6;

/// What became of a fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// More is known by it.
    Refines,
    /// It says what was known.
    SaysNothing,
    /// It cannot be true.
    Ignored,
}

impl Analyzer<'_> {
    /// What is known of a value with a fact about it, and what became of that. `source` is who else speaks; what the script
    /// computes is not up to a fact.
    pub(crate) fn apply_fact(
        &mut self,
        mut info: ValueInfo,
        fact: &SizeFact,
        source: &str,
    ) -> (ValueInfo, Effect) {
        // Of what the program computes, and does not read, a fact says how it was in some run.
        let is_computed = info.kind == ValueKind::Matrix && info.unsized_read.is_none();
        let is_known_scalar = info.kind.is_scalar() && info.kind != ValueKind::Scalar;
        if is_known_scalar || info.kind == ValueKind::List {
            let message = format!(
                "`{}` is stated to be {} x {} ({}), but it is a {} ({source})",
                fact.name,
                fact.rows,
                fact.cols,
                fact.label,
                info.kind.name()
            );
            self.report(
                Severity::Error,
                codes::CONTRADICTING_FACT,
                fact.range,
                message,
            );
            return (info, Effect::Ignored);
        }
        if !matches!(info.kind, ValueKind::Matrix | ValueKind::Frame) {
            info = ValueInfo::of(ValueKind::Matrix);
        }
        // A propagated sparsity is an estimate: a fact may be better, it never contradicts it.
        let firm = info.sparsity.filter(|_| info.origin.is_some());
        if let Some(what) = disagreement(
            (&fact.rows, &fact.cols, fact.sparsity, &fact.label),
            (&info.rows, &info.cols, firm, source),
        ) {
            let name = &fact.name;
            let message = format!("this fact about `{name}` does not hold, and is ignored: {what}");
            self.report(
                Severity::Error,
                codes::CONTRADICTING_FACT,
                fact.range,
                message,
            );
            return (info, Effect::Ignored);
        }
        let pick = |stated: &Dim, known: &Dim| match (stated, known) {
            (Dim::Unknown, _) => known.clone(),
            (Dim::Named(_), Dim::Known(_)) => known.clone(),
            _ => stated.clone(),
        };
        let (rows, cols) = (pick(&fact.rows, &info.rows), pick(&fact.cols, &info.cols));
        let sparsity = fact.sparsity.or(info.sparsity);
        let says_one = |stated: &Dim, known: &Dim| stated.is_one() && !known.is_one();
        if is_computed && (says_one(&rows, &info.rows) || says_one(&cols, &info.cols)) {
            info.is_assumed = true;
        }
        let refined = (&rows, &cols, sparsity.map(f64::to_bits))
            != (&info.rows, &info.cols, info.sparsity.map(f64::to_bits));
        info.rows = rows;
        info.cols = cols;
        info.sparsity = sparsity;
        if fact.sparsity.is_none() {
            let limits = info.limits;
            info = info.within(limits);
        }
        if fact.sparsity.is_some() {
            info.provenance = Provenance::of(&fact.name, Some(Arc::clone(&fact.label)));
        }
        info.origin = Some(Origin {
            label: Arc::clone(&fact.label),
            range: fact.range,
            sizes: fact.sizes.clone(),
        });
        info.unsized_read = None;
        let effect = if refined {
            Effect::Refines
        } else {
            Effect::SaysNothing
        };
        (info, effect)
    }

    /// Tells of shapes that do not fit, and of the two facts that they come from.
    pub(crate) fn mismatch(&mut self, expr: &Expr, error: &ShapeError, operands: &[Operand<'_>]) {
        if !self.recording {
            return;
        }
        let mut related = Vec::new();
        let mut facts: Vec<Origin> = Vec::new();
        for (operand, _) in operands {
            names::for_each_read(operand, &mut |ident| {
                let Some(var) = self.env.get(&ident.name) else {
                    return;
                };
                if var.info.kind != ValueKind::Matrix || related.len() >= MOST_RELATED {
                    return;
                }
                let ty = Type {
                    sparsity: None,
                    ..var.info.ty()
                };
                let from = match &var.info.origin {
                    Some(origin) => format!(" ({})", origin.label),
                    None => String::new(),
                };
                let range = match (&var.info.origin, var.first_definition()) {
                    (Some(origin), _) if !origin.range.is_empty() => origin.range,
                    (_, Some(def)) => def,
                    _ => return,
                };
                let entry = (range, format!("`{}` is {ty}{from}", ident.name));
                if !related.contains(&entry) {
                    related.push(entry);
                    facts.extend(
                        var.info
                            .origin
                            .clone()
                            .filter(|o| o.label.starts_with("#@")),
                    );
                }
            });
            names::for_each_read(operand, &mut |ident| {
                let about = |e: &&Equality| e.variable() == Some(&*ident.name);
                for equality in self.equalities.iter().filter(about) {
                    let text = format!("`{}` is {} since this", equality.name, equality.to);
                    let entry = (equality.range, text);
                    if related.len() < MOST_RELATED && !related.contains(&entry) {
                        related.push(entry);
                    }
                }
            });
        }
        let message = error.to_string();
        self.report_with(
            Severity::Error,
            codes::SHAPE_MISMATCH,
            expr.range,
            message,
            related,
        );
        facts.sort_by_key(|origin| origin.range);
        facts.dedup();
        if let [.., first, last] = facts.as_slice() {
            let message = format!(
                "this size ({}) and the one of {} make `{}` impossible: {error}",
                last.label,
                first.label,
                self.normal_text(expr.range),
            );
            let related = vec![(expr.range, "the impossible operation".to_owned())];
            self.report_with(
                Severity::Warning,
                codes::CONTRADICTING_FACT,
                last.range,
                message,
                related,
            );
        }
    }
}

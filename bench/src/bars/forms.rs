//! Expressions whose better forms were published: what is suggested costs no more than the published form.
//!
//! Both costs are estimated here, from the scripts, on the same machine: the program's own figures are not used.

use anyhow::Result;
use sumac_cost::Cost;

use super::analysed::Analysed;
use super::losses::{COSTS, apply};
use super::sumac::Sumac;
use crate::report::Report;

type Figure = (&'static str, fn(&Cost) -> f64);

const FLOPS: Figure = ("FLOPs", |cost| cost.flops);
const NNZ: Figure = ("nnz", |cost| cost.nnz);
const BYTES: Figure = ("bytes", |cost| cost.bytes);

/// An expression and the form to beat.
struct Form {
    facts: &'static str,
    inputs: &'static [&'static str],
    written: &'static str,
    published: &'static str,
    figures: &'static [Figure],
}

const FORMS: [Form; 3] = [
    Form {
        facts: "#@ X: 20000 x 10000, sparsity 0.001\n#@ U: 20000 x 10\n#@ V: 10000 x 10\n",
        inputs: &["X", "U", "V"],
        written: "(U %*% t(V) - X) %*% V",
        published: "U %*% (t(V) %*% V) - X %*% V",
        figures: &[FLOPS, NNZ],
    },
    Form {
        facts: "#@ W: 20000 x 10\n#@ H: 10 x 10000\n",
        inputs: &["W", "H"],
        written: "sum(W %*% H)",
        published: "sum(t(colSums(W)) * rowSums(H))",
        figures: &[FLOPS, NNZ],
    },
    // With the vector on the right: SystemDS takes no other.
    Form {
        facts: "#@ P: 200000 x 1\n#@ X: 200000 x 100\n",
        inputs: &["P", "X"],
        written: "X * P - X * (P * rowSums(P))",
        published: "X * (P * (1 - P))",
        figures: &[BYTES, NNZ],
    },
];

impl Form {
    fn script(&self, expression: &str) -> String {
        let reads: String = self
            .inputs
            .iter()
            .map(|name| format!("{name} = read(${name})\n"))
            .collect();
        format!("{}{reads}Y = {expression}\nwrite(Y, $Y)\n", self.facts)
    }
}

pub(super) fn measure(report: &mut Report, sumac: &Sumac) {
    for form in &FORMS {
        for cost in COSTS {
            let name = format!("{} --cost {}", form.written, cost.unwrap_or("(default)"));
            let target = format!("no more than {}", form.published);
            let costs = costs(sumac, form, cost);
            let Some((published, found, text)) = report.expect(&name, &target, costs) else {
                continue;
            };
            report.note(&text);
            for (what, figure) in form.figures {
                let (most, seen) = (figure(&published), figure(&found));
                report.bar(
                    &format!("{name}, {what}"),
                    &format!("{seen:.4e}"),
                    &format!("<= {most:.4e} of {}", form.published),
                    seen <= most,
                );
            }
        }
    }
}

/// The cost of the published form, of the suggested one, and what is suggested. Without a suggestion the original is
/// what would run.
fn costs(sumac: &Sumac, form: &Form, cost: Option<&str>) -> Result<(Cost, Cost, String)> {
    let folder = tempfile::tempdir()?;
    let (suggestion, applied) = apply(sumac, folder.path(), &form.script(form.written), cost)?;
    let published = Analysed::new(&form.script(form.published))?.cost()?;
    let found = Analysed::new(&applied)?.cost()?;
    let text = suggestion.map_or("there is no suggestion".to_owned(), |s| {
        format!("{} ⇒ {}", s.original, s.optimized)
    });
    Ok((published, found, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_form_is_cheaper_than_what_it_replaces() {
        for form in &FORMS {
            let cost = |text| Analysed::new(&form.script(text)).unwrap().cost().unwrap();
            let (written, published) = (cost(form.written), cost(form.published));
            for (what, figure) in form.figures {
                assert!(
                    figure(&written) > figure(&published),
                    "{}: {what}",
                    form.written
                );
            }
        }
    }
}

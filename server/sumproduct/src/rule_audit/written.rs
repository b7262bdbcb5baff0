//! What makes a form readable, by itself: signs and factors, transposes, means, sums in reading order, and what the language cannot
//! say as it stands. None of it is a rule of the search, and all of it changes what a person reads.
//!
//! Each row is an expression before and after, and near misses that stay as they are. Steps that have no row are seen by
//! [`every_rule_fires_and_keeps_the_value_over_all_small_shapes`](super), which evaluates every form as it is written.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sumac_la::Dag;

use super::digits::{INSTANCES, Worst};
use super::write::{Instance, Text};
use super::{Counts, SEED, agreement_over, whole_numbers};
use crate::normalized::normalized;
use crate::tidy::tidy;

/// What rewrites a form.
#[derive(Clone, Copy, Debug)]
enum Pass {
    Tidy,
    Order,
    Write,
}

use Pass::{Order, Tidy, Write};

impl Pass {
    /// `None` where the language cannot say it.
    fn of(self, dag: &Dag) -> Option<Dag> {
        match self {
            Tidy => Some(tidy(dag)),
            Order => Some(normalized(dag)),
            Write => dag.writable(&|_| false).ok(),
        }
    }
}

struct Step {
    name: &'static str,
    pass: Pass,
    before: &'static str,
    /// As it is printed over some of the shapes.
    after: &'static str,
    /// What stays as it is.
    misses: &'static [&'static str],
}

const fn step(
    name: &'static str,
    pass: Pass,
    before: &'static str,
    after: &'static str,
    misses: &'static [&'static str],
) -> Step {
    Step {
        name,
        pass,
        before,
        after,
        misses,
    }
}

#[rustfmt::skip]
const STEPS: &[Step] = &[
    step("tidy-numbers",           Tidy, "A + (2 - 2)",          "A",              &["A + B"]),
    step("tidy-plus-zero",         Tidy, "A + 0",                "A",              &["A + 1", "A - 1"]),
    step("tidy-zero-minus",        Tidy, "0 - A",                "-A",             &["1 - A"]),
    step("tidy-negative-number",   Tidy, "A - (-5)",             "A + 5",          &["A - 5"]),
    step("tidy-negative-summand",  Tidy, "A + (-0.25) * B",      "A - 0.25 * B",   &["A + 0.25 * B"]),
    step("tidy-negative-first",    Tidy, "-A + B",               "B - A",          &["-A - B", "-A + B where A: 2 x 3, B: 1 x 3"]),
    step("tidy-negated-difference", Tidy, "-(A - B)",            "B - A",          &["-(A + B)", "-(A - B) where A: 2 x 3, B: 1 x 3"]),
    step("tidy-negated-multiple",  Tidy, "-(2 * A)",             "-2 * A",         &["-exp(A)"]),
    step("tidy-two-negatives",     Tidy, "(-A) * (-B)",          "A * B",          &["exp(A) * B"]),
    step("tidy-reciprocal",        Tidy, "A * (1 / B)",          "A / B",          &["A * (2 / B)"]),
    step("tidy-times-one",         Tidy, "1 * A",                "A",              &["2 * A"]),
    step("tidy-multiples",         Tidy, "2 * (0.5 * A)",        "A",              &["2 * (0.5 + A)"]),
    step("tidy-times-minus-one",   Tidy, "(-1) * A",             "-A",             &["(-2) * A"]),
    step("tidy-multiple-quotient", Tidy, "3 * (A / 3)",          "A",              &["3 * (A / 2)"]),
    step("tidy-over-one",          Tidy, "A / 1",                "A",              &["A / 2"]),
    step("tidy-quotient-multiple", Tidy, "(3 * A) / 3",          "A",              &["(3 * A) / 2"]),
    step("tidy-quotient-negative", Tidy, "((-3) * A) / 3",       "-A",             &["((-3) * A) / 2"]),
    step("tidy-power-of-one",      Tidy, "A^1",                  "A",              &["A^2", "1^A"]),
    step("tidy-mean",              Tidy, "sum(A) / 6",           "mean(A)",        &["sum(A) / 5 where A: 2 x 3"]),
    step("tidy-row-means",         Tidy, "rowSums(A) / 3",       "rowMeans(A)",    &["rowSums(A) / 3 where A: 3 x 2"]),
    step("tidy-column-means",      Tidy, "colSums(A) / 3",       "colMeans(A)",    &["colSums(A) / 3 where A: 2 x 3"]),
    step("tidy-smaller-of-one",    Tidy, "min(A, A)",            "A",              &["min(A, 2)"]),
    step("tidy-larger-of-one",     Tidy, "max(A, A)",            "A",              &["max(A, -A)"]),
    step("tidy-turned-twice",      Tidy, "t(t(A))",              "A",              &["t(exp(A)) where A: 2 x 3"]),
    step("tidy-turned-product",    Tidy, "t(t(A) %*% B)",        "t(B) %*% A",     &["t(exp(A) %*% exp(B)) where A: 2 x 3, B: 3 x 2"]),
    step("tidy-turned-sums",       Tidy, "t(rowSums(t(A)))",     "colSums(A)",     &["t(rowSums(A)) where A: 2 x 3"]),
    step("tidy-turned-cells",      Tidy, "t(exp(t(A)))",         "exp(A)",         &["t(exp(A)) where A: 3 x 3"]),
    step("tidy-turned-repeated",   Tidy, "t(t(A) * B)",          "A * t(B)",       &["t(A * B) where A: 2 x 3, B: 2 x 3"]),
    step("tidy-scalar-of-matrix",  Tidy, "as.scalar(as.matrix(A))", "A",           &["as.scalar(A) where A: 1 x 1"]),
    step("tidy-sum-of-one",        Tidy, "rowSums(A)",           "A",              &["rowSums(A) where A: 2 x 3", "colSums(A) where A: 2 x 1"]),
    step("tidy-sum-of-multiple",   Tidy, "sum(2 * A)",           "2 * sum(A)",     &["sum(2 + A) where A: 2 x 3"]),
    step("tidy-sum-of-product-with-multiple", Tidy, "sum(A * (2 * B)) where A: 2 x 3, B: 2 x 3", "2 * sum(A * B)", &["sum(A * (2 + B)) where A: 2 x 3, B: 2 x 3", "sum(A * (max(B) * B)) where A: 2 x 3, B: 2 x 3"]),
    step("tidy-multiple-of-multiple", Tidy, "(-A) * (-2 * B)",  "2 * (A * B)",    &["A * (-2 * B)", "exp(A) * (2 * B)"]),
    step("tidy-sum-of-turned",     Tidy, "sum(t(A))",            "sum(A)",         &["max(t(A)) where A: 2 x 3"]),
    step("tidy-sum-of-sums",       Tidy, "sum(rowSums(A))",      "sum(A)",         &["sum(rowMaxs(A)) where A: 2 x 3"]),
    step("tidy-sums-as-product",   Tidy, "rowSums(A * B)",       "A %*% t(B)",     &["rowSums(A * B) where A: 2 x 3, B: 2 x 3", "rowSums(A * B) where A: 2 x 3, B: 2 x 1"]),
    step("tidy-column-product",    Tidy, "colSums(A * B)",       "t(B) %*% A",     &["colSums(A * B) where A: 2 x 3, B: 1 x 3"]),
    step("tidy-common-factor",     Tidy, "max(A) * A + max(A) * B where A: 2 x 3, B: 2 x 3", "max(A) * (A + B)", &["max(A) * A + max(B) * B where A: 2 x 3, B: 2 x 3"]),
    step("tidy-common-factor-behind", Tidy, "B - max(A) * A + max(A) * B where A: 2 x 3, B: 2 x 3", "B - max(A) * (A - B)", &["B - max(A) * A + max(B) * B where A: 2 x 3, B: 2 x 3"]),
    step("tidy-sum-as-dot",        Tidy, "sum(t(A) * B) where A: 1 x 3, B: 3 x 1", "as.scalar(A %*% B)", &["sum(t(A) * B) where A: 2 x 3, B: 3 x 2"]),
    step("tidy-sum-of-product-with-turned", Tidy, "sum(A %*% t(B)) where A: 2 x 3, B: 1 x 3", "sum(colSums(A) * B)", &["sum(A %*% t(B)) where A: 2 x 3, B: 2 x 3", "sum(A %*% B) where A: 2 x 3, B: 3 x 1"]),
    step("tidy-sum-of-turned-with-product", Tidy, "sum(t(A) %*% B) where A: 3 x 1, B: 3 x 2", "sum(rowSums(B) * A)", &["sum(t(A) %*% B) where A: 3 x 2, B: 3 x 2"]),
    step("tidy-sum-of-turned-products", Tidy, "sum(t(A) * t(B)) where A: 1 x 3, B: 1 x 3", "sum(A * B)", &["sum(A * B) where A: 1 x 3, B: 1 x 3"]),
    step("tidy-sum-of-diagonal",   Tidy, "sum(diag(A)) where A: 3 x 1", "sum(A)", &["sum(diag(A)) where A: 3 x 3"]),
    step("tidy-trace-of-diagonal", Tidy, "trace(diag(A)) where A: 3 x 1", "sum(A)", &["trace(A) where A: 3 x 3"]),
    step("tidy-diagonal-product",  Tidy, "diag(A) %*% B where A: 3 x 1, B: 3 x 2", "B * A", &["diag(A) %*% B where A: 3 x 3, B: 1 x 2"]),
    step("tidy-product-diagonal",  Tidy, "A %*% diag(B) where A: 2 x 3, B: 3 x 1", "A * t(B)", &["A %*% diag(B) where A: 2 x 3, B: 3 x 3"]),
    step("order-multiples",        Order, "sum(A) + sum(A) + B", "B + 2 * sum(A)", &["sum(A) - max(B) where A: 2 x 3, B: 2 x 3"]),
    step("order-cancelled",        Order, "sum(A) + (B - sum(A))", "B",            &["sum(A) * (B - sum(A)) where A: 2 x 3, B: 2 x 3"]),
    step("order-sums",             Order, "(max(A) - sum(exp(A))) + sum(A)", "max(A) + sum(A) - sum(exp(A))", &["exp(A) + A + A * A where A: 2 x 3"]),
    step("write-repeated",         Write, "A + B",               "B + A",          &["A + B where A: 2 x 3, B: 1 x 3"]),
    step("write-mirrored",         Write, "A < B",               "B > A",          &["A < B where A: 2 x 3, B: 2 x 1"]),
    step("write-difference",       Write, "A - B",               "-B + A",         &["A - B where A: 2 x 3, B: 2 x 1"]),
    step("write-spread",           Write, "A / B",               "(A %*% matrix(1, rows=1, cols=ncol(B))) / B", &["A / B where A: 2 x 3, B: 2 x 1"]),
    step("write-negated",          Write, "-(A - B)",            "-A + B",         &["-(A - B) where A: 2 x 3, B: 2 x 3"]),
    step("write-turned-product",   Write, "t(A) %*% t(B)",       "t(B %*% A)",     &["t(A) %*% B where A: 3 x 2, B: 3 x 2"]),
    step("write-chain",            Write, "t(A) %*% (2 * (A %*% B))", "2 * (t(A) %*% (A %*% B))", &["t(A) %*% (2 * B) where A: 3 x 2, B: 3 x 2"]),
    step("write-ones",             Write, "2 - B %*% matrix(1, 1, 3)", "(2 - B) %*% matrix(1, rows=1, cols=3)", &["2 - B where B: 3 x 1"]),
];

/// The names of all steps.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    STEPS.iter().map(|step| step.name)
}

/// An instance after the pass, if that changes it.
fn rewritten(step: &Step, instance: &Instance) -> Option<Instance> {
    let mut dag = instance.dag.clone();
    dag.push_root(instance.root);
    let made = step.pass.of(&dag)?;
    let root = *made.roots().first()?;
    (made.print(root) != dag.print(instance.root)).then(|| Instance {
        dag: made,
        root,
        shapes: instance.shapes.clone(),
    })
}

#[test]
fn every_step_is_taken_and_keeps_the_value_over_all_small_shapes() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    println!("seed {SEED}");
    let mut wrong = Vec::new();
    for step in STEPS {
        let text = Text::new(step.before);
        let mut counts = Counts::default();
        let mut is_as_said = false;
        for before in text.instances() {
            let Some(after) = rewritten(step, &before) else {
                continue;
            };
            let form = after.dag.print(after.root);
            is_as_said |= form == step.after;
            let inputs = whole_numbers(&before, &mut rng);
            if let Some(agreement) = agreement_over(&inputs, [&before, &after]) {
                counts.forms += 1;
                counts.shapes += 1;
                let (name, shapes) = (step.name, &before.shapes);
                counts.judge((name, &before), agreement, || {
                    format!("{name} over {shapes:?}: `{form}` is another value")
                });
            }
        }
        counts.fires = usize::from(is_as_said);
        wrong.extend(counts.judged(step.name));
        if !is_as_said {
            wrong.push(format!(
                "{}: `{}` never becomes `{}`",
                step.name, step.before, step.after
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn near_misses_of_steps_stay_as_they_are() {
    let mut wrong = Vec::new();
    for step in STEPS {
        let mut misses = 0;
        for text in step.misses.iter().map(|text| Text::new(text)) {
            for instance in text.instances() {
                // Operands that repeat on the left are the business of other steps, and so are sides of one.
                if instance.is_of_one_shape_or_given(&text) {
                    misses += 1;
                    if let Some(made) = rewritten(step, &instance) {
                        let form = made.dag.print(made.root);
                        wrong.push(format!("{}: `{}` becomes `{form}`", step.name, text.text));
                    }
                }
            }
        }
        println!("rule audit: {} misses={misses}", step.name);
        if misses == 0 {
            wrong.push(format!("{} has no near miss", step.name));
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn steps_that_lose_digits_are_listed_with_what_they_lose() {
    let mut wrong = Vec::new();
    for step in STEPS {
        let text = Text::new(step.before);
        let pairs: Vec<(Instance, Instance)> = text
            .instances()
            .filter_map(|before| {
                let after = rewritten(step, &before)?;
                Some((before, after))
            })
            .collect();
        let every = pairs.len().div_ceil(INSTANCES).max(1);
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut worst = Worst::default();
        for (before, after) in pairs.iter().step_by(every) {
            worst.look([before, after], &mut rng);
        }
        wrong.extend(worst.judged(step.name));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

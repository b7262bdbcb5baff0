//! Rules are proved on all small shapes; searches are held against what they promise.

use std::sync::Arc;

use egg::ENodeOrVar;
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_sketch::text::Library;

use super::language::La;
use super::rules::{self, LaRule, letter};
use super::*;
use crate::canonical::{self, Verdict};
use crate::options::CostModel;

/// The shapes over which rules are proved: all sides of 1, 2 and 3, and a scalar.
fn shapes() -> Vec<Type> {
    let sides = [1_u64, 2, 3];
    let matrices = sides
        .iter()
        .flat_map(|rows| sides.map(|cols| Type::matrix(*rows, cols)));
    std::iter::once(Type::scalar()).chain(matrices).collect()
}

/// The letters of the table.
const LETTERS: [&str; 4] = ["A", "B", "C", "D"];

fn asks_hold(rule: &LaRule, types: &[Type]) -> bool {
    let ty = |own: &egg::Var| &types[LETTERS.iter().position(|l| letter(l) == *own).unwrap()];
    rule.asks.iter().all(|asked| asked.holds(ty))
}

/// A side over inputs of these types, in an order of commutative operators that fits. `None` if none does.
fn side(dag: &mut Dag, ast: &egg::PatternAst<La>, types: &[Type]) -> Option<NodeId> {
    let mut made: Vec<NodeId> = Vec::new();
    for node in ast.as_ref() {
        made.push(match node {
            ENodeOrVar::Var(var) => {
                let n = LETTERS.iter().position(|l| letter(l) == *var)?;
                dag.input(LETTERS[n], types[n].clone())
            }
            ENodeOrVar::ENode(La::Num(bits)) => dag.num(f64::from_bits(*bits)),
            ENodeOrVar::ENode(La::Input(_)) => return None,
            ENodeOrVar::ENode(La::Op(op, children)) => {
                let args: Vec<NodeId> = children.iter().map(|c| made[usize::from(*c)]).collect();
                let swapped = || (op.info().commutative).then(|| [args[1], args[0]]);
                match dag.op(*op, args.iter().copied()) {
                    Ok(id) => id,
                    Err(_) => dag.op(*op, swapped()?).ok()?,
                }
            }
        });
    }
    made.last().copied()
}

#[test]
fn every_rule_is_proved_on_all_small_shapes() {
    let shapes = shapes();
    for rule in rules::all() {
        let used: Vec<&str> = LETTERS
            .iter()
            .copied()
            .filter(|l| {
                let nodes = rule.patterns[0].ast.as_ref();
                nodes.iter().any(|node| *node == ENodeOrVar::Var(letter(l)))
            })
            .collect();
        let count = shapes.len().pow(u32::try_from(used.len()).unwrap());
        let mut applied = 0;
        for number in 0..count {
            let mut rest = number;
            let mut types = vec![Type::scalar(); LETTERS.len()];
            for name in &used {
                let place = LETTERS.iter().position(|l| l == name).unwrap();
                types[place] = shapes[rest % shapes.len()].clone();
                rest /= shapes.len();
            }
            if !asks_hold(rule, &types) {
                continue;
            }
            let (mut a, mut b) = (Dag::default(), Dag::default());
            let Some((left, right)) =
                side(&mut a, &rule.patterns[0].ast, &types).zip(side(&mut b, &rule.right, &types))
            else {
                continue;
            };
            let (x, y) = (a.ty(left), b.ty(right));
            if (x.kind, &x.rows, &x.cols) != (y.kind, &y.rows, &y.cols) {
                continue;
            }
            applied += 1;
            let verdict = canonical::decide((&a, left), (&b, right));
            assert!(
                matches!(verdict, Verdict::Equal(_)),
                "{}: {} is not {} over {types:?}: {verdict:?}",
                rule.name,
                a.print(left),
                b.print(right)
            );
        }
        assert!(applied > 0, "{} applies to no shapes", rule.name);
    }
}

#[test]
fn names_of_rules_are_unique_and_not_those_of_sets() {
    let mut names: Vec<&str> = rules::all().iter().map(|rule| &*rule.name).collect();
    names.extend(RULE_SETS.map(|(name, _)| name));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for (name, _) in RULE_SETS {
        assert!(rules::chosen([name]).len() > 9, "{name} is empty");
    }
}

/// `sum((X - U %*% t(V))^2)` with sizes, and what it costs to look at.
fn loss() -> Dag {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::sparse(20_000, 10_000, 0.001));
    let u = dag.input("U", Type::matrix(20_000, 10));
    let v = dag.input("V", Type::matrix(10_000, 10));
    let t = dag.op(Op::Transpose, [v]).unwrap();
    let product = dag.op(Op::MatMul, [u, t]).unwrap();
    let difference = dag.op(Op::Sub, [x, product]).unwrap();
    let two = dag.num(2.0);
    let square = dag.op(Op::Pow, [difference, two]).unwrap();
    let root = dag.op(Op::Sum, [square]).unwrap();
    dag.push_root(root);
    dag
}

fn run(dag: &Dag, text: &str, call: &str, cache: &Cache) -> Result<Found, Miss> {
    let library = Library::new([(Arc::from("a.sketch"), Arc::from(text))], &vocabulary());
    assert_eq!(library.findings(0), [], "{text}");
    let filled = library.fill(call).map_err(Miss::Wrong)?;
    let machine = Machine::default();
    let asked = Asked {
        dag,
        root: dag.roots()[0],
        name_of: &|name| Some(Arc::from(name)),
        machine: &machine,
        cost: CostModel::Time,
        max_nodes: None,
        max_rounds: None,
        forms: 1,
        seed: 7,
        explains: true,
        bridges: false,
        learned: None,
    };
    guided(asked, &filled, cache, &|| false, &mut |_| {})
}

fn shown(found: &Found) -> String {
    found.forms[0].print(found.forms[0].roots()[0])
}

#[test]
fn a_guided_search_ends_at_its_goal() {
    let text = "sketch expand {\n guide contains(?^2 - 2 * ? + ?) using distribute minimize size\n \
        goal contains(sum(X^2)) + contains(sum(? * (X %*% V))) using distribute, aggregate, associate, transpose minimize nnz\n}";
    let found = run(&loss(), text, "expand", &Cache::default());
    let found = found.unwrap_or_else(|miss| panic!("{miss:?}"));
    assert_eq!(found.reached.len(), 2);
    let form = shown(&found);
    assert!(
        form.contains("sum(X^2)") && form.contains("X %*% V"),
        "{form}"
    );
}

#[test]
fn editing_the_last_guide_runs_the_last_guide_only() {
    let cache = Cache::default();
    let text = |last: &str| {
        format!(
            "sketch s {{ guide contains(?^2 - ? + ?) using distribute minimize size\n \
             guide contains(sum(X^2)) using distribute minimize size\n goal {last} using distribute minimize size }}"
        )
    };
    run(&loss(), &text("contains(sum(?) - sum(?))"), "s", &cache).unwrap();
    assert_eq!(cache.searches(), 3);
    run(&loss(), &text("contains(sum(?) - ?)"), "s", &cache).unwrap();
    assert_eq!(cache.searches(), 4);
    let again = run(&loss(), &text("contains(sum(?) - ?)"), "s", &cache).unwrap();
    assert_eq!(cache.searches(), 4);
    assert!(again.reached.iter().all(|reached| reached.was_known));
}

#[test]
fn a_stage_that_is_not_reached_says_what_is_missing() {
    let text = "sketch s { guide contains(?^2 - ? + ?) using distribute minimize size\n \
        goal contains(sum(X * ?)) - ? * ? using associate minimize size }";
    let miss = run(&loss(), text, "s", &Cache::default()).unwrap_err();
    let Miss::Unreached(it) = miss else {
        panic!("{miss:?}")
    };
    assert_eq!(
        (it.stage, it.label.as_str(), it.reached.len()),
        (1, "goal", 1)
    );
    let missed: Vec<&str> = it
        .missed
        .iter()
        .map(|range| &it.pattern.as_str()[*range])
        .collect();
    assert!(!missed.is_empty() && it.nearest.is_some(), "{it:?}");
    let wrong = run(
        &loss(),
        "sketch s { goal contains(Y) }",
        "s",
        &Cache::default(),
    );
    let Err(Miss::Wrong(text)) = wrong else {
        panic!("{wrong:?}")
    };
    assert!(text.contains("reads no `Y`; it reads X, U, V"), "{text}");
}

#[test]
fn an_annotation_is_part_of_what_is_searched() {
    for (goal, is_reached) in [
        ("contains(sum(? : sparse < 0.01))", true),
        ("contains(sum(? : sparse < 0.0001))", false),
        ("contains(sum((? %*% ?)^2 : dense))", true),
        ("contains(sum((X^2) : dense))", false),
        ("contains(t(?) : 10 x 10000)", true),
        ("contains(t(?) : 10000 x 10)", false),
        ("contains(X^2 : 20000 x ?)", true),
        ("(contains(X^2) : scalar)", true),
        ("contains(? : row)", false),
        ("contains((? : matrix)^2) : vector", false),
    ] {
        let text = format!("sketch s {{ goal {goal} using distribute minimize size }}");
        let found = run(&loss(), &text, "s", &Cache::default());
        assert_eq!(found.is_ok(), is_reached, "{goal}: {found:?}");
    }
}

#[test]
fn a_missing_set_of_rules_is_named() {
    let text = "sketch s { goal contains(sum(?) - ?) using transpose minimize size }";
    let miss = run(&loss(), text, "s", &Cache::default()).unwrap_err();
    let Miss::Unreached(it) = miss else {
        panic!("{miss:?}")
    };
    assert_eq!(it.add, Some("distribute"));
    let [missed] = it.missed[..] else {
        panic!("{it:?}")
    };
    assert_eq!(&it.pattern.as_str()[missed], "sum(?)");
}

#[test]
fn a_cancelled_search_ends() {
    let library = Library::new(
        [(
            Arc::from("a"),
            Arc::from("sketch s { goal contains(trace(?)) }"),
        )],
        &vocabulary(),
    );
    let (dag, machine) = (loss(), Machine::default());
    let asked = Asked {
        dag: &dag,
        root: dag.roots()[0],
        name_of: &|name| Some(Arc::from(name)),
        machine: &machine,
        cost: CostModel::Time,
        max_nodes: None,
        max_rounds: None,
        forms: 1,
        seed: 7,
        explains: true,
        bridges: false,
        learned: None,
    };
    let polls = std::cell::Cell::new(0);
    let cancelled = || {
        polls.set(polls.get() + 1);
        polls.get() > 40
    };
    let filled = library.fill("s").unwrap();
    let end = guided(asked, &filled, &Cache::default(), &cancelled, &mut |_| {});
    assert!(matches!(end, Err(Miss::Cancelled)), "{end:?}");
    assert!(polls.get() < 60, "it went on for {} looks", polls.get());
}

#[test]
fn a_search_ends_at_the_same_place_each_time() {
    let text = "sketch s { goal contains(X %*% V) minimize nnz within 1500 nodes }";
    let one = run(&loss(), text, "s", &Cache::default()).unwrap();
    let two = run(&loss(), text, "s", &Cache::default()).unwrap();
    assert_eq!(shown(&one), shown(&two));
    let growth = |found: &Found| found.reached[0].growth.clone();
    assert_eq!(growth(&one), growth(&two));
}

#[test]
fn what_is_always_simpler_is_applied_before_a_search() {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::matrix(20, 10));
    let one = dag.num(1.0);
    let transposed = dag.op(Op::Transpose, [x]).unwrap();
    let back = dag.op(Op::Transpose, [transposed]).unwrap();
    let same = dag.op(Op::Mul, [one, back]).unwrap();
    let negative = dag.op(Op::Neg, [same]).unwrap();
    let twice = dag.op(Op::Neg, [negative]).unwrap();
    let root = dag.op(Op::Sum, [twice]).unwrap();
    dag.push_root(root);
    let found = run(&dag, "sketch s { goal sum(X) }", "s", &Cache::default()).unwrap();
    assert_eq!(shown(&found), "sum(X)");
    assert_eq!(
        found.reached[0].growth.first().map(|round| round.nodes),
        Some(2)
    );
}

#[test]
fn of_forms_that_fit_the_cheapest_is_taken() {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::sparse(20_000, 1000, 0.01));
    let v = dag.input("V", Type::matrix(1000, 10));
    let product = dag.op(Op::MatMul, [x, v]).unwrap();
    let root = dag.op(Op::Sum, [product]).unwrap();
    dag.push_root(root);
    let text = "sketch s { goal sum(t(colSums(?)) * rowSums(?)) using aggregate minimize flops }";
    let found = run(&dag, text, "s", &Cache::default()).unwrap();
    // Not `rowSums(rowSums(V))`, which is there, too.
    assert_eq!(shown(&found), "sum(rowSums(V) * t(colSums(X)))");
}

/// What a search is cancelled by: a look at this number of looks.
fn after(looks: usize) -> (std::rc::Rc<std::cell::Cell<usize>>, impl Fn() -> bool) {
    let polls = std::rc::Rc::new(std::cell::Cell::new(0));
    let own = std::rc::Rc::clone(&polls);
    (polls, move || {
        own.set(own.get() + 1);
        own.get() > looks
    })
}

#[test]
fn a_search_is_cancelled_wherever_it_is() {
    let text = "sketch s { goal contains(X * 17) using sum_product within 900 nodes }";
    let library = Library::new([(Arc::from("a"), Arc::from(text))], &vocabulary());
    let filled = library.fill("s").unwrap();
    let (dag, machine) = (loss(), Machine::default());
    let asked = Asked {
        dag: &dag,
        root: dag.roots()[0],
        name_of: &|name| Some(Arc::from(name)),
        machine: &machine,
        cost: CostModel::Time,
        max_nodes: None,
        max_rounds: None,
        forms: 1,
        seed: 7,
        explains: true,
        bridges: true,
        learned: None,
    };
    // One way to the end, to know how often it looks; then it is cancelled early, halfway, and near the end.
    let (all, cancelled) = after(usize::MAX);
    let end = guided(asked, &filled, &Cache::default(), &cancelled, &mut |_| {});
    assert!(matches!(end, Err(Miss::Unreached(_))), "{end:?}");
    for looks in [1, all.get() / 3, all.get() / 2, all.get() - 2] {
        let (polls, cancelled) = after(looks);
        let end = guided(asked, &filled, &Cache::default(), &cancelled, &mut |_| {});
        assert!(matches!(end, Err(Miss::Cancelled)), "{looks}: {end:?}");
        assert!(
            polls.get() < looks + 20,
            "{looks}: it went on to {}",
            polls.get()
        );
    }
}

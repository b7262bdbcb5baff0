//! Tests only: every e-node of every class evaluates to the same tensor.
//!
//! Leaves get small random integers, each class is evaluated cell by cell from its first e-node whose children are
//! known, and all its other e-nodes must agree. This is the meaning of the graph, checked after every rule.

use std::collections::BTreeMap;

use egg::Id;
use sumac_la::{Dag, NodeId, Op, Type};

use crate::axes::{BOUND, Map};
use crate::build::Relations;
use crate::ra::Ra;
use crate::rule_audit::write::Text;
use crate::rules::{self, Rule};
use crate::translate::Translation;

type Tensor = Vec<f64>;

/// Cells of `schema` in row-major order.
fn cells(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let total: usize = sizes.iter().product();
    (0..total).map(|mut flat| {
        let mut index = vec![0; sizes.len()];
        for k in (0..sizes.len()).rev() {
            index[k] = flat % sizes[k];
            flat /= sizes[k];
        }
        index
    })
}

fn at(tensor: &Tensor, sizes: &[usize], index: &[usize]) -> f64 {
    tensor[index.iter().zip(sizes).fold(0, |flat, (i, n)| flat * n + i)]
}

struct Checker<'a> {
    relations: &'a Relations,
    values: BTreeMap<Id, Tensor>,
}

impl Checker<'_> {
    fn sizes(&self, id: Id) -> Vec<usize> {
        let invariants = &self.relations.graph.analysis;
        self.relations
            .data(id)
            .schema
            .iter()
            .map(|d| invariants.size(*d) as usize)
            .collect()
    }

    fn value(&self, class: Id, node: &Ra) -> Option<Tensor> {
        let sizes = self.sizes(class);
        let child = |id: &Id| self.values.get(&self.relations.graph.find(*id));
        let read = |id: &Id, map: &Map, index: &[usize]| -> Option<f64> {
            let own: Vec<usize> = map.iter().map(|axis| index[usize::from(axis)]).collect();
            Some(at(child(id)?, &self.sizes(*id), &own))
        };
        cells(&sizes)
            .map(|index| match node {
                Ra::Const(bits, _) => Some(f64::from_bits(*bits)),
                Ra::Leaf(n) => {
                    // Any fixed numbers will do.
                    let seed = index.iter().fold(*n as usize + 1, |s, i| s * 7 + i * 3 + 1);
                    Some((seed % 11) as f64 - 4.0)
                }
                Ra::Mul(maps, ids) => {
                    Some(read(&ids[0], &maps[0], &index)? * read(&ids[1], &maps[1], &index)?)
                }
                Ra::Add(maps, ids) => {
                    Some(read(&ids[0], &maps[0], &index)? + read(&ids[1], &maps[1], &index)?)
                }
                Ra::Sum(map, ids) => {
                    let inner = self.sizes(ids[0]);
                    let tensor = child(&ids[0])?;
                    let fits = |cell: &Vec<usize>| {
                        map.iter()
                            .zip(cell)
                            .all(|(axis, i)| axis == BOUND || index[usize::from(axis)] == *i)
                    };
                    Some(
                        cells(&inner)
                            .filter(fits)
                            .map(|cell| at(tensor, &inner, &cell))
                            .sum(),
                    )
                }
                Ra::Fold(op, map, ids) => {
                    let inner = self.sizes(ids[0]);
                    let tensor = child(&ids[0])?;
                    let fits = |cell: &Vec<usize>| {
                        map.iter()
                            .zip(cell)
                            .all(|(axis, i)| axis == BOUND || index[usize::from(axis)] == *i)
                    };
                    cells(&inner)
                        .filter(fits)
                        .map(|cell| at(tensor, &inner, &cell))
                        .reduce(|a, b| match op {
                            Op::Min => a.min(b),
                            Op::Max => a.max(b),
                            _ => a * b,
                        })
                }
                Ra::Eye(_) => Some(f64::from(u8::from(index[0] == index[1]))),
                Ra::Fun(op, maps, ids) => {
                    let args: Option<Vec<f64>> = maps
                        .iter()
                        .zip(ids)
                        .map(|(m, id)| read(id, m, &index))
                        .collect();
                    crate::fold::cellwise(*op, &args?).or(Some(f64::NAN))
                }
                Ra::Opaque(opaque, ids) if opaque.op == Op::Rev => {
                    // Of the class's axes, those that the shape has: rows first.
                    let mut own = index.iter();
                    let mut sides = opaque
                        .shape
                        .map(|dim| dim.and_then(|_| own.next().copied()));
                    sides[0] = sides[0].map(|row| sizes[0] - 1 - row);
                    let inner: Option<Vec<usize>> = opaque.children[0]
                        .0
                        .iter()
                        .map(|side| sides[usize::from(side)])
                        .collect();
                    Some(at(child(&ids[0])?, &self.sizes(ids[0]), &inner?))
                }
                Ra::Opaque(..) => None,
            })
            .collect()
    }

    /// Exchanging two axes that are said to be twins changes no cell.
    fn check_twins(&self, id: Id, value: &Tensor, after: &str) {
        let (sizes, twins) = (self.sizes(id), self.relations.data(id).twins);
        for (a, b) in (0..sizes.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
            if !twins.are(a, b) {
                continue;
            }
            assert_eq!(sizes[a], sizes[b], "after {after}: class {id}");
            for mut index in cells(&sizes) {
                let cell = at(value, &sizes, &index);
                index.swap(a, b);
                let other = at(value, &sizes, &index);
                assert!(
                    (cell - other).abs() <= 1e-9 * (1.0 + cell.abs()) || cell.is_nan(),
                    "after {after}: class {id}, axes {a} and {b}: {cell} is not {other}"
                );
            }
        }
    }

    fn check(relations: &Relations, after: &str) {
        let mut this = Checker {
            relations,
            values: BTreeMap::new(),
        };
        let mut classes: Vec<Id> = relations.graph.classes().map(|c| c.id).collect();
        classes.sort_unstable();
        loop {
            let mut progress = false;
            for id in &classes {
                if !this.values.contains_key(id)
                    && let Some(value) = relations.graph[*id]
                        .nodes
                        .iter()
                        .find_map(|node| this.value(*id, node))
                {
                    this.values.insert(*id, value);
                    progress = true;
                }
            }
            if !progress {
                break;
            }
        }
        for id in &classes {
            let Some(expected) = this.values.get(id) else {
                continue;
            };
            this.check_twins(*id, expected, after);
            for node in &relations.graph[*id].nodes {
                let Some(value) = this.value(*id, node) else {
                    continue;
                };
                for (a, b) in expected.iter().zip(&value) {
                    let close = (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
                        || (a.is_nan() && b.is_nan());
                    assert!(
                        close,
                        "after {after}: class {id} {:?}, node {node:?}: {a} is not {b}",
                        this.sizes(*id)
                    );
                }
            }
        }
    }
}

/// `sum((X ± U %*% t(V))^2)`, whose Gram matrices are symmetric: axes of all orders meet.
fn loss(sign: Op) -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::sparse(4, 3, 0.5));
    let u = dag.input("U", Type::sparse(4, 2, 1.0));
    let v = dag.input("V", Type::sparse(3, 2, 1.0));
    let vt = dag.op(Op::Transpose, [v]).unwrap();
    let uv = dag.op(Op::MatMul, [u, vt]).unwrap();
    let e = dag.op(sign, [x, uv]).unwrap();
    let two = dag.num(2.0);
    let sq = dag.op(Op::Pow, [e, two]).unwrap();
    let sum = dag.op(Op::Sum, [sq]).unwrap();
    (dag, sum)
}

/// `sum(X + X * P + (X + X)) + sum(1 / (1 + exp(-X)))`: the rules that the losses do not need.
fn functions() -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::sparse(4, 3, 0.5));
    let p = dag.input("P", Type::sparse(4, 1, 1.0));
    let one = dag.num(1.0);
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let xp = op(Op::Mul, &[x, p]);
    let left = op(Op::Add, &[x, xp]);
    let double = op(Op::Add, &[x, x]);
    let left = op(Op::Add, &[left, double]);
    let left = op(Op::Sum, &[left]);
    let neg = op(Op::Neg, &[x]);
    let exp = op(Op::Exp, &[neg]);
    let below = op(Op::Add, &[one, exp]);
    let logistic = op(Op::Div, &[one, below]);
    let right = op(Op::Sum, &[logistic]);
    let root = op(Op::Add, &[left, right]);
    (dag, root)
}

/// `A %*% B + A %*% C` and row sums of both: sums that meet under one Σ.
fn products() -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let a = dag.input("A", Type::sparse(4, 3, 0.5));
    let b = dag.input("B", Type::sparse(3, 2, 1.0));
    let c = dag.input("C", Type::sparse(3, 2, 1.0));
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let ab = op(Op::MatMul, &[a, b]);
    let ac = op(Op::MatMul, &[a, c]);
    let both = op(Op::Add, &[ab, ac]);
    let (r, s) = (op(Op::RowSums, &[ab]), op(Op::RowSums, &[both]));
    let root = op(Op::Mul, &[both, r]);
    let root = op(Op::Add, &[root, s]);
    (dag, root)
}

/// `diag(P %*% Q) + rowSums(diag(v)) + (v + u %*% t(1))` and its like: δ, folds, operators that move cells, repetition.
fn structures() -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let p = dag.input("P", Type::sparse(4, 3, 0.5));
    let q = dag.input("Q", Type::sparse(3, 4, 1.0));
    let v = dag.input("v", Type::sparse(4, 1, 1.0));
    let [one, rows, cols] = [1.0, 1.0, 3.0].map(|n| dag.num(n));
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let product = op(Op::MatMul, &[p, q]);
    let diagonal = op(Op::Diag, &[product]);
    let square = op(Op::Diag, &[v]);
    let rows_of_square = op(Op::RowSums, &[square]);
    let left = op(Op::Add, &[diagonal, rows_of_square]);
    let ones = op(Op::Fill, &[one, rows, cols]);
    let outer = op(Op::MatMul, &[v, ones]);
    let repeated = op(Op::Add, &[p, outer]);
    let least = op(Op::RowMins, &[repeated]);
    let least = op(Op::Min, &[least]);
    let reversed = op(Op::Rev, &[p]);
    let twice = op(Op::Rev, &[reversed]);
    let total = op(Op::Sum, &[reversed]);
    let twice = op(Op::RowSums, &[twice]);
    let right = op(Op::Add, &[twice, least]);
    let right = op(Op::Add, &[right, total]);
    let root = op(Op::Mul, &[left, right]);
    (dag, root)
}

/// A product of all left sides of the table of identities, over small integers and their signs.
fn truths() -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::sparse(4, 3, 0.5));
    let y = dag.input("Y", Type::sparse(4, 1, 1.0));
    let [zero, one] = [0.0, 1.0].map(|n| dag.num(n));
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let (above, below) = (op(Op::Gt, &[x, zero]), op(Op::Lt, &[x, zero]));
    let mut parts = vec![op(Op::Sub, &[above, below]), op(Op::Mul, &[x, above])];
    let (a, b) = (op(Op::Abs, &[x]), op(Op::Abs, &[y]));
    parts.push(op(Op::Mul, &[a, b]));
    for compare in [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge] {
        let truth = op(compare, &[x, y]);
        parts.push(op(Op::Not, &[truth]));
        for function in [Op::Abs, Op::Sign, Op::Round, Op::Floor, Op::Ceil] {
            parts.push(op(function, &[truth]));
        }
        parts.push(op(Op::Eq, &[truth, one]));
        parts.push(op(Op::Eq, &[truth, zero]));
    }
    let exp = op(Op::Exp, &[x]);
    let product = op(Op::Mul, &[exp, y]);
    parts.extend([op(Op::Log, &[exp]), op(Op::Log, &[product])]);
    let not = op(Op::Not, &[x]);
    parts.push(op(Op::And, &[not, x]));
    parts.push(op(Op::Or, &[x, not]));
    for extreme in [Op::Min2, Op::Max2] {
        let inner = op(extreme, &[x, y]);
        parts.push(op(extreme, &[inner, one]));
    }
    let root = parts
        .into_iter()
        .reduce(|sum, part| op(Op::Cbind, &[sum, part]))
        .unwrap();
    (dag, root)
}

/// `(U %*% t(V) - X) %*% V + U %*% (t(w * V) %*% V)`: symmetric relations, by their form and by what rules find.
fn symmetric() -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::sparse(4, 3, 0.5));
    let u = dag.input("U", Type::sparse(4, 2, 1.0));
    let v = dag.input("V", Type::sparse(3, 2, 1.0));
    let w = dag.input("w", Type::sparse(3, 1, 1.0));
    let mut op = |op: Op, args: &[NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let transposed = op(Op::Transpose, &[v]);
    let product = op(Op::MatMul, &[u, transposed]);
    let error = op(Op::Sub, &[product, x]);
    let left = op(Op::MatMul, &[error, v]);
    let weighted = op(Op::Mul, &[v, w]);
    let transposed = op(Op::Transpose, &[weighted]);
    let gram = op(Op::MatMul, &[transposed, v]);
    let right = op(Op::MatMul, &[u, gram]);
    let root = op(Op::Add, &[left, right]);
    (dag, root)
}

/// The classes of two axes that are known to be symmetric, of no constants.
fn grams(t: &Translation) -> usize {
    let is_gram = |id: &Id| {
        let data = t.relations.data(*id);
        data.constant.is_none() && data.schema.len() == 2 && data.twins.are(0, 1)
    };
    let classes = t.relations.classes();
    classes.iter().filter(|id| is_gram(id)).count()
}

#[test]
fn what_is_symmetric_is_known_by_form_and_by_rules() {
    let (dag, root) = symmetric();
    let mut t = Translation::new(&dag, &[root]).unwrap();
    assert_eq!(grams(&t), 0, "`t(w * V) %*% V` does not look symmetric");
    for round in 0..6 {
        let mut found = Vec::new();
        for class in t.relations.classes() {
            rules::search(&t.relations, class, &[], &mut found);
        }
        found.sort();
        for m in &found {
            rules::apply(&mut t.relations, m);
            let mut now = t.relations.clone();
            if found.len() < 60 {
                now.rebuild();
                Checker::check(&now, &format!("{m:?}"));
            }
        }
        t.relations.rebuild();
        Checker::check(&t.relations, &format!("round {round}"));
        if t.relations.graph.total_size() > 2500 {
            break;
        }
    }
    assert!(grams(&t) >= 2, "{} symmetric relations", grams(&t));
}

#[test]
fn each_order_of_a_symmetric_relation_is_one_e_node() {
    let (dag, root) = symmetric();
    let mut t = Translation::new(&dag, &[root]).unwrap();
    let options = crate::Options::default();
    crate::saturate::saturate(&mut t, &options, 1500, &|| false, &mut |_, _| {});
    let relations = &t.relations;
    for class in relations.classes() {
        for node in relations.nodes(class) {
            let ordered = crate::symmetry::in_order(&relations.graph, node.clone());
            assert_eq!(*node, ordered, "class {class}");
        }
    }
}

#[test]
fn every_rule_is_used_by_its_own_expressions_and_keeps_every_class_equal() {
    let mut unused = Vec::new();
    for rule in Rule::all() {
        let texts = rule.row().audited.fires.iter().map(|text| Text::new(text));
        let instances = texts.flat_map(|text| text.instances().collect::<Vec<_>>());
        let mut is_used = false;
        for instance in instances.filter(|it| !it.is_empty()) {
            let Some(mut t) = Translation::new(&instance.dag, &[instance.root]) else {
                continue;
            };
            let mut found = Vec::new();
            let usable = rules::usable(&t.relations);
            for class in t.relations.classes() {
                rules::search(&t.relations, class, &usable, &mut found);
            }
            for m in found.iter().filter(|m| m.rule == rule) {
                is_used |= rules::apply(&mut t.relations, m);
            }
            t.relations.rebuild();
            Checker::check(&t.relations, rule.name());
        }
        if !is_used {
            unused.push(rule.name());
        }
    }
    assert!(unused.is_empty(), "never changed anything: {unused:?}");
}

#[test]
fn every_rule_is_used_by_these_scripts() {
    let is_relational = |rule: &Rule| !rule.row().is_equation();
    let mut unused: Vec<Rule> = Rule::all().filter(is_relational).collect();
    for (dag, root) in [
        loss(Op::Sub),
        functions(),
        products(),
        structures(),
        truths(),
    ] {
        let mut t = Translation::new(&dag, &[root]).unwrap();
        for _ in 0..6 {
            let mut found = Vec::new();
            let usable = rules::usable(&t.relations);
            for class in t.relations.classes() {
                rules::search(&t.relations, class, &usable, &mut found);
            }
            found.sort();
            for m in found.iter().take(2000) {
                if rules::apply(&mut t.relations, m) {
                    unused.retain(|rule| *rule != m.rule);
                }
            }
            t.relations.rebuild();
            Checker::check(&t.relations, "a round of all rules");
            if t.relations.graph.total_size() > 1500 {
                break;
            }
        }
    }
    let names: Vec<&str> = unused.iter().map(|rule| rule.name()).collect();
    assert!(names.is_empty(), "never changed anything: {names:?}");
}

#[test]
fn each_single_application_keeps_every_class_equal() {
    let (dag, root) = loss(Op::Sub);
    let mut t = Translation::new(&dag, &[root]).unwrap();
    Checker::check(&t.relations, "translation");
    crate::expand::expand(&mut t, &dag, &[root]);
    Checker::check(&t.relations, "expansion");
    for _ in 0..4 {
        let mut found = Vec::new();
        let usable = rules::usable(&t.relations);
        for class in t.relations.classes() {
            rules::search(&t.relations, class, &usable, &mut found);
        }
        for rule in Rule::all() {
            for m in found.iter().filter(|m| m.rule == rule).take(30) {
                rules::apply(&mut t.relations, m);
                let mut now = t.relations.clone();
                now.rebuild();
                Checker::check(&now, &format!("{m:?}"));
            }
        }
        t.relations.rebuild();
    }
}

#[test]
fn whole_searches_keep_every_class_equal() {
    for sign in [Op::Add, Op::Sub] {
        for seed in 0..4 {
            let (dag, root) = loss(sign);
            let mut t = Translation::new(&dag, &[root]).unwrap();
            crate::expand::expand(&mut t, &dag, &[root]);
            let options = crate::Options {
                seed,
                max_iterations: 40,
                ..Default::default()
            };
            crate::saturate::saturate(&mut t, &options, 4000, &|| false, &mut |_, _| {});
            assert!(!t.relations.graph.analysis.broken, "schemas disagree");
            Checker::check(&t.relations, &format!("seed {seed}"));
        }
    }
}

//! What is written back means what was read: of expressions and forms at random.

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Random, style};
use sumac_python::{Step, Tree, lower, price, print, raise};

#[test]
fn expressions_come_back_with_the_same_value() {
    let mut random = Random(11);
    let (mut came_back, mut equal) = (0, 0);
    for _ in 0..1500 {
        let tree = common::tree(&mut random, 10);
        let Some(dag) = lower(&tree) else { continue };
        assert!(price(&tree).is_some());
        let atoms: BTreeMap<Arc<str>, Tree> = tree
            .nodes()
            .filter_map(|node| match &node.step {
                Step::Atom(atom) => Some((Arc::clone(&atom.text), node.clone())),
                Step::Size(text) => Some((Arc::clone(text), node.clone())),
                _ => None,
            })
            .collect();
        let Ok(trees) = raise(&dag, &atoms, &tree.value) else {
            continue;
        };
        came_back += 1;
        for back in &trees {
            assert_eq!(back.value.dtype, tree.value.dtype);
            assert_eq!(back.value.shape, tree.value.shape);
            let again = lower(back).expect("it is linear algebra");
            let (root, other) = (dag.roots()[0], again.roots()[0]);
            assert_eq!(again.ty(other).kind, dag.ty(root).kind);
            assert_eq!(again.ty(other).rows, dag.ty(root).rows);
            assert_eq!(again.ty(other).cols, dag.ty(root).cols);
            assert!(print(back, &style()).is_some());
        }
        // Where nothing is simplified it is the same DAG.
        let again = lower(&trees[0]).expect("it is linear algebra");
        equal += usize::from(again.print(again.roots()[0]) == dag.print(dag.roots()[0]));
    }
    assert!(came_back > 1300, "{came_back}");
    assert!(equal * 2 > came_back, "{equal} of {came_back}");
}

#[test]
fn forms_are_written_with_their_shape() {
    let mut random = Random(12);
    let mut written = 0;
    for _ in 0..1500 {
        let form = common::form(&mut random, 14);
        let wanted = common::wanted(&form);
        let Ok(trees) = raise(&form, &common::atoms(), &wanted) else {
            continue;
        };
        written += 1;
        for tree in &trees {
            assert_eq!(
                tree.value.shape,
                wanted.shape,
                "{}",
                form.print(form.roots()[0])
            );
            assert!(print(tree, &style()).is_some() && price(tree).is_some());
        }
    }
    assert!(written > 1200, "{written}");
}

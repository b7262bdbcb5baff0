//! Proofs as a person reads them.

use expect_test::{Expect, expect};
use sumac_la::{NodeId, Op};

use super::Build;
use crate::canonical::Verdict;

#[track_caller]
fn check(b: &Build, left: NodeId, right: NodeId, expected: &Expect) {
    let Verdict::Equal(proof) = b.decide(left, right) else {
        panic!(
            "{} == {} is not shown",
            b.dag.print(left),
            b.dag.print(right)
        );
    };
    let mut text = String::new();
    for (id, steps) in [(left, &proof.left_steps), (right, &proof.right_steps)] {
        text.push_str(&b.dag.print(id));
        text.push('\n');
        for step in steps {
            text.push_str(&format!("  {}\n    {}\n", step.rule, step.text));
        }
    }
    expected.assert_eq(&text);
}

#[test]
fn the_loss() {
    let mut b = Build::new(&[("X", "20 x 30"), ("U", "20 x 4"), ("V", "30 x 4")]);
    let (x, u, v) = (b.v("X"), b.v("U"), b.v("V"));
    let (ut, vt) = (b.t(u), b.t(v));
    let uv = b.mm(u, vt);
    let d = b.sub(x, uv);
    let d = b.pow(d, 2.0);
    let left = b.sum(d);
    let xx = b.pow(x, 2.0);
    let xx = b.sum(xx);
    let xv = b.mm(x, v);
    let cross = b.mul(u, xv);
    let cross = b.sum(cross);
    let two = b.num(2.0);
    let cross = b.mul(two, cross);
    let (utu, vtv) = (b.mm(ut, u), b.mm(vt, v));
    let square = b.mul(utu, vtv);
    let square = b.sum(square);
    let right = b.sub(xx, cross);
    let right = b.add(right, square);
    check(
        &b,
        left,
        right,
        &expect![[r#"
            sum((X - U %*% t(V))^2)
              write out indices
                Σ_{i,j} (X[i,j] - Σ_k U[i,k]*V[j,k])^2
              A - B = A + (-1)*B
                Σ_{i,j} (X[i,j] + (-1)*Σ_k U[i,k]*V[j,k])^2
              square as product
                Σ_{i,j} (X[i,j] + (-1)*Σ_k U[i,k]*V[j,k])*(X[i,j] + (-1)*Σ_l U[i,l]*V[j,l])
              distribute * over +
                Σ_{i,j} (X[i,j]^2 + (-1)*X[i,j]*(Σ_k U[i,k]*V[j,k]) + (-1)*(Σ_k U[i,k]*V[j,k])*X[i,j] + (Σ_k U[i,k]*V[j,k])*(Σ_l U[i,l]*V[j,l]))
              move factor into Σ
                Σ_{i,j} (X[i,j]^2 + (-1)*Σ_k X[i,j]*U[i,k]*V[j,k] + (-1)*Σ_k U[i,k]*V[j,k]*X[i,j] + Σ_{k,l} U[i,k]*V[j,k]*U[i,l]*V[j,l])
              Σ over +
                Σ_{i,j} X[i,j]^2 + (-1)*Σ_{i,j} (Σ_k X[i,j]*U[i,k]*V[j,k]) + (-1)*Σ_{i,j} (Σ_k U[i,k]*V[j,k]*X[i,j]) + Σ_{i,j} (Σ_{k,l} U[i,k]*V[j,k]*U[i,l]*V[j,l])
              merge Σ
                Σ_{i,j} X[i,j]^2 + (-1)*Σ_{i,j,k} X[i,j]*U[i,k]*V[j,k] + (-1)*Σ_{i,j,k} U[i,k]*V[j,k]*X[i,j] + Σ_{i,j,k,l} U[i,k]*V[j,k]*U[i,l]*V[j,l]
              collect equal terms
                Σ_{i,j} X[i,j]^2 - 2*Σ_{i,j,k} X[i,j]*U[i,k]*V[j,k] + Σ_{i,j,k,l} U[i,j]*U[i,k]*V[l,j]*V[l,k]
            sum(X^2) - 2 * sum(U * (X %*% V)) + sum((t(U) %*% U) * (t(V) %*% V))
              write out indices
                Σ_{i,j} X[i,j]^2 - 2*Σ_{i,j} U[i,j]*(Σ_k X[i,k]*V[k,j]) + Σ_{i,j} (Σ_k U[k,i]*U[k,j])*(Σ_l V[l,i]*V[l,j])
              A - B = A + (-1)*B
                Σ_{i,j} X[i,j]^2 + (-2)*Σ_{i,j} U[i,j]*(Σ_k X[i,k]*V[k,j]) + Σ_{i,j} (Σ_k U[k,i]*U[k,j])*(Σ_l V[l,i]*V[l,j])
              move factor into Σ
                Σ_{i,j} X[i,j]^2 + (-2)*Σ_{i,j} (Σ_k U[i,j]*X[i,k]*V[k,j]) + Σ_{i,j} (Σ_{k,l} U[k,i]*U[k,j]*V[l,i]*V[l,j])
              merge Σ
                Σ_{i,j} X[i,j]^2 + (-2)*Σ_{i,j,k} U[i,j]*X[i,k]*V[k,j] + Σ_{i,j,k,l} U[k,i]*U[k,j]*V[l,i]*V[l,j]
              order factors, rename indices
                Σ_{i,j} X[i,j]^2 - 2*Σ_{i,j,k} X[i,j]*U[i,k]*V[j,k] + Σ_{i,j,k,l} U[i,j]*U[i,k]*V[l,j]*V[l,k]
        "#]],
    );
}

#[test]
fn a_column_result_with_functions_and_sizes() {
    let mut b = Build::new(&[("X", "n x m"), ("w", "m x 1")]);
    let (x, w) = (b.v("X"), b.v("w"));
    let two = b.num(2.0);
    let scaled = b.mul(two, x);
    let e = b.exp(scaled);
    let wt = b.t(w);
    let plus = b.op(Op::Add, &[e, wt]);
    let left = b.op(Op::RowMeans, &[plus]);
    let (es, ws) = (b.op(Op::RowMeans, &[e]), b.op(Op::Mean, &[w]));
    let right = b.add(es, ws);
    check(
        &b,
        left,
        right,
        &expect![[r#"
        rowMeans(exp(2 * X) + t(w))
          write out indices
            m^-1*(Σ_j (exp(2*X[i,j]) + w[j]))
          Σ over +
            m^-1*(Σ_j exp(2*X[i,j]) + Σ_j w[j])
          distribute * over +
            m^-1*(Σ_j exp(2*X[i,j])) + m^-1*(Σ_j w[j])
          order factors, rename indices
            m^-1*(Σ_j w[j]) + m^-1*(Σ_j exp(2*X[i,j]))
        rowMeans(exp(2 * X)) + mean(w)
          write out indices
            m^-1*(Σ_j exp(2*X[i,j])) + m^-1*(Σ_j w[j])
          order factors, rename indices
            m^-1*(Σ_j w[j]) + m^-1*(Σ_j exp(2*X[i,j]))
    "#]],
    );
}

#[test]
fn long_forms_are_cut() {
    let mut b = Build::new(&[
        ("X", "n x m"),
        ("Y", "n x m"),
        ("Z", "n x m"),
        ("W", "n x m"),
    ]);
    let mut sum = b.num(1.0);
    for name in ["X", "Y", "Z", "W"] {
        let x = b.v(name);
        sum = b.add(sum, x);
    }
    let half = b.pow(sum, 5.0);
    let (left, right) = (b.mul(half, half), b.pow(sum, 10.0));
    let Verdict::Equal(proof) = b.decide(left, right) else {
        panic!("both are the tenth power");
    };
    assert!(
        proof.polyterm.ends_with(" + … (937 more terms)"),
        "{}",
        proof.polyterm
    );
    let last = proof.left_steps.last().unwrap();
    assert_eq!(last.rule, "apply the same rules to the end");
    assert_eq!(proof.right_steps.last(), Some(last));
}

#[test]
fn constants_and_diagonals() {
    let mut b = Build::new(&[("A", "6 x 7"), ("v", "6 x 1")]);
    let (a, v) = (b.v("A"), b.v("v"));
    let dv = b.op(Op::Diag, &[v]);
    let one = b.num(1.0);
    let plus = b.add(a, one);
    let product = b.mm(dv, plus);
    let left = b.sum(product);
    let row_sums = b.op(Op::RowSums, &[a]);
    let seven = b.num(7.0);
    let row_sums = b.add(row_sums, seven);
    let right = b.mul(v, row_sums);
    let right = b.sum(right);
    check(
        &b,
        left,
        right,
        &expect![[r#"
        sum(diag(v) %*% (A + 1))
          write out indices
            Σ_{i,j} (Σ_k δ[i,k]*v[i]*(A[k,j] + 1))
          distribute * over +
            Σ_{i,j} (Σ_k (δ[i,k]*v[i]*A[k,j] + δ[i,k]*v[i]))
          merge Σ
            Σ_{i,j,k} (δ[i,k]*v[i]*A[k,j] + δ[i,k]*v[i])
          Σ over +
            Σ_{i,j,k} δ[i,k]*v[i]*A[k,j] + Σ_{i,j,k} δ[i,k]*v[i]
          Σ over δ picks one index
            Σ_{i,j} v[i]*A[i,j] + Σ_{i,j} v[i]
          Σ of a constant
            Σ_{i,j} v[i]*A[i,j] + 7*Σ_i v[i]
          order factors, rename indices
            7*Σ_i v[i] + Σ_{i,j} A[i,j]*v[i]
        sum(v * (rowSums(A) + 7))
          write out indices
            Σ_i v[i]*(Σ_j A[i,j] + 7)
          distribute * over +
            Σ_i (v[i]*(Σ_j A[i,j]) + 7*v[i])
          move factor into Σ
            Σ_i (Σ_j v[i]*A[i,j] + 7*v[i])
          Σ over +
            Σ_i (Σ_j v[i]*A[i,j]) + 7*Σ_i v[i]
          merge Σ
            Σ_{i,j} v[i]*A[i,j] + 7*Σ_i v[i]
          order factors, rename indices
            7*Σ_i v[i] + Σ_{i,j} A[i,j]*v[i]
    "#]],
    );
}

/// What is left of an argument is what stands in the proof.
#[test]
fn a_largest_cell_is_named_by_what_is_left_of_its_argument() {
    let mut b = Build::new(&[("A", "6 x 7")]);
    let (a, two) = (b.v("A"), b.num(2.0));
    let twice = b.mul(two, a);
    let left = b.op(Op::Max, &[twice]);
    let largest = b.op(Op::Max, &[a]);
    let right = b.mul(two, largest);
    let Verdict::Equal(proof) = b.decide(left, right) else {
        panic!("max(2 * A) is 2 * max(A)");
    };
    assert!(!proof.polyterm.contains("2 * A"), "{}", proof.polyterm);
    assert!(proof.polyterm.contains("2*max("), "{}", proof.polyterm);
}

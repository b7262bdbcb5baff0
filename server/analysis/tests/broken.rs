//! The scripts under `fixtures`: what is wrong is told, and the good statements around it are understood.
mod support;
use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect;
use sumac_analysis::{DiskFiles, Options};
use support::{variables, with};

#[test]
fn broken_fixtures_are_told_and_keep_their_good_statements() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/broken");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "dml"))
        .collect();
    files.sort();
    let mut out = String::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let options = Options {
            base_dir: Some(folder.clone()),
            ..Options::default()
        };
        let analysis = with(&text, &options, &DiskFiles);
        let _ = writeln!(out, "{}", path.file_name().unwrap().to_string_lossy());
        for d in &analysis.diagnostics {
            let line = text[..d.range.start].matches('\n').count() + 1;
            let _ = writeln!(out, "  {line} {:?} {}", d.severity, d.code);
        }
        for block in &analysis.blocks {
            for part in block.statements.iter().flat_map(|s| &s.parts) {
                let _ = writeln!(
                    out,
                    "  part `{}` [{}]",
                    &text.as_str()[part.range],
                    block.dag.ty(part.root)
                );
            }
        }
    }
    expect![[r#"
        contradicting_fact.dml
          4 Error contradicting-fact
          7 Warning invalid-fact
          11 Information unknown-size
          part `sum((X - U %*% t(V))^2)` [scalar]
          part `sum((X - S %*% t(V))^2)` [scalar]
          part `loss + other + sum(W)` [scalar]
        half_typed.dml
          9 Error syntax-error
          part `sum((X - U %*% t(V))^2)` [scalar]
          part `sum((X + U %*% t(V))^2)` [scalar]
          part `before + after` [scalar]
        missing_file.dml
          5 Warning missing-file
          part `sum((X - U %*% t(V))^2)` [scalar]
        random_bytes.dml
          5 Information unknown-size
          5 Warning missing-file
          part `sum((X - U %*% t(V))^2)` [scalar]
          part `loss + sum(A)` [scalar]
        shape_mismatch.dml
          4 Warning contradicting-fact
          10 Error shape-mismatch
          part `t(V)` [11 x 10000]
          part `sum((X - U %*% t(S))^2)` [scalar]
          part `wrong + loss` [scalar]
        unknown_size.dml
          5 Information unknown-size
          part `sum(A %*% t(A))` [scalar]
          part `sum((X - U %*% t(V))^2)` [scalar]
          part `unclear + loss` [scalar]
    "#]]
    .assert_eq(&out);
}

#[test]
fn a_real_file_gives_its_size_without_being_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let text = std::fs::read_to_string(folder.join("real_als_loss.dml")).unwrap();
    let options = Options {
        base_dir: Some(folder),
        ..Options::default()
    };
    let analysis = with(&text, &options, &DiskFiles);
    expect![[r#"
        2 X: matrix 1850 x 712, sparsity 0.006648952323109626 (read: data/well1850.mtx.mtd)
        3 U: matrix 1850 x 10 (propagated)
        4 V: matrix 712 x 10 (propagated)
        5 loss: double (propagated)
    "#]]
    .assert_eq(&variables(&text, &analysis));
}

#[test]
fn nothing_is_known_of_what_a_damaged_statement_gives() {
    let text = "\
        n = 5\n\
        a = matrix(1, rows=n, cols=2\n\
        b = matrix(1, rows=3, cols=2)\n\
        if (n > 2) {\n\
        \x20 b = t(b) 7 1\n\
        }\n\
        c = a %*% t(b)\n";
    let analysis = with(text, &Options::default(), &DiskFiles);
    expect![[r#"
        1 n: int = Number(5.0) (propagated)
        2 a: matrix 5 x 2 (propagated)
        3 b: matrix 3 x 2 (propagated)
        5 b: matrix 2 x 3 (propagated)
        7 c: matrix ? x ? (unknown)
    "#]]
    .assert_eq(&variables(text, &analysis));
}

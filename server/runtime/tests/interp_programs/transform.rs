//! Frames encoded as matrices and decoded again.

use super::{check_in, run_with};

const FILE: &str = "name,val,flag\nbob,1.5,TRUE\nann,2.5,FALSE\nbob,3.5,TRUE\n";

#[track_caller]
fn check(text: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.csv"), FILE).unwrap();
    check_in(folder.path(), &with_file(text), expected);
}

fn with_file(text: &str) -> String {
    format!("F = read(\"f.csv\", data_type=\"frame\", format=\"csv\", header=TRUE)\n{text}")
}

#[test]
fn tokens_are_coded_in_the_order_in_which_they_occur() {
    // SystemDS lists the tokens of the metadata in another order.
    check(
        "[X, M] = transformencode(target=F[,1:2], spec=\"{ids:true, recode:[1]}\")\nprint(toString(X))\nprint(toString(M))",
        "1.000 1.500\n2.000 2.500\n1.000 3.500\n\n# FRAME: nrow = 2, ncol = 2\n# name val\n# STRING STRING\nbob\u{b7}1 null\nann\u{b7}2 null\n",
    );
}

#[test]
fn codes_become_columns_and_come_back() {
    check(
        "spec = \"{ids:true, dummycode:[1]}\"\n[X, M] = transformencode(target=F[,1:2], spec=spec)\nprint(toString(X))\nY = transformapply(target=F[,1:2], meta=M, spec=spec)\nprint(sum(X == Y))\nprint(toString(transformdecode(target=X, meta=M, spec=spec)))\nprint(toString(transformcolmap(target=M, spec=spec)))",
        "1.000 0.000 1.500\n0.000 1.000 2.500\n1.000 0.000 3.500\n\n9.0\n# FRAME: nrow = 3, ncol = 2\n# name val\n# STRING FP64\nbob 1.500\nann 2.500\nbob 3.500\n\n1.000 1.000 2.000\n2.000 3.000 3.000\n",
    );
}

#[test]
fn numbers_are_binned() {
    let bins = |method: &str| {
        format!(
            "A = as.frame(matrix(seq(1,10), 10, 1))\nspec = \"{{ids:true, bin:[{{id:1, method:{method}, numbins:3}}]}}\"\n[X, M] = transformencode(target=A, spec=spec)\nprint(toString(t(X)))\nprint(toString(M))\nA2 = as.frame(matrix(\"-5 0 100 4\", 4, 1))\nprint(toString(t(transformapply(target=A2, meta=M, spec=spec))))\nG = transformdecode(target=X[4:5,], meta=M, spec=spec)\nprint(toString(G))"
        )
    };
    let expected = "1.000 1.000 1.000 1.000 2.000 2.000 2.000 3.000 3.000 3.000\n\n# FRAME: nrow = 3, ncol = 1\n# C1\n# STRING\n1.0\u{b7}4.0\n4.0\u{b7}7.0\n7.0\u{b7}10.0\n\n1.000 1.000 3.000 1.000\n\n# FRAME: nrow = 2, ncol = 1\n# C1\n# STRING\n2.5\n5.5\n";
    check(&bins("equi-width"), expected);
    check(&bins("equi-height"), expected);
}

#[test]
fn tokens_that_were_not_there_have_no_code() {
    check(
        "G = F\nG[1,1] = \"zoe\"\nspec = \"{recode:[name]}\"\n[X, M] = transformencode(target=F[,1], spec=spec)\nprint(toString(transformapply(target=G[,1], meta=M, spec=spec)))\nspec = \"{dummycode:[name]}\"\nprint(toString(transformapply(target=G[,1], meta=M, spec=spec)))",
        "NaN\n2.000\n1.000\n\n0.000 0.000\n0.000 1.000\n1.000 0.000\n",
    );
}

#[test]
fn what_does_not_fit_is_said() {
    let message = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f.csv"), FILE).unwrap();
        run_with(folder.path(), None, &with_file(text))
            .1
            .unwrap_err()
            .message
    };
    let m = message("[X, M] = transformencode(target=F, spec=\"{ids:true, recode:[3]}\")");
    assert!(
        m.contains("\"bob\""),
        "a column that is passed through must be numbers: {m}"
    );
    let m = message(
        "[X, M] = transformencode(target=F[,1], spec=\"{ids:true, recode:[1]}\")\nY = transformdecode(target=cbind(X, X), meta=M, spec=\"{ids:true, recode:[1]}\")",
    );
    assert!(m.contains("a matrix of 1 columns"), "{m}");
    let m =
        message("Y = transformapply(target=F[,1], meta=F[,1], spec=\"{ids:true, recode:[1]}\")");
    assert!(m.contains("metadata"), "{m}");
}

#[test]
fn the_number_of_a_column_that_is_not_there_is_passed_over() {
    check(
        "F = as.frame(matrix(\"1 2 3 1 2 2\", 3, 2))\n[X, M] = transformencode(target=F, spec=\"{ids:true, recode:[1,5]}\")\nprint(toString(X))",
        "1.000 2.000\n2.000 1.000\n3.000 2.000\n",
    );
}

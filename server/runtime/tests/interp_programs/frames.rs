//! Frames: made, indexed on both sides, bound, cast, read and written.

use super::{check, check_in, fails_with};

const FILE: &str = "name,val,flag\nbob,1.5,TRUE\nann,2.5,FALSE\nbob,3.5,TRUE\n";

#[track_caller]
fn check_file(text: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f.csv"), FILE).unwrap();
    let text =
        format!("F = read(\"f.csv\", data_type=\"frame\", format=\"csv\", header=TRUE)\n{text}");
    check_in(folder.path(), &text, expected);
}

#[test]
fn a_matrix_becomes_a_frame_of_its_narrowest_types() {
    check(
        "F = as.frame(matrix(seq(1,4),2,2))\nprint(F)\nprint(nrow(F) + \" \" + ncol(F) + \" \" + length(F))",
        "# FRAME: nrow = 2, ncol = 2\n# C1 C2\n# INT32 INT32\n1 2\n3 4\n\n2 2 4",
    );
    check(
        "F = as.frame(matrix(\"1 2.5 0 4\", 2, 2), list(\"a\",\"b\"))\nprint(toString(F))",
        "# FRAME: nrow = 2, ncol = 2\n# a b\n# BOOLEAN FP32\nTRUE 2.5\nFALSE 4.0\n",
    );
    check("F = as.frame(\"abc\")\nprint(as.scalar(F[1,1]))", "abc");
    check(
        "F = as.frame(list(as.frame(\"abc\")))\nprint(as.scalar(F[1,1]))",
        "abc",
    );
    for (list, found) in [
        ("list(1, 2, 3)", "found a list of 3"),
        ("list(matrix(1, 2, 2))", "found a list of a matrix of 2 x 2"),
        ("list()", "found a list of 0"),
    ] {
        fails_with(&format!("F = as.frame({list})"), found);
    }
}

#[test]
fn frames_are_read_with_names_and_types() {
    check_file(
        "print(toString(F))\nprint(toString(colnames(F)))",
        "# FRAME: nrow = 3, ncol = 3\n# name val flag\n# STRING STRING STRING\nbob 1.5 TRUE\nann 2.5 FALSE\nbob 3.5 TRUE\n\n# FRAME: nrow = 1, ncol = 3\n# C1 C2 C3\n# STRING STRING STRING\nname val flag\n",
    );
    check_file(
        "F = read(\"f.csv\", data_type=\"frame\", format=\"csv\", header=TRUE, schema=\"STRING,FP64,BOOLEAN\")\nprint(toString(F, rows=1, cols=2, sep=\",\"))\nprint(toString(as.matrix(F[,2:3])))\nF[1,2] = 7\nF[2,1] = \"zed\"\nprint(toString(F))\nprint(as.scalar(F[1,2]))\nprint(as.scalar(F[1,3]))",
        "# FRAME: nrow = 3, ncol = 3\n#,name,val\n#,STRING,FP64\nbob,1.500\n\n1.500 1.000\n2.500 0.000\n3.500 1.000\n\n# FRAME: nrow = 3, ncol = 3\n# name val flag\n# STRING FP64 BOOLEAN\nbob 7.000 TRUE\nzed 2.500 FALSE\nbob 3.500 TRUE\n\n7.0\nTRUE",
    );
    check_file(
        "F = read(\"f.csv\", data_type=\"frame\", format=\"csv\")\nprint(nrow(F) + as.scalar(F[1,2]))",
        "4val",
    );
}

#[test]
fn frames_are_written_and_read_again() {
    check_file(
        "G = cbind(as.frame(\"a\"), as.frame(2.5), as.frame(TRUE))\nwrite(G, \"g.csv\", format=\"csv\", header=TRUE)\nH = read(\"g.csv\")\nprint(toString(H))",
        "# FRAME: nrow = 1, ncol = 3\n# C1 C2 C3\n# STRING FP64 BOOLEAN\na 2.500 TRUE\n",
    );
    fails_with(
        "write(as.frame(1), \"g\", format=\"mm\")",
        "format csv of a frame",
    );
    fails_with("write(list(1), \"g\")", "a list of 1");
}

#[test]
fn frames_are_sliced_bound_and_changed() {
    check(
        "F = as.frame(matrix(seq(1,6),3,2))\nprint(toString(F[2:3,2]))\nF[1,1] = as.frame(\"99\")\nprint(toString(rbind(F[1,], F[1,])))",
        "# FRAME: nrow = 2, ncol = 1\n# C1\n# INT32\n4\n6\n\n# FRAME: nrow = 2, ncol = 2\n# C1 C2\n# INT32 INT32\n99 2\n99 2\n",
    );
    check(
        "print(toString(rbind(as.frame(3), as.frame(2.5))))",
        "# FRAME: nrow = 2, ncol = 1\n# C1\n# FP64\n3.000\n2.500\n",
    );
    check(
        "print(toString(rbind(as.frame(\"a\"), as.frame(2.5))))",
        "# FRAME: nrow = 2, ncol = 1\n# C1\n# STRING\na\n2.5\n",
    );
    fails_with("F = as.frame(matrix(3,2,2))\nF[1,1] = \"x\"", "INT32");
    fails_with("F = as.frame(\"a\")\nprint(sum(as.matrix(F)))", "\"a\"");
    fails_with("F = as.frame(\"a\")\nprint(F[2,1])", "outside");
    fails_with("F = as.frame(\"a\")\nx = F * 2", "a frame of 1 x 1");
}

#[test]
fn types_are_found_and_applied() {
    check_file(
        "print(toString(detectSchema(F)))\nG = applySchema(F, detectSchema(F))\nprint(toString(G))",
        "# FRAME: nrow = 1, ncol = 3\n# C1 C2 C3\n# STRING STRING STRING\nSTRING FP32 BOOLEAN\n\n# FRAME: nrow = 3, ncol = 3\n# name val flag\n# STRING FP32 BOOLEAN\nbob 1.5 TRUE\nann 2.5 FALSE\nbob 3.5 TRUE\n",
    );
    check(
        "F = frame([\"1\",\"2\",\"x\",\"y\"], rows=2, cols=2, schema=[\"string\",\"string\"])\nprint(toString(F))",
        "# FRAME: nrow = 2, ncol = 2\n# C1 C2\n# STRING STRING\n1 2\nx y\n",
    );
    fails_with(
        "F = frame(1, rows=2, cols=2, schema=[\"number\",\"string\"])",
        "STRING, FP64",
    );
}

#[test]
fn frames_go_through_functions_and_loops() {
    check_file(
        "f = function(frame[string] F) return (frame[string] G) { G = F[1,] }\nprint(toString(f(F)))",
        "# FRAME: nrow = 1, ncol = 3\n# name val flag\n# STRING STRING STRING\nbob 1.5 TRUE\n",
    );
    check_file(
        "for (i in 1:nrow(F)) print(as.scalar(F[i,1]) + \"!\")",
        "bob!\nann!\nbob!",
    );
}

#[test]
fn cells_are_mapped_by_functions_of_text() {
    check_file(
        "G = map(F[,1], \"x -> x.toUpperCase()\")\nprint(toString(G))",
        "# FRAME: nrow = 3, ncol = 1\n# C1\n# STRING\nBOB\nANN\nBOB\n",
    );
    check_file(
        "b = map(F[,1], \"x -> x.equals(\\\"bob\\\") ? \\\"1\\\" : \\\"0\\\"\")\nprint(sum(as.matrix(b)))",
        "2.0",
    );
    fails_with("F = map(as.frame(1), \"x.trim()\")", "x -> x.trim()");
    fails_with("F = map(as.frame(1), \"x -> x\", 1)", "margin 0");
}

#[test]
fn texts_become_truth_values_in_a_frame_of_zeros() {
    check(
        "F = as.frame(matrix(0, 2, 1))\nF[1, 1] = \"the cat\"\nF[2, 1] = \"true\"\nprint(toString(as.matrix(F)))",
        "0.000\n1.000\n",
    );
    fails_with(
        "F = as.frame(matrix(seq(1, 4), 2, 2))\nF[1, 1] = \"abc\"",
        "abc",
    );
}

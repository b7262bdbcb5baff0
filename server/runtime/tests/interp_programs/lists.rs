//! Lists: made, indexed and assigned by place and by name, grown, shrunk and cast.

use super::{check, fails_with};

#[test]
fn lists_print_their_entries() {
    check(
        "l = list(1, 2.5, \"a\", TRUE, matrix(1,2,2))\nprint(toString(l))\nprint(length(l))",
        "List containing:\n[1, 2.5, a, TRUE, \nMatrix:\n1.000 1.000\n1.000 1.000\n]\n5",
    );
    check(
        "print(toString(list(list(1,2),list(a=3))))",
        "List containing:\n[List containing:\n[1, 2], List containing:\n[3]]",
    );
    check("print(toString(list()))", "List containing:]");
}

#[test]
fn an_index_gives_a_list_and_a_cast_gives_its_entry() {
    check(
        "m = list(a=1, b=matrix(2,1,2))\nprint(toString(m['a']))\nprint(as.scalar(m['a']))\nprint(toString(as.matrix(m['b'])))",
        "List containing:\n[1]\n1\n2.000 2.000\n",
    );
    check(
        "l = list(1, 2.5, \"a\")\nprint(l[2:3])",
        "List containing:\n[2.5, a]",
    );
    check(
        "l = list(1, list(2, 3))\nk = as.list(l[2])\nprint(length(k))",
        "2",
    );
    check(
        "l = list(3, 2.5, TRUE)\nprint(toString(as.matrix(l)))",
        "3.000\n2.500\n1.000\n",
    );
}

#[test]
fn entries_are_set_by_place_name_and_range() {
    check(
        "l = list(a=1, b=2)\nl['a'] = \"x\"\nl[2] = matrix(3,1,1)\nprint(toString(l))",
        "List containing:\n[x, \nMatrix:\n3.000\n]",
    );
    check(
        "l = list(1,2,3,4)\nl[2:3] = list(8,9)\nprint(toString(l))",
        "List containing:\n[1, 8, 9, 4]",
    );
    check(
        "k = list(1,2)\nl = k\nl[1] = 9\nprint(toString(k))",
        "List containing:\n[1, 2]",
    );
}

#[test]
fn entries_are_appended_and_removed() {
    check("l = append(list(1,2), list(3,4))\nprint(length(l))", "3");
    check(
        "l = append(list(a=1), list(b=2.5))\nprint(as.scalar(l['b']))",
        "2.5",
    );
    check(
        "l = list()\nfor (i in 1:3) l = append(l, matrix(i,1,1))\nprint(length(l))",
        "3",
    );
    check(
        "l = list(a=1, b=2, c=3)\n[rest, taken] = remove(l, 2)\nprint(toString(rest))\nprint(toString(taken))\nprint(as.scalar(rest['c']))",
        "List containing:\n[1, 3]\nList containing:\n[2]\n3",
    );
}

#[test]
fn the_entries_of_a_list_are_bound_together() {
    let make = "l = list(matrix(1,1,2), matrix(2,1,2))\n";
    check(
        &format!("{make}print(toString(rbind(l)))"),
        "1.000 1.000\n2.000 2.000\n",
    );
    check(
        &format!("{make}print(toString(cbind(l)))"),
        "1.000 1.000 2.000 2.000\n",
    );
    check(
        &format!("{make}print(length(cbind(l, matrix(3,1,2))))"),
        "3",
    );
}

#[test]
fn what_a_list_does_not_have_is_said() {
    fails_with(
        "l = list(1,2)\nprint(l[3])",
        "entry 3 is outside of a list of 2",
    );
    fails_with("l = list(1,2)\nprint(l[0])", "entry 0 is outside");
    fails_with("l = list(a=1)\nprint(l['b'])", "no entry \"b\"; it has a");
    fails_with("l = list(1)\nprint(l['b'])", "has no names");
    fails_with("l = list(1,2)\nl[1] = list(3,4)", "list(x)");
    fails_with("l = list(1,2)\nx = l + 1", "a list of 2");
    fails_with(
        "l = list(matrix(1,1,1), 2)\nx = as.matrix(l)",
        "numbers in a list",
    );
    fails_with("l = list(1, b=2)", "names for all");
}

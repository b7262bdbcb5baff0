//! Which encoding finds what.

use std::time::Duration;

use super::{ENCODINGS, GOALS, goal, search};

#[test]
fn extraction_with_indices_finds_all_goals_and_the_naive_encoding_only_the_first() {
    let mut shown = Vec::new();
    for name in GOALS {
        let goal = goal(name).unwrap();
        for encoding in ENCODINGS {
            let nodes = if encoding.extraction && encoding.de_bruijn {
                100_000
            } else {
                60_000
            };
            let outcome = search(&goal, encoding, nodes, Duration::from_secs(20));
            if outcome.found {
                shown.push(format!("{name}: {}", encoding.name()));
            }
            let again = search(&goal, encoding, 2_000, Duration::from_secs(20));
            let twice = search(&goal, encoding, 2_000, Duration::from_secs(20));
            assert_eq!(again.nodes, twice.nodes, "{name} {}", encoding.name());
        }
    }
    expect_test::expect![[r#"
        reduction: explicit, named
        reduction: explicit, De Bruijn
        reduction: extraction, named
        reduction: extraction, De Bruijn
        fission: explicit, De Bruijn
        fission: extraction, named
        fission: extraction, De Bruijn
        binomial: extraction, De Bruijn"#]]
    .assert_eq(&shown.join("\n"));
}

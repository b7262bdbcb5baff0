//! Scripts with syntax errors in random places: see `sumac_tests::damaged`. `SUMAC_DAMAGED` says how many.

#![expect(clippy::print_stdout, reason = "figures for whoever reads them")]

use sumac_tests::damaged::sweep;

#[test]
fn nothing_is_suggested_for_what_an_error_damages() {
    let count = std::env::var("SUMAC_DAMAGED").ok();
    let count = count.and_then(|text| text.parse().ok()).unwrap_or(300);
    let swept = sweep(count, 20_260_101);
    // For whoever reads figures: name, figure, target.
    println!("damaged.scripts {} {count}", swept.scripts);
    println!("damaged.wrong {} 0", swept.wrong.len());
    assert!(
        swept.wrong.is_empty(),
        "{} of {} scripts:\n{}",
        swept.wrong.len(),
        swept.scripts,
        swept
            .wrong
            .iter()
            .take(8)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n=====\n")
    );
    assert!(
        swept.suggestions > swept.scripts / 4,
        "whole statements keep their suggestions: {} in {}",
        swept.suggestions,
        swept.scripts
    );
}

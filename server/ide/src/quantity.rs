//! Numbers as people read them: durations, sizes, counts, ratios. Must never be parsed back.

/// Seconds as `41.0 s`, `2.1 ms`, `380 µs`.
#[must_use]
pub fn seconds(value: f64) -> String {
    let (value, unit) = match value {
        v if !v.is_finite() => return "?".to_owned(),
        v if v >= 100.0 => return format!("{v:.0} s"),
        v if v >= 1.0 => (v, "s"),
        v if v >= 1e-3 => (v * 1e3, "ms"),
        v if v >= 1e-6 => (v * 1e6, "µs"),
        v => (v * 1e9, "ns"),
    };
    let digits = if value >= 100.0 { 0 } else { 1 };
    format!("{value:.digits$} {unit}")
}

/// Bytes as `40 GB`, `1.5 MB`, in steps of 1000.
#[must_use]
pub fn bytes(value: f64) -> String {
    scaled(value, &["B", "kB", "MB", "GB", "TB", "PB", "EB"])
}

/// Operations or cells as `4.6 G`, `120 k`, `7`.
#[must_use]
pub fn count(value: f64) -> String {
    scaled(value, &["", "k", "M", "G", "T", "P", "E"])
}

/// How many times as large: `19000×`, `2.4×`; three digits at most.
#[must_use]
pub fn ratio(value: f64) -> String {
    match value {
        v if !v.is_finite() => "∞×".to_owned(),
        v if v >= 1e6 => format!("{}×", compact_power(v)),
        v if v >= 10.0 => {
            let step = 10_f64.powf((v.log10().floor() - 2.0).max(0.0));
            format!("{:.0}×", (v / step).round() * step)
        }
        v => format!("{v:.1}×"),
    }
}

/// As [`ratio`] with two digits: for estimates, which do not deserve three.
#[must_use]
pub fn rough_ratio(value: f64) -> String {
    if value.is_finite() && (10.0..1e6).contains(&value) {
        let step = 10_f64.powf((value.log10().floor() - 1.0).max(0.0));
        format!("{:.0}×", (value / step).round() * step)
    } else {
        ratio(value)
    }
}

/// A relative error as `2e-15`.
#[must_use]
pub fn relative_error(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:.0e}")
    }
}

fn compact_power(value: f64) -> String {
    format!("{value:.0e}")
}

fn scaled(value: f64, units: &[&str]) -> String {
    if !value.is_finite() {
        return "?".to_owned();
    }
    let mut value = value;
    let mut unit = 0;
    // 999.95 would print as 1000.0.
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = if unit == 0 || value >= 99.95 { 0 } else { 1 };
    let text = format!("{value:.digits$}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if units[unit].is_empty() {
        text.to_owned()
    } else {
        format!("{text} {}", units[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_pick_their_unit() {
        let texts = [41.0, 0.0021, 3.8e-4, 250.0, 0.1234, 5e-9].map(seconds);
        assert_eq!(
            texts,
            ["41.0 s", "2.1 ms", "380 µs", "250 s", "123 ms", "5.0 ns"]
        );
    }

    #[test]
    fn sizes_and_counts_pick_their_unit() {
        assert_eq!(
            [40e9, 1.5e6, 12.0, 999.9].map(bytes),
            ["40 GB", "1.5 MB", "12 B", "1 kB"]
        );
        assert_eq!([4.6e9, 120e3, 7.0].map(count), ["4.6 G", "120 k", "7"]);
    }

    #[test]
    fn ratios_keep_three_digits_and_estimates_two() {
        assert_eq!(
            [19523.0, 2.44, 123.4, 3e7].map(ratio),
            ["19500×", "2.4×", "123×", "3e7×"]
        );
        assert_eq!(
            [19523.0, 2.44, 123.4].map(rough_ratio),
            ["20000×", "2.4×", "120×"]
        );
        assert_eq!(ratio(f64::INFINITY), "∞×");
    }
}

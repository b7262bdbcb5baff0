//! What this machine computes with, as Linux tells it: timings say nothing without it.

use std::fs;

/// Flags of processors that decide which kernels run, the widest first.
const TIERS: [(&str, &str); 3] = [("avx512f", "AVX-512"), ("avx2", "AVX2"), ("sse2", "SSE2")];

/// The processor's name, its widest vectors, and how many threads there are.
pub(super) fn shown() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "processor: {}, vectors: {}, {threads} threads",
        field(&text, "model name").unwrap_or("unknown"),
        tier(&text)
    )
}

fn tier(cpuinfo: &str) -> &'static str {
    let flags: Vec<&str> = field(cpuinfo, "flags")
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    TIERS
        .iter()
        .find(|(flag, _)| flags.contains(flag))
        .map_or("unknown", |(_, name)| name)
}

fn field<'a>(cpuinfo: &'a str, key: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_vectors_count() {
        let text = "model name\t: A Processor\nflags\t\t: fpu sse2 avx2 avx512f\n";
        assert_eq!(tier(text), "AVX-512");
        assert_eq!(tier("flags\t: sse2 avx2\n"), "AVX2");
        assert_eq!(field(text, "model name"), Some("A Processor"));
    }
}

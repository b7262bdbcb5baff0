//! Where numbers lie in the nearest cache of a processor: lines of it, and sets of lines that fall upon each other.

/// Bytes of a line.
pub(super) const LINE: i64 = 64;
/// Places that are a multiple of so many bytes apart share a set: a page on all that is common, for caches are looked up by what
/// of an address a page leaves open.
const SETS: i64 = 4096;
/// Lines that a set holds, at least.
const WAYS: i64 = 8;

/// Whether so many numbers, so many bytes apart, push each other out.
pub(super) fn is_crowded(count: i64, step: i64) -> bool {
    if step % LINE != 0 || step == 0 {
        return false;
    }
    let (mut a, mut b) = (step.abs(), SETS);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    count / (SETS / a) > WAYS
}

/// Whether lines at these places, in bytes, fill more than half of a set: as many others would push them out.
pub(super) fn fill_a_set(places: impl Iterator<Item = i64>) -> bool {
    let mut lines: Vec<i64> = places.map(|place| place.div_euclid(LINE)).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut sets = [0_i64; 64];
    for line in lines {
        if let Some(set) = usize::try_from(line.rem_euclid(SETS / LINE))
            .ok()
            .and_then(|set| sets.get_mut(set))
        {
            *set += 1;
        }
    }
    sets.iter().any(|lines| 2 * lines > WAYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_a_page_apart_are_crowded_and_others_are_not() {
        assert!(is_crowded(32, 4096));
        assert!(is_crowded(32, 8192));
        assert!(is_crowded(32, 2048));
        assert!(!is_crowded(8, 4096));
        assert!(!is_crowded(32, 1024));
        assert!(!is_crowded(32, 4224));
        assert!(!is_crowded(32, 4100));
        assert!(!is_crowded(32, 0));
    }

    #[test]
    fn more_than_half_of_a_set_is_full() {
        assert!(fill_a_set((0..5).map(|row| row * 4096)));
        assert!(!fill_a_set((0..4).map(|row| row * 4096)));
        assert!(!fill_a_set((0..16).map(|line| line * 64)));
        // Two numbers of one line are one.
        assert!(!fill_a_set((0..8).map(|n| n / 2 * 4096 + n % 2 * 32)));
    }
}

//! Whether compression pays: what operators take over the groups that are expected, over the plain cells, and what making the
//! groups takes. Estimates only, of sizes and counts: no clock decides.
//!
//! Figures are those of one core of the machine that this was written on, and err on the side of the plain cells: these are
//! taken to be read as fast as memory could ever give them. How many cores there are is not asked, for no result may depend on
//! that: two cores are assumed, which one core is in proportion, and more cores are better for the groups, which compute.

use super::Estimate;

/// Seconds for a row and a group of byte codes: of `X v`, and of `t(X) v`, whose sums wait for one another.
const CODE: f64 = 0.35e-9;
const TRANSPOSED_CODE: f64 = 0.5e-9;

/// Seconds for a row that a list names.
const LISTED: f64 = 1.0e-9;

/// Seconds to number a cell of a matrix that is compressed, and to look at one of its sample.
const NUMBER: f64 = 7.0e-9;
const SAMPLE: f64 = 60e-9;

/// Bytes of plain cells that all cores read in a second at best.
const READ: f64 = 8e10;

/// Cores that share what is computed.
const CORES: f64 = 2.0;

/// Seconds of what is done for distinct values only.
const VALUES: f64 = 5e-6;

/// Compressed is what takes less than this share of the plain bytes.
const SHARE: f64 = 1.0 / 3.0;

/// How operators use a matrix.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Uses {
    /// Columns of right factors, and results for each row.
    pub products: f64,
    /// Columns of right factors of the transpose.
    pub transposed: f64,
    /// Operators that go through distinct values only.
    pub values: f64,
    /// Times that the plain cells would be read.
    pub passes: f64,
    /// Uses that need the plain cells.
    pub other: f64,
}

impl Uses {
    /// These and others.
    #[must_use]
    pub fn plus(self, other: Uses) -> Uses {
        Uses {
            products: self.products + other.products,
            transposed: self.transposed + other.transposed,
            values: self.values + other.values,
            passes: self.passes + other.passes,
            other: self.other + other.other,
        }
    }

    /// These so many times.
    #[must_use]
    pub fn times(self, factor: f64) -> Uses {
        Uses {
            products: self.products * factor,
            transposed: self.transposed * factor,
            values: self.values * factor,
            passes: self.passes * factor,
            other: self.other * factor,
        }
    }

    /// Seconds to read so many plain bytes in each pass.
    #[must_use]
    pub fn plain_seconds(&self, bytes: f64) -> f64 {
        self.passes * bytes / READ
    }
}

/// Seconds to look at a sample of a matrix and to compress it.
#[must_use]
pub fn making_seconds(rows: usize, cols: usize) -> f64 {
    let sampled = SAMPLE * (rows.min(8192) * cols) as f64;
    sampled + NUMBER * rows as f64 * cols as f64 / CORES
}

impl Estimate {
    /// Whether the groups take much less than the plain bytes.
    #[must_use]
    pub fn is_small(&self, plain_bytes: f64) -> bool {
        self.bytes < SHARE * plain_bytes
    }

    /// Seconds of these uses over the groups; what needs plain cells is not counted.
    #[must_use]
    pub fn seconds(&self, uses: &Uses) -> f64 {
        let of = |code: f64| code * self.codes + LISTED * self.listed;
        let parallel = uses.products * of(CODE) + uses.transposed * of(TRANSPOSED_CODE);
        // Columns as they are are read by every use.
        let passes = uses.products + uses.transposed + uses.values;
        let plain = Uses {
            passes,
            ..Uses::default()
        };
        parallel / CORES + plain.plain_seconds(self.plain_bytes) + VALUES * passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `codes` groups of byte codes over a million rows.
    fn estimate(codes: f64) -> Estimate {
        Estimate {
            plan: Vec::new(),
            bytes: codes * 1e6,
            plain_bytes: 0.0,
            codes: codes * 1e6,
            listed: 0.0,
        }
    }

    #[test]
    fn products_pay_where_columns_go_together_and_not_where_they_do_not() {
        let plain = 40.0 * 8e6;
        let uses = Uses {
            products: 1.0,
            transposed: 1.0,
            passes: 2.0,
            ..Uses::default()
        };
        let seconds = |codes: f64| estimate(codes).seconds(&uses);
        assert!(seconds(10.0) < 0.8 * uses.plain_seconds(plain));
        assert!(seconds(40.0) > uses.plain_seconds(plain));
        assert!(estimate(10.0).is_small(plain) && !estimate(400.0).is_small(plain));
    }

    #[test]
    fn columns_as_they_are_save_nothing() {
        let mut kept = estimate(1.0);
        kept.plain_bytes = 300e6;
        let uses = Uses {
            products: 10.0,
            passes: 10.0,
            ..Uses::default()
        };
        assert!(kept.seconds(&uses) > uses.plain_seconds(300e6));
        assert_eq!(uses.plus(uses), uses.times(2.0));
    }
}

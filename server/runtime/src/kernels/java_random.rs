//! The generators of random numbers that Java and SystemDS use, so that a seed gives the numbers that it gives there.
//!
//! `JavaRandom` is the 48-bit linear congruential generator of the Java platform's specification (`java.util.Random`).
//! `Well1024a` is by Panneton, L'Ecuyer and Matsumoto, ACM TOMS 32(1), 2006. Neither is fit for secrets.

/// The multiplier of the linear congruential generator.
const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

/// `java.util.Random`.
#[derive(Clone, Debug)]
pub(crate) struct JavaRandom(u64);

impl JavaRandom {
    pub(crate) fn new(seed: i64) -> Self {
        JavaRandom((seed as u64 ^ MULTIPLIER) & MASK)
    }

    /// The upper `bits` of the next state, as a signed number.
    fn next(&mut self, bits: u32) -> i32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        (self.0 >> (48 - bits)) as i32
    }

    pub(crate) fn next_int(&mut self) -> i32 {
        self.next(32)
    }

    /// Evenly in `0..bound`, for a positive bound.
    pub(crate) fn next_below(&mut self, bound: i32) -> i32 {
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(self.next(31))) >> 31) as i32;
        }
        loop {
            let bits = self.next(31);
            let value = bits % bound;
            // The last, incomplete group of `bound` numbers is drawn again.
            if bits.wrapping_sub(value).wrapping_add(bound - 1) >= 0 {
                return value;
            }
        }
    }

    pub(crate) fn next_long(&mut self) -> i64 {
        (i64::from(self.next(32)) << 32).wrapping_add(i64::from(self.next(32)))
    }

    /// Evenly in [0, 1), in steps of 2^-53.
    pub(crate) fn next_double(&mut self) -> f64 {
        let high = i64::from(self.next(26)) << 27;
        (high + i64::from(self.next(27))) as f64 * 2f64.powi(-53)
    }
}

/// WELL1024a.
#[derive(Clone, Debug)]
pub(crate) struct Well1024a {
    state: [u32; 32],
    at: usize,
}

impl Well1024a {
    pub(crate) fn new(state: [u32; 32]) -> Self {
        Well1024a { state, at: 0 }
    }

    /// As Commons Math begins from one number: two words, and the rest from those before (Knuth's multiplier).
    pub(crate) fn from_seed(seed: i64) -> Self {
        let mut state = [0_u32; 32];
        state[0] = (seed as u64 >> 32) as u32;
        state[1] = seed as u32;
        for i in 2..32 {
            // The word is taken as a signed number there.
            let before = i64::from(state[i - 2] as i32);
            let mixed = 1_812_433_253_i64.wrapping_mul(before ^ (before >> 30));
            state[i] = mixed.wrapping_add(i as i64) as u32;
        }
        Self::new(state)
    }

    pub(crate) fn next_word(&mut self) -> u32 {
        let i = self.at;
        let word = |offset: usize| self.state[(i + offset) & 31];
        let z0 = word(31);
        let z1 = word(0) ^ word(3) ^ (word(3) >> 8);
        let z2 = word(24) ^ (word(24) << 19) ^ word(10) ^ (word(10) << 14);
        let z3 = z1 ^ z2;
        let new = z0 ^ (z0 << 11) ^ z1 ^ (z1 << 7) ^ z2 ^ (z2 << 13);
        self.state[i] = z3;
        self.at = (i + 31) & 31;
        self.state[self.at] = new;
        new
    }

    pub(crate) fn next_long(&mut self) -> i64 {
        let high = u64::from(self.next_word()) << 32;
        (high | u64::from(self.next_word())) as i64
    }

    /// Evenly in [0, 1), in steps of 2^-52.
    pub(crate) fn next_double(&mut self) -> f64 {
        let high = u64::from(self.next_word() >> 6) << 26;
        (high | u64::from(self.next_word() >> 6)) as f64 * 2f64.powi(-52)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // What Java 17 and Commons Math 3.4.1 print for these seeds.

    #[test]
    fn seeds_give_what_java_gives() {
        let new = || JavaRandom::new(42);
        let mut random = new();
        assert_eq!(
            (random.next_int(), random.next_int()),
            (-1_170_105_035, 234_785_527)
        );
        assert_eq!(new().next_double(), 0.727_563_680_032_868_1);
        assert_eq!(new().next_long(), -5_025_562_857_975_149_833);
        let mut random = new();
        let small: Vec<i32> = (0..5).map(|_| random.next_below(10)).collect();
        assert_eq!(small, [0, 3, 8, 4, 0]);
        assert_eq!(new().next_below(16), 11);
    }

    #[test]
    fn the_long_period_generator_gives_what_commons_math_gives() {
        let three = |seed| {
            let mut well = Well1024a::from_seed(seed);
            (well.next_long(), well.next_long(), well.next_double())
        };
        assert_eq!(
            three(7),
            (
                -6_457_588_919_639_022_499,
                -5_845_097_240_399_440_213,
                0.716_395_430_093_706_8
            )
        );
        assert_eq!(
            three(-7_000_000_000),
            (
                1_074_049_992_785_121_750,
                5_385_564_059_430_085_945,
                0.439_650_364_750_096_2
            )
        );
    }
}

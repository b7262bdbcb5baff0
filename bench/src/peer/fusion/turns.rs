//! What a program took in its turns. The fastest one counts, as it says most about the program and least about its neighbours.

use std::fmt;

use anyhow::Result;

/// Milliseconds, one figure for each turn.
pub(super) struct Turns(Vec<f64>);

impl Turns {
    pub(super) const fn new() -> Turns {
        Turns(Vec::new())
    }

    pub(super) fn add(&mut self, milliseconds: f64) {
        self.0.push(milliseconds);
    }

    /// Of all turns; infinite when there was none.
    pub(super) fn fastest(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn slowest(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

/// One more turn, unless one has failed: then the reason stays.
pub(super) fn extend(turns: &mut Result<Turns, String>, turn: impl FnOnce() -> Result<f64>) {
    let Ok(known) = turns else { return };
    match turn() {
        Ok(milliseconds) => known.add(milliseconds),
        Err(error) => *turns = Err(format!("{error:#}")),
    }
}

/// `4.93 ms (to 6.31)`
impl fmt::Display for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ms", self.fastest())?;
        if self.0.len() > 1 {
            write!(f, " (to {:.2})", self.slowest())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<const N: usize> From<[f64; N]> for Turns {
        fn from(milliseconds: [f64; N]) -> Turns {
            Turns(milliseconds.to_vec())
        }
    }

    #[test]
    fn the_fastest_turn_counts_and_a_failure_stays() {
        let mut turns = Ok(Turns::new());
        for milliseconds in [6.31, 4.93, 5.5] {
            extend(&mut turns, || Ok(milliseconds));
        }
        let known = turns.as_ref().ok();
        assert_eq!(
            known.map(ToString::to_string).as_deref(),
            Some("4.93 ms (to 6.31)")
        );
        extend(&mut turns, || anyhow::bail!("it has ended"));
        extend(&mut turns, || Ok(1.0));
        assert_eq!(turns.err().as_deref(), Some("it has ended"));
    }
}

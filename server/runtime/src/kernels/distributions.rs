//! Probabilities and quantiles of the distributions that scripts can name, by the library `statrs`.
//!
//! Quantiles are found by halving an interval of the cumulative probability until it is two neighbouring numbers.

use statrs::distribution::{ChiSquared, ContinuousCDF, Exp, FisherSnedecor, Normal, StudentsT};

use crate::error::OpError;

/// A distribution with its parameters.
#[derive(Clone, Copy, Debug)]
pub enum Distribution {
    /// Bell-shaped.
    Normal(Normal),
    /// Waiting times.
    Exponential(Exp),
    /// Sums of squares.
    ChiSquared(ChiSquared),
    /// Ratios of variances.
    F(FisherSnedecor),
    /// Means of few values.
    T(StudentsT),
}

/// What a call says of a distribution, by SystemDS's names.
#[derive(Clone, Copy, Default, Debug)]
pub struct Parameters {
    /// Of the normal distribution; 0 by default.
    pub mean: Option<f64>,
    /// Its standard deviation; 1 by default.
    pub sd: Option<f64>,
    /// Of the exponential distribution; 1 by default.
    pub rate: Option<f64>,
    /// Degrees of freedom, whole.
    pub df: Option<f64>,
    /// Degrees of freedom of the numerator.
    pub df1: Option<f64>,
    /// Degrees of freedom of the denominator.
    pub df2: Option<f64>,
}

impl Distribution {
    /// The distribution called `name`: `normal`, `exp`, `chisq`, `f` or `t`.
    ///
    /// # Errors
    /// When there is none by that name, or a parameter is missing or does not fit; `op` is named as who asked.
    pub fn new(op: &str, name: &str, given: &Parameters) -> Result<Distribution, OpError> {
        let above_zero = |what: &str, value: f64| {
            if value > 0.0 && value.is_finite() {
                return Ok(value);
            }
            let found = crate::format::number(value);
            Err(OpError::argument(op, format!("{what} above zero"), found))
        };
        // SystemDS cuts fractions of degrees of freedom off.
        let degrees = |what: &str, value: Option<f64>| match value {
            Some(value) => above_zero(what, value.trunc()),
            None => Err(OpError::argument(
                op,
                format!("`{what}`, degrees of freedom"),
                "none",
            )),
        };
        let odd = |_| OpError::argument(op, "parameters that fit the distribution", "others");
        Ok(match name {
            "normal" => {
                let mean = given.mean.unwrap_or(0.0);
                let sd = above_zero("sd", given.sd.unwrap_or(1.0))?;
                Distribution::Normal(
                    Normal::new(mean, sd)
                        .map_err(|_| OpError::argument(op, "a finite mean", mean))?,
                )
            }
            "exp" => {
                let rate = above_zero("rate", given.rate.unwrap_or(1.0))?;
                Distribution::Exponential(
                    Exp::new(rate).map_err(|_| OpError::argument(op, "a finite rate", rate))?,
                )
            }
            "chisq" => Distribution::ChiSquared(
                ChiSquared::new(degrees("df", given.df)?).map_err(|_| odd(()))?,
            ),
            "f" => Distribution::F(
                FisherSnedecor::new(degrees("df1", given.df1)?, degrees("df2", given.df2)?)
                    .map_err(|_| odd(()))?,
            ),
            "t" => Distribution::T(
                StudentsT::new(0.0, 1.0, degrees("df", given.df)?).map_err(|_| odd(()))?,
            ),
            other => {
                return Err(OpError::argument(
                    op,
                    "dist \"normal\", \"exp\", \"chisq\", \"f\" or \"t\"",
                    format!("\"{other}\""),
                ));
            }
        })
    }

    /// The probability of values up to `x`, or, with `lower` false, of values above.
    #[must_use]
    pub fn probability(&self, x: f64, lower: bool) -> f64 {
        if x.is_nan() {
            return f64::NAN;
        }
        match (self, lower) {
            (Distribution::Normal(d), true) => d.cdf(x),
            (Distribution::Normal(d), false) => d.sf(x),
            // Small probabilities must not come from a difference to one.
            (Distribution::Exponential(d), true) => -(-d.rate() * x.max(0.0)).exp_m1(),
            (Distribution::Exponential(d), false) => (-d.rate() * x.max(0.0)).exp(),
            (Distribution::ChiSquared(d), true) => d.cdf(x),
            (Distribution::ChiSquared(d), false) => d.sf(x),
            (Distribution::F(d), true) => d.cdf(x),
            (Distribution::F(d), false) => d.sf(x),
            (Distribution::T(d), true) => d.cdf(x),
            (Distribution::T(d), false) => d.sf(x),
        }
    }

    /// The value up to which the probability is `p`.
    ///
    /// # Errors
    /// When `p` is not between 0 and 1; `op` is named as who asked.
    pub fn quantile(&self, op: &str, p: f64) -> Result<f64, OpError> {
        if !(0.0..=1.0).contains(&p) {
            return Err(OpError::argument(
                op,
                "a probability between 0 and 1",
                crate::format::number(p),
            ));
        }
        let two_sided = matches!(self, Distribution::Normal(_) | Distribution::T(_));
        if p == 1.0 {
            return Ok(f64::INFINITY);
        }
        if p == 0.0 {
            return Ok(if two_sided { f64::NEG_INFINITY } else { 0.0 });
        }
        if let Distribution::Exponential(d) = self {
            return Ok(-(-p).ln_1p() / d.rate());
        }
        // Symmetric ones are searched on the side where probabilities are small numbers, not nearly one.
        let centre = match self {
            Distribution::Normal(d) => d.inverse_cdf(0.5),
            _ => 0.0,
        };
        if two_sided && p == 0.5 {
            return Ok(centre);
        }
        let mut bounds = if two_sided {
            let reach = self.reach(centre, p.min(1.0 - p));
            if p < 0.5 {
                (centre - reach, centre)
            } else {
                (centre, centre + reach)
            }
        } else {
            let mut high = 1.0;
            while self.probability(high, true) < p && high < f64::MAX / 2.0 {
                high *= 2.0;
            }
            (0.0, high)
        };
        let is_low = |x: f64| {
            if p > 0.5 {
                self.probability(x, false) > 1.0 - p
            } else {
                self.probability(x, true) < p
            }
        };
        for _ in 0..1100 {
            let middle = bounds.0 + (bounds.1 - bounds.0) / 2.0;
            if middle <= bounds.0 || middle >= bounds.1 {
                break;
            }
            if is_low(middle) {
                bounds.0 = middle;
            } else {
                bounds.1 = middle;
            }
        }
        Ok(bounds.1)
    }

    /// How far below the centre less than `p` is left.
    fn reach(&self, centre: f64, p: f64) -> f64 {
        let mut reach = 1.0;
        while self.probability(centre - reach, true) > p && reach < f64::MAX / 2.0 {
            reach *= 2.0;
        }
        reach
    }
}

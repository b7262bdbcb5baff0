//! Which vector instructions kernels use: the widest of this processor, or fewer where `SUMAC_VECTORS` says so, so that what
//! narrower processors compute and take can be tested and timed on a wider one.
//!
//! It must never name a tier that the processor lacks: kernels call functions that are compiled for it.

use std::sync::LazyLock;

/// Names the widest tier that kernels may use.
pub const VARIABLE: &str = "SUMAC_VECTORS";

/// A set of vector instructions; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// What every processor of this architecture has.
    Portable,
    /// 256 bits: AVX2, with fused multiply-add and the instructions on bits (BMI1, BMI2, POPCNT).
    Avx2,
    /// 512 bits: AVX-512F beside all of [`Tier::Avx2`].
    Avx512,
}

impl Tier {
    /// All tiers, the narrowest first.
    pub const ALL: [Tier; 3] = [Tier::Portable, Tier::Avx2, Tier::Avx512];

    /// As [`VARIABLE`] spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tier::Portable => "portable",
            Tier::Avx2 => "avx2",
            Tier::Avx512 => "avx512",
        }
    }

    /// The tier of a name.
    ///
    /// # Errors
    /// There is none; the message lists those that there are.
    pub fn parse(name: &str) -> Result<Tier, String> {
        let named = Tier::ALL.into_iter().find(|tier| tier.name() == name);
        named.ok_or_else(|| {
            let names = Tier::ALL.map(Tier::name).join(", ");
            format!("{VARIABLE}={name}: expected one of {names}")
        })
    }

    /// The tier that kernels of this process use: asked once. A name that is no tier counts as none: programs
    /// refuse it when they start, by [`Tier::asked`].
    #[inline]
    #[must_use]
    pub fn here() -> Tier {
        static HERE: LazyLock<Tier> = LazyLock::new(|| {
            let detected = Tier::detected();
            let asked = Tier::asked().ok().flatten();
            asked.map_or(detected, |asked| asked.min(detected))
        });
        *HERE
    }

    /// What [`VARIABLE`] asks for; `Ok(None)` where it is not set.
    ///
    /// # Errors
    /// It names no tier.
    pub fn asked() -> Result<Option<Tier>, String> {
        let Some(name) = std::env::var_os(VARIABLE) else {
            return Ok(None);
        };
        Tier::parse(&name.to_string_lossy()).map(Some)
    }

    /// The widest tier of this processor.
    #[must_use]
    pub fn detected() -> Tier {
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            if has_avx2 && is_x86_feature_detected!("avx512f") {
                return Tier::Avx512;
            }
            if has_avx2 {
                return Tier::Avx2;
            }
        }
        Tier::Portable
    }
}

/// Whether kernels may use what finds all bits of a word at once (AVX-512 VBMI2 and BW), beside [`Tier::Avx512`].
#[inline]
#[must_use]
pub fn has_compress() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        Tier::here() == Tier::Avx512
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512bw")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_its_tier_and_another_one_is_refused_with_all_names() {
        for tier in Tier::ALL {
            assert_eq!(Tier::parse(tier.name()), Ok(tier));
        }
        let error = Tier::parse("AVX").unwrap_err();
        assert!(
            error.contains("SUMAC_VECTORS=AVX") && error.contains("avx2"),
            "{error}"
        );
    }

    #[test]
    fn no_tier_is_wider_than_the_processor() {
        assert!(Tier::here() <= Tier::detected());
        assert!(!has_compress() || Tier::here() == Tier::Avx512);
    }
}

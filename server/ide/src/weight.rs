//! What remembered results take of memory, by estimate: texts by their length, graphs by their nodes. Must never be
//! used for anything but bounds of caches.

use sumac_advice::Proof;
use sumac_la::Dag;

use crate::CanonicalProof;
use crate::asserts::VerdictCache;
use crate::suggestion::edits::Edits;
use crate::suggestion::{Advice, Forms, Suggestion};

/// A node of a graph with what stands around it.
const NODE: usize = 160;
/// A verdict with its key; a counterexample's texts are short.
const VERDICT: usize = 1024;

/// What a text takes beside its letters.
const TEXT: usize = 32;

/// What a graph of expressions takes of memory.
pub(crate) fn of_dag(dag: &Dag) -> usize {
    NODE * dag.len()
}

impl Suggestion {
    /// What it takes of memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let texts = [&self.original, &self.optimized, &self.statement];
        let texts: usize = texts.iter().map(|text| text.len()).sum();
        let edits = std::iter::once(&self.edits).chain(&self.edits_with_temporaries);
        let edits: usize = edits.map(Edits::bytes).sum();
        let assumes: usize = self.assumes.iter().map(String::len).sum();
        let (Forms { written, whole }, pair) = (&*self.forms, &*self.pair);
        let (a, b) = (&pair.original, &pair.optimized);
        let graphs = [a, b, &written.0, &written.1, &whole.0, &whole.1];
        let graphs: usize = graphs.into_iter().map(of_dag).sum();
        let proof = of_proof(&self.proof);
        size_of::<Self>() + size_of::<Advice>() + texts + edits + assumes + graphs + proof
    }
}

/// What a proof takes of memory: the whole expression stands in each step.
fn of_proof(proof: &Proof) -> usize {
    let steps = |proof: &CanonicalProof| -> usize {
        let steps = proof.left_steps.iter().chain(&proof.right_steps);
        steps.map(|step| step.text.len() + 2 * TEXT).sum()
    };
    let texts = |proof: &CanonicalProof| -> usize {
        let texts = proof.assumes.iter().chain([&proof.polyterm]);
        texts.map(|text| text.len() + TEXT).sum()
    };
    proof
        .0
        .iter()
        .map(|proof| steps(proof) + texts(proof))
        .sum()
}

impl VerdictCache {
    /// What it takes of memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len() * VERDICT
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::fixture::{LOSS, snapshot, suggestion};

    #[test]
    fn longer_texts_and_larger_graphs_weigh_more() {
        let snapshot = snapshot(LOSS);
        let one = suggestion(&snapshot, "sum((X - U %*% t(V))^2)", "1");
        let mut longer = one.clone();
        longer.advice_mut().optimized.push_str(&"+ 1".repeat(100));
        assert_eq!(longer.bytes(), one.bytes() + 300);
        let mut larger = one.clone();
        Arc::make_mut(&mut larger.advice_mut().pair).optimized = one.pair.original.clone();
        let nodes = |suggestion: &crate::suggest::Suggestion| suggestion.pair.optimized.len();
        assert_eq!(larger.bytes() > one.bytes(), nodes(&larger) > nodes(&one));
    }
}

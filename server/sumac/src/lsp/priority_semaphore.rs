//! Who may search now. Searches take whole cores, so only so many run at a time, and the most urgent one is next:
//! what is edited or seen in the document that was touched last.
//!
//! Must never be asked for what a person waits for by the millisecond: requests do not wait for a permit.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// How urgent a search is, the most urgent one first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Urgency {
    /// What the person looks at.
    pub attention: Attention,
    /// When the document was touched last.
    pub touched: Reverse<u64>,
}

/// How near a block is to what the person does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Attention {
    /// It was just edited.
    Edited,
    /// It is on the screen.
    Seen,
    /// It is somewhere else.
    Elsewhere,
}

/// The permits of a session.
#[derive(Debug)]
pub struct PrioritySemaphore(Mutex<State>);

#[derive(Debug)]
struct State {
    free: usize,
    /// Who waits; the second part keeps equals in the order in which they came.
    waiting: BTreeMap<(Urgency, u64), oneshot::Sender<Permit>>,
    came: u64,
}

/// The right to search, until it is dropped.
#[derive(Debug)]
pub struct Permit(Arc<PrioritySemaphore>);

impl Default for PrioritySemaphore {
    /// One core stays free for what a person waits for.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        PrioritySemaphore::new(cores.saturating_sub(1).max(1))
    }
}

impl PrioritySemaphore {
    fn new(free: usize) -> Self {
        PrioritySemaphore(Mutex::new(State {
            free,
            waiting: BTreeMap::new(),
            came: 0,
        }))
    }

    /// Waits until it is this search's turn. Who does not wait any more is passed over.
    pub async fn take(self: &Arc<Self>, urgency: Urgency) -> Permit {
        let turn = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                return Permit(Arc::clone(self));
            }
            let (sender, turn) = oneshot::channel();
            state.came += 1;
            let place = (urgency, state.came);
            state.waiting.insert(place, sender);
            turn
        };
        // A sender is only ever dropped by sending.
        turn.await.unwrap_or_else(|_| Permit(Arc::clone(self)))
    }

    /// How many wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let state = self.state();
        let waits = |sender: &&oneshot::Sender<Permit>| !sender.is_closed();
        state.waiting.values().filter(waits).count()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let next = {
            let mut state = self.0.state();
            loop {
                match state.waiting.pop_first() {
                    Some((_, sender)) if sender.is_closed() => {}
                    Some((_, sender)) => break Some(sender),
                    None => {
                        state.free += 1;
                        break None;
                    }
                }
            }
        };
        // If it is not taken, it is dropped outside of the lock, and passed on.
        if let Some(sender) = next {
            drop(sender.send(Permit(Arc::clone(&self.0))));
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    fn urgency(attention: Attention, touched: u64) -> Urgency {
        Urgency {
            attention,
            touched: Reverse(touched),
        }
    }

    #[tokio::test]
    async fn the_most_urgent_is_next_and_who_left_is_passed_over() {
        use Attention::{Edited, Elsewhere, Seen};
        let semaphore = Arc::new(PrioritySemaphore::new(1));
        let first = semaphore.take(urgency(Elsewhere, 1)).await;
        let (done, mut order) = unbounded_channel();
        let waiting = [
            (Elsewhere, 9),
            (Seen, 2),
            (Edited, 1),
            (Edited, 3),
            (Seen, 2),
        ];
        let mut tasks = Vec::new();
        for (number, (attention, touched)) in waiting.into_iter().enumerate() {
            let (own, done) = (Arc::clone(&semaphore), done.clone());
            tasks.push(tokio::spawn(async move {
                let _turn = own.take(urgency(attention, touched)).await;
                done.send(number).unwrap();
            }));
            // Until it waits.
            while semaphore.waiting() <= number {
                tokio::task::yield_now().await;
            }
        }
        tasks[3].abort();
        while semaphore.waiting() > 4 {
            tokio::task::yield_now().await;
        }
        drop((first, done));
        let mut seen = Vec::new();
        while let Some(number) = order.recv().await {
            seen.push(number);
        }
        assert_eq!(seen, [2, 1, 4, 0]);
        let _again = semaphore.take(urgency(Elsewhere, 0)).await;
    }
}

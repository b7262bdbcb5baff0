//! The end of a server's input that is written to from one side, and closed from another.

use std::io::{self, Write};
use std::process::ChildStdin;
use std::sync::{Arc, Mutex, PoisonError};

/// The end of the input that can be closed from outside.
#[derive(Clone)]
pub(super) struct Input(Arc<Mutex<Option<ChildStdin>>>);

impl Input {
    pub(super) fn of(input: Option<ChildStdin>) -> Input {
        Input(Arc::new(Mutex::new(input)))
    }

    /// Nothing more is written.
    pub(super) fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Write for Input {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(input) => input.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

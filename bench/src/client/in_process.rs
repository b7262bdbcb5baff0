//! A server in this process, for tests of what drives servers: the same protocol, no program to build.

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::runtime::Runtime;

use super::Session;

/// A half of a pipe, from outside of the runtime that the server runs on.
struct Outside<T> {
    runtime: Arc<Runtime>,
    half: T,
}

impl Read for Outside<ReadHalf<DuplexStream>> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.runtime.block_on(self.half.read(buffer))
    }
}

impl Write for Outside<WriteHalf<DuplexStream>> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.runtime.block_on(self.half.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.runtime.block_on(self.half.flush())
    }
}

/// A session with a server of its own that nobody has said anything to.
pub(crate) fn session() -> Session {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = Arc::new(runtime.expect("threads for a server"));
    let (client, server) = tokio::io::duplex(1 << 20);
    let (input, output) = tokio::io::split(server);
    runtime.spawn(sumac::lsp::serve(input, output));
    let (read, write) = tokio::io::split(client);
    let outside = Outside {
        runtime: Arc::clone(&runtime),
        half: read,
    };
    let input = Outside {
        runtime,
        half: write,
    };
    Session::over(Box::new(input), BufReader::new(outside))
}

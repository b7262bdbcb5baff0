//! The worker on its own: for tests, and for programs that embed the engine.

fn main() -> std::process::ExitCode {
    sumac_engine::worker_main()
}

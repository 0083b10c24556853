use std::process::ExitCode;

fn main() -> ExitCode {
    iogauge_own::main()
}

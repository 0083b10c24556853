package iogauge.runner;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** The runner: answers one request after the other until its standard input ends. */
public final class Main {

    private Main() {}

    /** Takes no arguments: everything arrives on the channel, as {@code docs/wire.md} says. */
    public static void main(String[] arguments) throws IOException {
        // From here on nothing that a library reads or prints can touch the channel.
        System.setIn(InputStream.nullInputStream());
        System.setOut(System.err);
        Channel channel = new Channel(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
        Runner runner = new Runner();
        Exit.guard(channel, runner);
        runner.serve(channel);
        Exit.expected();
        // A strategy's threads, if any still run, must not keep the process alive.
        System.exit(0);
    }
}

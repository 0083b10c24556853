package iogauge.runner;

import java.io.IOException;

/**
 * What is left to do when the user's code calls {@link System#exit}: the request that led to it is answered with that
 * reason, and those that follow are answered as ever. A virtual machine that ends waits for such a thread.
 */
final class Exit extends Thread {

    private static volatile boolean over;

    private final Channel channel;
    private final Runner runner;

    private Exit(Channel channel, Runner runner) {
        this.channel = channel;
        this.runner = runner;
    }

    /** To be called before code of the user's is loaded; without any, nothing is done. */
    static void guard(Channel channel, Runner runner) {
        if (Own.isThere()) {
            Runtime.getRuntime().addShutdownHook(new Exit(channel, runner));
        }
    }

    /** The runner ends now, by itself. */
    static void expected() {
        over = true;
    }

    @Override
    public void run() {
        if (over || !called()) {
            return;
        }
        try {
            channel.send(Runner.error(Own.ended()));
            runner.serve(channel);
        } catch (IOException e) {
            // The host is gone.
        }
    }

    private static boolean called() {
        for (StackTraceElement[] stack : getAllStackTraces().values()) {
            for (StackTraceElement each : stack) {
                if (each.getClassName().equals("java.lang.Runtime") && each.getMethodName().equals("exit")) {
                    return true;
                }
            }
        }
        return false; // a signal
    }
}

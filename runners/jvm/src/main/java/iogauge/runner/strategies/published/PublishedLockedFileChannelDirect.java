package iogauge.runner.strategies.published;

/** {@link java.nio.channels.FileChannel#open} and a direct buffer, a shared lock being held. */
public final class PublishedLockedFileChannelDirect extends SummedChannel {

    public PublishedLockedFileChannelDirect() {
        super(Opened.LOCKED_FILE, Into.DIRECT);
    }
}

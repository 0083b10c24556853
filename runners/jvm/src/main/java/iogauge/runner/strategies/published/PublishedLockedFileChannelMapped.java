package iogauge.runner.strategies.published;

/** {@link java.nio.channels.FileChannel#open} and one mapping, a shared lock being held. */
public final class PublishedLockedFileChannelMapped extends SummedChannel {

    public PublishedLockedFileChannelMapped() {
        super(Opened.LOCKED_FILE, Into.MAPPED);
    }
}

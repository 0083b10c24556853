package iogauge.runner.strategies.published;

/** {@link java.nio.channels.FileChannel#open} and one mapping, a shared lock being held. */
public final class PublishedLockedFileChannelMapped extends LockedChannel {

    public PublishedLockedFileChannelMapped() {
        super(Opened.DIRECTLY, Into.MAPPED);
    }
}

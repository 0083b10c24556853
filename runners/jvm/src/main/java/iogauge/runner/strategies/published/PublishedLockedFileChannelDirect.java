package iogauge.runner.strategies.published;

/** {@link java.nio.channels.FileChannel#open} and a direct buffer, a shared lock being held. */
public final class PublishedLockedFileChannelDirect extends LockedChannel {

    public PublishedLockedFileChannelDirect() {
        super(Opened.DIRECTLY, Into.DIRECT);
    }
}

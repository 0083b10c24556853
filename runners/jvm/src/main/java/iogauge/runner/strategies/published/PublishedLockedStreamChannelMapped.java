package iogauge.runner.strategies.published;

/** {@link java.io.FileInputStream#getChannel} and one mapping, a shared lock being held. */
public final class PublishedLockedStreamChannelMapped extends LockedChannel {

    public PublishedLockedStreamChannelMapped() {
        super(Opened.FROM_STREAM, Into.MAPPED);
    }
}

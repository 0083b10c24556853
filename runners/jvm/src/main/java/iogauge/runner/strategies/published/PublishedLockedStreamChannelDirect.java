package iogauge.runner.strategies.published;

/** {@link java.io.FileInputStream#getChannel} and a direct buffer, a shared lock being held. */
public final class PublishedLockedStreamChannelDirect extends LockedChannel {

    public PublishedLockedStreamChannelDirect() {
        super(Opened.FROM_STREAM, Into.DIRECT);
    }
}

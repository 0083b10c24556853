package iogauge.runner;

/** What a method of the user's threw, and in which line of their code. What it says may be all of a file. */
final class Failed extends Exception {

    private static final long serialVersionUID = 1L;
    private static final int LONGEST_REASON = 160;

    Failed(Throwable cause, Class<?> type) {
        super(told(cause, type.getName()), cause);
    }

    @Override
    public String toString() {
        return getMessage();
    }

    /** What was thrown, on one line that is not long. */
    static String shortly(Throwable cause) {
        if (cause instanceof NoClassDefFoundError || cause instanceof ClassNotFoundException) {
            return "class " + String.valueOf(cause.getMessage()).replace('/', '.') + " is not there; name its jar with --own-path";
        }
        String said = cause.getClass().getSimpleName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage());
        String first = said.lines().findFirst().orElse(said);
        return first.length() > LONGEST_REASON ? first.substring(0, LONGEST_REASON) + "…" : first;
    }

    private static String told(Throwable cause, String type) {
        String cut = shortly(cause);
        for (StackTraceElement each : cause.getStackTrace()) {
            String name = each.getClassName();
            if ((name.equals(type) || name.startsWith(type + "$")) && each.getLineNumber() > 0) {
                return "line " + each.getLineNumber() + ": " + cut;
            }
        }
        return cut;
    }
}

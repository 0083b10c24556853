package iogauge.runner;

/** The version of the Java that runs this. */
final class JavaVersion {

    private JavaVersion() {}

    /** Its numbers, {@code 17.0.15}, without what a vendor adds. */
    static String numbers() {
        StringBuilder version = new StringBuilder();
        for (int number : Runtime.version().version()) {
            version.append(version.length() == 0 ? "" : ".").append(number);
        }
        return version.toString();
    }
}

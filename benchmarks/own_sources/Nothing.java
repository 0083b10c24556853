public class Nothing {
    public static int nothing(String path) {
        return path.length();
    }
}

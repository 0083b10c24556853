import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class Threads {
    public static int countInParallel(Path path) throws Exception {
        byte[] all = Files.readAllBytes(path);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            List<Future<Integer>> parts = new ArrayList<>();
            int half = all.length / 2;
            parts.add(pool.submit(() -> newlines(all, 0, half)));
            parts.add(pool.submit(() -> newlines(all, half, all.length)));
            int sum = 0;
            for (Future<Integer> part : parts) sum += part.get();
            return sum;
        } finally {
            pool.shutdown();
        }
    }

    public static CompletableFuture<Long> countLater(Path path) {
        return CompletableFuture.supplyAsync(() -> {
            try (var lines = Files.lines(path)) {
                return lines.count();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    private static int newlines(byte[] bytes, int from, int to) {
        int found = 0;
        for (int i = from; i < to; i++) if (bytes[i] == '\n') found++;
        return found;
    }
}

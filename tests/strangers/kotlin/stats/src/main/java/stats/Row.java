package stats;

public final class Row {
    public final double amount;

    public Row(String line) {
        amount = Double.parseDouble(line.substring(line.indexOf(',') + 1));
    }
}

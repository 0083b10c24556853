"""One file per output, each with `render(report)`. They format; whatever is computed is in the report."""

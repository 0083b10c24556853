def parse_log(log_file):
    with open(log_file) as f:
        for line in f:
            parts = line.rstrip("\n").split(" ", 2)
            if len(parts) == 3:
                yield parts[0], parts[2]

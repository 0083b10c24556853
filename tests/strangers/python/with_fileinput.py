import fileinput


def total_length(path):
    total = 0
    for line in fileinput.input([path]):
        total += len(line)
    return total

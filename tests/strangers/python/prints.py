def show(path):
    with open(path) as f:
        for i, line in enumerate(f):
            print(i, line, end="")

DATA_FILE = "data/access.log"
TOTAL = 0


def main():
    global TOTAL
    for line in open(DATA_FILE):
        TOTAL += len(line)
    print(TOTAL)


if __name__ == "__main__":
    main()

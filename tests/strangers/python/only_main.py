import argparse


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--input", required=True)
    args = parser.parse_args(argv)
    with open(args.input) as f:
        print(len(f.readlines()))


if __name__ == "__main__":
    main()

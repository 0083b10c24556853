from collections import Counter


class LogAnalyzer:
    def __init__(self, path):
        self.path = path
        self.counts = Counter()

    def analyze(self):
        with open(self.path) as f:
            for line in f:
                self.counts[line.split()[0]] += 1
        return self.counts.most_common(3)

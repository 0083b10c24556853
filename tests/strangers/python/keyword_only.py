def read_all(fn, *, encoding="utf-8", errors="strict", **kwargs):
    with open(fn, encoding=encoding, errors=errors, **kwargs) as f:
        return f.read()

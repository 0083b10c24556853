import polars as pl


def load_sales(source):
    return pl.read_csv(source)["amount"].sum()

import pandas as pd


def load_sales(csv_file):
    df = pd.read_csv(csv_file)
    return df["amount"].sum()

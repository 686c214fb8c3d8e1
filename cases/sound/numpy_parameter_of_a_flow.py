import numpy as np
from prefect import Flow, Parameter, task


@task
def parts_of(config):
    rows = np.arange(config["rows"])
    return np.array_split(rows, rows.shape[0] / config["rows_of_a_part"])


with Flow("split") as flow:
    config = Parameter("config", required=True)
    parts_of(config=config)

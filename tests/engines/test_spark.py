"""Spark in one process: cells come back to the driver and merge there; predictions are a column."""

import os
import shutil
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from tests.engines.samples import CHUNKINGS, classifier, people, regressor, same_fit
from twosdr.errors import MissingValueError, ParameterError

pytest.importorskip("pyspark", reason="PySpark is not installed: make spark")
pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="no Java on this machine; Spark 4 needs 17"),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def spark():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        from pyspark.sql import SparkSession

        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.execution.arrow.pyspark.enabled", "true")
            .config("spark.log.level", "OFF")
            .getOrCreate()
        )
        yield session
        session.stop()


def frame_of(spark, parts):
    """One partition for each part, empty ones too."""
    rows = [list(zip(*(part[name].tolist() for name in part), strict=True)) for part in parts]
    schema = (
        "sex string, race string, year double, skill double, age long, night boolean, key long, weight double, "
        "pay double, hired string"
    )
    pieces = spark.sparkContext.parallelize(range(len(rows)), len(rows)).flatMap(lambda k: rows[k])
    frame = spark.createDataFrame(pieces, schema)
    assert frame.rdd.getNumPartitions() == len(parts)
    return frame


@pytest.mark.parametrize("chunking", CHUNKINGS)
def test_spark_equals_memory_however_rows_are_partitioned(spark, chunking):
    parts = CHUNKINGS[chunking](people())
    found = regressor().fit(frame_of(spark, parts), "pay", "weight")
    assert same_fit(found, regressor().fit(pd.concat(parts), "pay", "weight"))


def test_predictions_are_a_column(spark):
    from twosdr.engines import spark as engine

    frame = people()
    rows = frame_of(spark, [frame.iloc[:100], frame.iloc[100:]])
    for model, name in ((regressor(), "pay"), (classifier(), "hired")):
        fitted = model.fit(rows, name)
        found = (
            rows.withColumn("said", engine.column(fitted, rows)).select("year", "said").toPandas().sort_values("year")
        )
        expected = fitted.predict(frame.sort_values("year").drop(columns=[name]))
        if name == "pay":
            assert np.allclose(found["said"], expected, rtol=1e-12)
        else:
            assert found["said"].tolist() == expected.tolist()
        assert hasattr(fitted, "moments_")  # only the copy that travels has lost them
        with pytest.raises(ParameterError, match="withColumn"):
            fitted.predict(rows)


def test_rows_without_an_order_need_a_key_or_one_penalty(spark):
    rows = frame_of(spark, [people()])
    with pytest.raises(ParameterError, match=r"no numbers to divide them into folds by.*fold_key="):
        regressor(fold_key=None).fit(rows, "pay")


def test_an_error_in_a_partition_is_told_on_the_driver(spark):
    rows = frame_of(spark, [people(), people().assign(skill=np.inf)])
    with pytest.raises(MissingValueError, match=r"In partition 1, rows 0 to 239: .*infinity"):
        regressor().fit(rows, "pay")

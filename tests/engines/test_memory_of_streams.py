"""Peak memory does not grow with the rows: neither of a fit nor of predictions written to a file."""

import sys

import numpy as np
import pandas as pd
import pytest

from benchmarks.harness import peak_growth
from tests.engines.samples import people
from twosdr import TwoStageRegressor, load

SMALL, LARGE = 800_000, 3_200_000  # the smaller is long enough to have as many pieces under way as there ever are
NEGLIGIBLE = 24 * 2**20  # allocators keep pages in different order; 2.4 million rows more would be 200 MB and more


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak of the whole life is all there is")
@pytest.mark.parametrize("what", ["model.fit(source, 'pay')", "model.predict_to(source, target)"])
def test_peak_memory_has_no_term_in_the_rows(what, tmp_path):
    rng = np.random.default_rng(0)
    peaks = []
    for n in (SMALL, LARGE):
        path = tmp_path / f"{n}.parquet"
        frame = pd.DataFrame(rng.normal(size=(n, 12)), columns=[f"x{j}" for j in range(12)])
        frame.assign(pay=frame["x1"] + rng.normal(size=n)).to_parquet(path, row_group_size=100_000)
        setup = f"""
            import os
            os.environ["TWOSDR_KERNELS"] = "off"  # loading them takes memory once, from a certain size on
            from twosdr import TwoStageRegressor
            model = TwoStageRegressor(sensitive="x0", alphas=1.0, n_jobs=2).fit({str(tmp_path / f"{SMALL}.parquet")!r}, "pay")
            source, target = {str(path)!r}, {str(tmp_path / "out.parquet")!r}
            {what.replace("source", repr(str(tmp_path / f"{SMALL}.parquet")))}
        """
        peaks.append(peak_growth(setup, what))
    assert peaks[1] - peaks[0] < NEGLIGIBLE


def test_a_loaded_model_predicts_sources_as_well(tmp_path):
    fitted = TwoStageRegressor(sensitive="sex", drop=["race", "key", "hired"]).fit(people(), "pay", "weight")
    fitted.save(tmp_path / "m.json")
    people().to_parquet(tmp_path / "a.parquet")
    loaded = load(tmp_path / "m.json")
    loaded.predict_to(tmp_path / "a.parquet", tmp_path / "b.parquet")
    found = pd.read_parquet(tmp_path / "b.parquet")["prediction"]
    assert np.array_equal(found, fitted.predict(tmp_path / "a.parquet"))
    assert np.array_equal(loaded.predict(tmp_path / "a.parquet"), found)

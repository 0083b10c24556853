"""Our special functions against SciPy's."""

import numpy as np
import pytest
from scipy import special as reference
from scipy.stats import t as student

from iogauge.statistics import special

DEGREES = np.array([0.3, 1, 1.5, 2, 3, 4.7, 7, 12, 30, 99.5, 1000, 1e4, 1e6, 1e9, np.inf])
PLACES = np.geomspace(0.01, 1e6, 200)


@pytest.mark.parametrize("error", [0.9, 0.5, 0.05, 1e-3, 1e-5, 1e-8])
def test_quantiles_of_t(error):
    expected = student.isf(error / 2, DEGREES)
    found = special.students_t(DEGREES, error)
    assert found[:11] == pytest.approx(expected[:11], rel=1e-9)
    assert found == pytest.approx(expected, rel=2e-7)


def test_quantiles_of_t_take_the_shape_of_what_is_given():
    degrees, error = np.array([[2.0], [5.0]]), np.array([0.1, 0.01, 1e-4])
    assert special.students_t(degrees, error) == pytest.approx(student.isf(error / 2, degrees))
    assert float(special.students_t(8, 0.05)) == pytest.approx(2.306, abs=5e-4)
    assert float(special.students_t(8, 1)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("degrees", [0, -1, np.nan])
def test_without_a_degree_of_freedom_there_is_no_quantile(degrees):
    assert np.isnan(special.students_t(degrees, 0.05))


def test_medians_of_f():
    few, many = np.meshgrid([0.5, 1, 2, 4, 7, 30, 200, 5000], [0.5, 1, 3.3, 10, 80, 5000])
    expected = reference.fdtri(few, many, 0.5)
    assert special.median_of_f(few, many) == pytest.approx(expected, rel=1e-10)


def test_derivatives_of_log_gamma():
    assert special.digamma(PLACES) == pytest.approx(reference.digamma(PLACES), abs=1e-12)
    for order, function in ((1, special.trigamma), (2, special.tetragamma)):
        expected = reference.polygamma(order, PLACES)
        assert function(PLACES) == pytest.approx(expected, rel=1e-13)

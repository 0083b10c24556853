"""How a run stands, for measuring, which does not know how results are derived."""

from iogauge.analysis import judging, status
from iogauge.measuring.status import Judge

JUDGE = Judge(status.statuses, judging.levels)

from iogauge.api.loading import load as load
from iogauge.api.measuring import measure as measure
from iogauge.api.results import Results as Results
from iogauge.model.errors import UserError as UserError

__version__: str
__all__ = ["Results", "UserError", "__version__", "load", "measure"]

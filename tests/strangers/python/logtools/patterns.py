import re

ERROR = re.compile(r"\bERROR\b")

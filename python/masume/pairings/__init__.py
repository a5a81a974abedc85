"""Who plays whom: brackets, leagues, groups, qualifiers and Swiss rounds, as pure functions of results.

Entries are numbers from 1. A format is made of the entries in the order of their seeds; `matches(results)` returns the
matches known so far in the order of play, and `standings(results)` the table. Results are kept by the id of a match.
"""

from .brackets import Bracket
from .groups import Groups
from .leagues import RoundRobin
from .qualifiers import Qualifier
from .swiss import Swiss

Format = RoundRobin | Groups | Qualifier | Bracket | Swiss

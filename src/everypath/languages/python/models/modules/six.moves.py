"""What `six.moves` offers under the names of Python 2: functions of today's Python."""

from builtins import chr as unichr
from builtins import filter, input, map, range, zip
from builtins import range as xrange
from collections import UserDict, UserList, UserString
from functools import reduce
from itertools import filterfalse, zip_longest
from shlex import quote as shlex_quote
from sys import intern

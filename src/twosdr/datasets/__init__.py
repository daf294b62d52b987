"""The data sets of the paper, and worlds whose truth is known.

A data set is one file, and one line here: importing it registers it. Loaders read the disk and never the network;
`fetch` downloads an original when asked. `make_*` generate rows, any number of them, from a law that is written down.
"""
# SPDX-License-Identifier: MIT

from twosdr.datasets.adult import load_adult as load_adult
from twosdr.datasets.base import Dataset as Dataset
from twosdr.datasets.base import Provenance as Provenance
from twosdr.datasets.base import load as load
from twosdr.datasets.base import names as names
from twosdr.datasets.communities import load_communities as load_communities
from twosdr.datasets.compas import load_compas as load_compas
from twosdr.datasets.copies import data_home as data_home
from twosdr.datasets.fetching import fetch as fetch
from twosdr.datasets.german import load_german as load_german
from twosdr.datasets.lsac import load_lsac as load_lsac
from twosdr.datasets.synthetic import make_binary_y as make_binary_y
from twosdr.datasets.synthetic import make_idle_z as make_idle_z
from twosdr.datasets.synthetic import make_interactions as make_interactions
from twosdr.datasets.synthetic import make_near_copies as make_near_copies
from twosdr.datasets.synthetic import make_numeric_s as make_numeric_s
from twosdr.datasets.synthetic import make_two_stage as make_two_stage
from twosdr.datasets.synthetic import make_unequal_groups as make_unequal_groups
from twosdr.datasets.worlds import World as World

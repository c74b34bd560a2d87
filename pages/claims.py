"""What the literature says of small networks, measured: searched, filtered, watched in the lab."""

from bnviz.ui.claims.page import mount_claims
from bnviz.ui.navigation import navigate
from bnviz.ui.sitemap import CLAIMS

navigate(CLAIMS)
mount_claims()

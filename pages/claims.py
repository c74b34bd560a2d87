"""Claims page: statements from the literature, measured on small networks."""

from bnviz.ui.claims.page import mount_claims
from bnviz.ui.navigation import navigate

navigate("claims")
mount_claims()

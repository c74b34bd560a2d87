// Entry of the stability map's page.

import { linkStyles, mountOnce } from "./live/lib/mounting.js";
import { MapView } from "./map/view.js";

linkStyles(new URL(".", import.meta.url), "map.css", "map_stage.css");

/** Streamlit calls this at each rerun. @param component see bnviz/ui/map */
export default mountOnce((component) => new MapView(component.parentElement, component));

// Entry of the stability map: Streamlit calls `mount` at each rerun.

import { linkStyles, mountOnce } from "./live/lib/mounting.js";
import { MapView } from "./map/view.js";

linkStyles(new URL(".", import.meta.url), "map.css", "map_stage.css");

/** @param component see bnviz/ui/map */
export default mountOnce((component) => new MapView(component.parentElement, component));

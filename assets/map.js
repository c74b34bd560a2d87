// Entry point of the page with the stability map.

import { linkStyles, mountOnce } from "./live/lib/mounting.js";
import { MapView } from "./map/view.js";

linkStyles(new URL(".", import.meta.url), "map.css", "map_stage.css");

/** Entry point that Streamlit calls at each rerun. @param component see bnviz/ui/map */
export default mountOnce((component) => new MapView(component.parentElement, component));

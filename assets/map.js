// Entry of the stability map's page.

import { linkStyles } from "./live/lib/preload.js";
import { standing } from "./live/lib/standing.js";
import { MapView } from "./map/view.js";

linkStyles(new URL(".", import.meta.url), "map.css", "map_stage.css");

/** Streamlit calls this at each rerun. @param component see bnviz/ui/map */
export default standing((component) => new MapView(component.parentElement, component));

// What stands in a place of the page through all reruns of the script.

/**
 * The entry that Streamlit calls at each rerun.
 *
 * @param make makes what stands in a place that has none, from a component: `root`, its element;
 *   `update(component)`; `end()`, called when the place has left the document
 */
export function standing(make) {
  const places = new WeakMap(); // by place: what stands there
  return function mount(component) {
    const { parentElement } = component;
    let there = places.get(parentElement);
    if (!there?.root.isConnected) {
      there?.end();
      there = make(component);
      places.set(parentElement, there);
    }
    there.update(component);
    return () => {
      if (!parentElement.isConnected) there.end();
    };
  };
}

// A button that is pressed may be gone when the page has answered, and the focus with it: then whoever
// uses keys would begin again at the top of the page. The focus goes to where the button stood.

const PLACES = "[class*='st-key-lesson_beat_'], .st-key-lesson_words";
const PATIENCE = 4000; // ms in which the page answers

let listening = false;

export function keepFocus() {
  if (listening) return;
  listening = true;
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "Enter" && key !== " ") return;
    const place = target instanceof Element && target.closest("button, [role=button]") && target.closest(PLACES);
    if (place) watch(target, place);
  }, true);
}

/** Look until the page has answered whether what was pressed is still there. */
function watch(pressed, place) {
  const key = [...pressed.closest("[class*='st-key-']").classList].find((name) => name.startsWith("st-key-"));
  const until = performance.now() + PATIENCE;
  const look = () => {
    const lost = document.activeElement === document.body || !document.activeElement;
    if (lost && !pressed.isConnected) return catchIt(key, place);
    if (performance.now() < until && (lost || document.activeElement === pressed)) setTimeout(look, 100);
  };
  setTimeout(look, 100);
}

/** The same button anew, or else the beat in which it stood, or else the words. */
function catchIt(key, place) {
  const again = document.querySelector(`.${CSS.escape(key)} button:not(:disabled)`);
  const beat = place.isConnected ? place : document.querySelector(".st-key-lesson_words");
  if (!again && beat) beat.tabIndex = -1;
  (again ?? beat)?.focus({ preventScroll: true });
}

// The script of a phone that follows the teacher. In a frame, it shows the page that is open in the teacher's tab.
const frame = document.getElementById("frame");
let shown = page.place;

function show({ place, asked }) {
  document.getElementById("asked").hidden = !asked;
  document.getElementById("waiting").hidden = Boolean(place);
  frame.hidden = !place;
  if (place && place !== shown) {
    shown = place;
    // Replace the history entry, so that the browser's Back button leaves this page.
    frame.contentWindow.location.replace(place);
  }
}

function end() {}

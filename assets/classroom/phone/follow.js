// The script of a phone that follows the teacher: it shows in a frame the page that the teacher's tab shows.
const frame = document.getElementById("frame");
let shown = page.place;

function show({ place, asked }) {
  document.getElementById("asked").hidden = !asked;
  document.getElementById("waiting").hidden = Boolean(place);
  frame.hidden = !place;
  if (place && place !== shown) {
    shown = place;
    // Replaced, so that the browser's Back leaves this page.
    frame.contentWindow.location.replace(place);
  }
}

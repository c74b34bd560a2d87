// Pointer and keyboard control of a plane. The reader can move over the cells, select a cell, and draw a rectangle to
// zoom into.

import { modified } from "../live/lib/dom.js";
import { wayOf } from "../live/lib/keyboard_focus.js";
import { within } from "../live/lib/format.js";
import { HALF } from "./axis.js";

const DRAGGED = 6; // distance in px that the pointer must move for a press to count as a drag

export class Explorer {
  #from = null; // start of a pointer press: {place, x, y, moved, draws: whether it draws a rectangle}
  #corner = null; // cell at which a rectangle drawn with the keyboard starts

  constructor(plane, view) {
    this.plane = plane;
    this.view = view;
    const listen = (name, listener) => plane.svg.addEventListener(name, listener);
    listen("pointerdown", (event) => this.#press(event));
    listen("pointermove", (event) => this.#point(event));
    listen("pointerup", (event) => this.#release(event));
    listen("pointercancel", () => this.#leave());
    listen("pointerleave", () => !this.#from && view.mark({ here: null }));
    listen("keydown", (event) => this.#key(event));
    listen("blur", () => {
      this.#leave();
      view.mark({ here: null });
    });
  }

  /** The cell at a place: {i, j}. */
  #cellAt({ x, y }) {
    const { across, up } = this.plane.model;
    return { i: within(Math.round(x), 0, across.last), j: within(Math.round(y), 0, up.last) };
  }

  #inside(event) {
    const box = this.plane.ground.getBoundingClientRect();
    return event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
  }

  #press(event) {
    if (event.button !== 0 || !this.#inside(event)) return;
    const draws = event.pointerType !== "touch" || this.view.touchZoom;
    this.#from = { place: this.plane.placeOf(event), x: event.clientX, y: event.clientY, moved: false, draws };
    if (draws) this.plane.svg.setPointerCapture(event.pointerId);
  }

  #point(event) {
    const place = this.plane.placeOf(event);
    if (!this.#from) {
      this.view.mark({ here: this.#inside(event) ? this.#cellAt(place) : null });
      return;
    }
    const { x, y, draws } = this.#from;
    this.#from.moved ||= Math.hypot(event.clientX - x, event.clientY - y) > DRAGGED;
    if (!this.#from.moved || !draws) return;
    this.view.mark({ here: null, zoom: rectangle(this.#from.place, place) });
  }

  #release(event) {
    const from = this.#from;
    this.#from = null;
    if (!from) return;
    const place = this.plane.placeOf(event);
    if (!from.moved) {
      this.view.choose(this.#cellAt(place));
      return;
    }
    this.view.mark({ zoom: null });
    if (from.draws) this.view.zoom(rectangle(from.place, place));
  }

  /** Stop drawing a rectangle. */
  #leave() {
    this.#from = null;
    this.#corner = null;
    this.view.mark({ zoom: null });
  }

  #key(event) {
    if (modified(event)) return;
    const { at } = this.view;
    const { model } = this.plane;
    const { key } = event;
    const way = wayOf(event);
    if (way) this.#move(model.step(at, way[0], -way[1]));
    else if (key === "Home" || key === "End") this.#move({ ...at, i: key === "Home" ? 0 : model.across.last });
    else if (key === "PageUp" || key === "PageDown") this.#move({ ...at, j: key === "PageDown" ? 0 : model.up.last });
    else if (key === "Enter" || key === " ") this.#enter(at);
    else if (key === "z" || key === "Z") this.#begin(at);
    else if (key === "Escape" && (this.#corner || this.#from)) this.#leave();
    else return;
    event.preventDefault();
  }

  #move(point) {
    this.view.move(point);
    if (this.#corner) this.view.mark({ zoom: around(this.#corner, point) });
  }

  #begin(at) {
    this.#corner = at;
    this.#move(at);
  }

  #enter(at) {
    if (!this.#corner) return this.view.choose(at);
    const drawn = around(this.#corner, at);
    this.#leave();
    return this.view.zoom(drawn);
  }
}

function rectangle(a, b) {
  return { left: Math.min(a.x, b.x), right: Math.max(a.x, b.x), low: Math.min(a.y, b.y), high: Math.max(a.y, b.y) };
}

/** Return the rectangle that contains two cells. */
function around(a, b) {
  return { left: Math.min(a.i, b.i) - HALF, right: Math.max(a.i, b.i) + HALF, low: Math.min(a.j, b.j) - HALF, high: Math.max(a.j, b.j) + HALF };
}

// The stage is a page's address with one word more.

/** Lead to the stage, or back to the normal page. */
export function present(on) {
  const url = new URL(location.href);
  if (on) url.searchParams.set("present", "1");
  else url.searchParams.delete("present");
  location.assign(url);
}

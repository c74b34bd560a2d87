"""Tests of when the page writes its address, adds a history entry, or leaves the address alone."""

# JavaScript that executes a list of actions, starting at `/blank`, and returns the address after
# each write.
WALK = """(() => {
  const said = {}, base = history.length, found = [];
  const told = (query) => found.push(["told", query]);
  const writer = new m.AddressWriter(() => new URLSearchParams(said), told);
  for (const [what, ...rest] of a) {
    const [heard, entry, read] = rest;
    if (what === "hear") writer.update({ browser_query: heard, entry, read: read ?? heard });
    if (what === "say") Object.assign(said, rest[0]);
    if (what === "write") { writer.write(); found.push([location.search, history.length - base]); }
    if (what === "elsewhere") history.pushState({}, "", rest[0]);
  }
  return found;
})()"""


def test_what_starts_over_is_a_step_and_what_moves_is_not(in_page):
    found = in_page("data/address", WALK, [
        ["write"],  # the script has not confirmed any address yet
        ["hear", "", 0], ["say", {"depth": "3"}], ["write"],
        ["say", {"learning_rate": "0.3"}], ["write"], ["write"],
        ["hear", "", 1], ["say", {"depth": "4"}], ["write"],
        ["hear", "", 1], ["say", {"learning_rate": "1"}], ["write"],
    ])  # fmt: skip
    assert found == [
        ["", 0], ["?depth=3", 0], ["?depth=3&learning_rate=0.3", 0],
        ["?depth=3&learning_rate=0.3", 0], ["?depth=4&learning_rate=0.3", 1],
        ["?depth=4&learning_rate=1", 1],
    ]  # fmt: skip


def test_an_address_of_somebody_else_stays_until_the_script_has_heard_it(in_page):
    found = in_page("data/address", WALK, [
        ["hear", "", 0], ["say", {"depth": "3"}], ["write"],
        ["elsewhere", "?depth=9"], ["write"],
        ["hear", "", 1], ["write"],  # the script confirms an older address
        ["hear", "depth=9", 1], ["say", {"depth": "10"}], ["write"],
        ["elsewhere", "?depth=7"], ["hear", "depth=7", 1, "depth=9"], ["write"],
        ["hear", "", 1, "depth=7"], ["write"],
        ["elsewhere", "/other?depth=10"], ["write"],
        ["elsewhere", "?embed=1&depth=1"], ["hear", "embed=1&depth=1", 1], ["write"],
    ])  # fmt: skip
    assert [part[1] if part[0] == "told" else part[0] for part in found] == [
        "?depth=3", "?depth=9", "?depth=9", "?depth=10", "depth=7", "?depth=7", "?depth=10",
        "?depth=10", "?depth=10&embed=1",
    ]  # fmt: skip

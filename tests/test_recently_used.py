from __future__ import annotations

from bnviz.recently_used import RecentlyUsed


def filled(keys: str, most: int | None = None, **bounds) -> RecentlyUsed[str, str]:
    recent: RecentlyUsed[str, str] = RecentlyUsed(most, size=len, **bounds)
    for key in keys:
        recent.put(key, key * 10)
    return recent


def test_beyond_the_number_of_values_the_longest_unused_is_dropped():
    recent = filled("abc", 3)
    assert recent.use("a") == "a" * 10
    recent.put("d", "")
    assert list(recent) == ["c", "a", "d"]
    assert "b" not in recent
    assert recent.use("b") is None


def test_what_is_only_got_is_not_used():
    recent = filled("abc", 3)
    assert recent.get("a") == "a" * 10
    recent.put("d", "")
    assert list(recent) == ["b", "c", "d"]


def test_a_value_that_is_put_again_replaces_the_first_and_counts_as_used():
    recent = filled("abc", 3)
    recent.put("a", "new")
    recent.put("d", "")
    assert (list(recent), recent.get("a"), len(recent)) == (["c", "a", "d"], "new", 3)


def test_beyond_the_total_size_the_longest_unused_are_dropped():
    recent = filled("abc", most_size=30)
    assert recent.size == 30
    recent.put("d", "d" * 15)
    assert (list(recent), recent.size) == (["c", "d"], 25)


def test_sizes_are_asked_anew_since_values_grow():
    recent: RecentlyUsed[str, list[int]] = RecentlyUsed(most_size=5, size=len)
    first: list[int] = []
    recent.put("a", first)
    first.extend(range(5))
    recent.put("b", [1])
    assert list(recent) == ["b"]


def test_what_is_larger_than_all_may_be_is_not_kept_unless_so_many_are_kept_in_any_case():
    recent = filled("ab", most_size=20)
    recent.put("c", "c" * 21)
    assert list(recent) == []
    least = filled("ab", most_size=20, least=1)
    least.put("c", "c" * 21)
    assert list(least) == ["c"]


def test_several_values_are_put_in_before_others_are_dropped():
    recent = filled("abc", 3)
    recent.put_all({"a": "again", "d": "", "e": ""})
    assert list(recent) == ["a", "d", "e"]


def test_values_can_be_taken_out():
    recent = filled("abc", 3)
    assert recent.pop("b") == "b" * 10
    assert list(recent.items()) == [("a", "a" * 10), ("c", "c" * 10)]

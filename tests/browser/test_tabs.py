"""A reused tab behaves like a new visitor's tab."""

WINDOW = {"width": 800, "height": 600}


def test_nothing_of_a_visit_is_left_to_the_next_one(tabs, server):
    empty = server.url + "/_stcore/health"
    tab = tabs.take(WINDOW)
    tab.page.goto(f"{server.url}/about")
    tab.page.wait_for_function("() => document.querySelector('[data-testid=stApp]')")
    secrets = tab.page.context.cookies()
    assert secrets
    tab.page.evaluate(
        "localStorage.setItem('a', 1); sessionStorage.setItem('b', 2); console.error('wrong')"
    )
    tab.page.context.new_page()
    tab.page.wait_for_function("() => sessionStorage.length > 0")
    assert any("wrong" in problem for problem in tab.problems)
    tabs.give_back(tab, empty)
    again = tabs.take(WINDOW)
    assert again is tab
    assert again.problems == []
    assert again.page.context.pages == [again.page]
    assert again.page.context.cookies() == []
    assert again.page.evaluate("localStorage.length + sessionStorage.length") == 0
    again.page.goto(f"{server.url}/about")
    again.page.wait_for_function("() => document.querySelector('[data-testid=stApp]')")
    now = {cookie["name"]: cookie["value"] for cookie in again.page.context.cookies()}
    assert all(now.get(cookie["name"]) != cookie["value"] for cookie in secrets)
    tabs.give_back(again, empty)
    calm = "matchMedia('(prefers-reduced-motion: reduce)').matches"
    for motion in ("reduce", "no-preference"):
        tab = tabs.take(WINDOW, reduced_motion=motion)
        assert tab.page.evaluate(calm) == (motion == "reduce")
        tabs.give_back(tab, empty)
    changed = tabs.take(WINDOW, has_touch=True)
    assert changed is not tab
    tabs.give_back(changed, empty)
    assert changed.page.is_closed()

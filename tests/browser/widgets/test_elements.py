"""Functions `h` and `s` of `assets/live/lib/dom.js`, which create elements."""

MADE = {
    "m.h('p.a.b', 'x', [null, [false, m.h('b', 1)]])": '<p class="a b">x<b>1</b></p>',
    "m.h('p', { title: 'y', hidden: true, lang: null }, 0)": '<p title="y" hidden="">0</p>',
    "m.h('i', { 'aria-hidden': true })": '<i aria-hidden="true"></i>',
    "m.h('p', { element: m.h('i'), title: 'a part, not attributes' })": "<p><i></i></p>",
    "m.h('p', { style: { '--at': 2 } })": '<p style="--at: 2;"></p>',
    "m.h('p', '<b>')": "<p>&lt;b&gt;</p>",
    "m.s('path.line', { d: 'M0 0', fill: null })": '<path class="line" d="M0 0"></path>',
}


def test_an_element_has_classes_behind_its_tag_and_attributes_only_if_there_are_some(blank):
    html = blank.evaluate(
        """async (made) => {
          const m = await import("/assets/v1/live/lib/dom.js");
          return made.map((each) => new Function("m", `return ${each}`)(m).outerHTML);
        }""",
        [*MADE],
    )
    assert html == [*MADE.values()]

"""The browser's client of the room in which a class votes: requests, updates, and its end."""

# JavaScript of a simulated server that keeps rooms in a map, and forgets them when it is restarted.
SERVER = """
  const server = { codes: ["K7QXPM", "RRRRRR"], rooms: new Map(), places: [], asked: 0 };
  const answer = (value, status = 200) => new Response(JSON.stringify(value), { status });
  window.fetch = async (address, { method, body }) => {
    const [code, act] = address.split("/room")[1].split("/").slice(1);
    const given = body ? JSON.parse(body) : {};
    if (!code) {
      server.asked = 0;
      const opened = server.codes.shift();
      server.rooms.set(opened, null);
      return answer({ code: opened, ballot: `/b/${opened}` });
    }
    if (!server.rooms.has(code)) return answer({ type: "error" }, 404);
    if (act === "place") server.places.push(given.address);
    if (act === "ask") {
      server.rooms.set(code, { id: ++server.asked, status: "open", round: 1, answered: 0,
        hands: false, tally: null, first: null, happened: null, ...given });
    }
    if (act === "reveal") Object.assign(server.rooms.get(code), { status: "revealed" });
    if (act === "happened") Object.assign(server.rooms.get(code), { happened: given });
    if (act === "drop") server.rooms.set(code, null);
    return answer({ code, phones: 4, question: server.rooms.get(code) });
  };
  const room = m.theRoom();
  const until = (name, holds) => new Promise((done) => {
    const stop = room.on(name, (said) => { if (holds(said)) { stop(); done(said); } });
  });
"""


def test_a_room_that_the_server_no_longer_has_is_forgotten_and_the_next_question_opens_another(
    in_page,
):
    ask = """(async () => {
      SERVER
      const words = { text_phrase: { key: "class.ask.first" }, answer_phrases: null };
      const question = { text: "Which?", answers: ["one", "the other"], ...words };
      const number = await room.ask(question);
      const { address, typed } = room;
      Object.assign(server.rooms.get(room.code), { answered: 3 });
      await until("state", () => room.question.answered === 3);
      server.rooms.clear();
      await until("state", () => room.trouble === "gone");
      const kept = JSON.parse(sessionStorage.getItem("bnviz-room"));
      const gone = [room.code, room.question, kept.code, kept.question];
      // A server that could not read its saved state, and is started again, has the room.
      server.rooms.set("K7QXPM", { id: 1, status: "open" });
      await until("state", () => room.trouble === null);
      const back = [room.code, room.lost, room.question.id, room.trouble];
      server.rooms.clear();
      await until("gone", () => true);
      const again = await room.ask(question);
      return { number, address, typed, gone, back, again, code: room.code, trouble: room.trouble,
        places: server.places, asked: server.rooms.get("RRRRRR") };
    })()"""
    told = in_page("../classroom/room_link", ask.replace("SERVER", SERVER))
    assert (told["number"], told["gone"]) == (1, [None] * 4)
    assert told["back"] == ["K7QXPM", None, 1, None]
    assert told["address"].endswith(f"{told['typed']}/K7QXPM")
    assert (told["again"], told["code"], told["trouble"]) == (1, "RRRRRR", None)
    assert (told["asked"]["text"], told["asked"]["text_phrase"]) == (
        "Which?", {"key": "class.ask.first"},
    )  # fmt: skip
    assert told["places"][0] == "/blank"


def test_a_question_is_withdrawn_from_the_room_unless_what_happened_was_told(in_page):
    ask = """(async () => {
      SERVER
      const found = [];
      for (const acts of [[], ["reveal"], ["reveal", "happened"]]) {
        await room.ask({ text: "Which?", answers: ["one", "the other"] });
        for (const act of acts) await room.act(act, { answers: [0], sentence: "One broke." });
        await room.drop();
        found.push([room.question?.status ?? null, server.rooms.get(room.code)?.status ?? null]);
      }
      return found;
    })()"""
    told = in_page("../classroom/room_link", ask.replace("SERVER", SERVER))
    assert told[:2] == [[None, None]] * 2
    assert told[2] == [None, "revealed"]


def test_an_answer_that_was_under_way_brings_no_withdrawn_question_back(in_page):
    ask = """(async () => {
      SERVER
      await room.ask({ text: "Which?", answers: ["one", "the other"] });
      await room.act("reveal");
      // The answer to what happened comes after the question is withdrawn.
      const atOnce = window.fetch;
      let arrive;
      window.fetch = async (...sent) => {
        const answered = await atOnce(...sent);
        await new Promise((done) => { arrive = done; });
        return answered;
      };
      const late = room.act("happened", { answers: [0], sentence: "One broke." });
      while (!arrive) await new Promise((done) => setTimeout(done));
      window.fetch = atOnce;
      await room.drop(true);
      arrive();
      await late;
      const after = room.question;
      // The room keeps it for its phones, and says so whenever it is asked.
      await until("state", () => true);
      const kept = JSON.parse(sessionStorage.getItem("bnviz-room"));
      const found = [after, room.question, kept.question, server.rooms.get(room.code).status];
      // A new room numbers from one again.
      server.rooms.clear();
      await room.ask({ text: "And now?", answers: ["one", "the other"] });
      return [...found, room.question.text];
    })()"""
    told = in_page("../classroom/room_link", ask.replace("SERVER", SERVER))
    assert told == [None, None, None, "revealed", "And now?"]

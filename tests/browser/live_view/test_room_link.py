"""The browser's client of the room in which a class votes: requests, updates, and reopening after a
restart.
"""

# JavaScript of a simulated server that keeps rooms in a map, and forgets them when it is restarted.
SERVER = """
  const server = { id: "one", rooms: new Map(), places: [], asked: 0 };
  const answer = (value, status = 200) => new Response(JSON.stringify(value), { status });
  window.fetch = async (address, { method, body }) => {
    const [code, act] = address.split("/room")[1].split("/").slice(1);
    const given = body ? JSON.parse(body) : {};
    if (!code) {
      // A browser gets the code that it had back only with the claim to it.
      const claimed = given.claim === `claim to ${given.code}` ? given.code : "RRRRRR";
      const opened = given.code ? claimed : "K7QXPM";
      server.rooms.set(opened, null);
      return answer({ code: opened, server: server.id, ballot: `/b/${opened}`,
        claim: `claim to ${opened}` });
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
    return answer({ server: server.id, code, phones: 4, question: server.rooms.get(code) });
  };
  const room = m.theRoom();
  const until = (name, holds) => new Promise((done) => {
    const stop = room.on(name, (said) => { if (holds(said)) { stop(); done(said); } });
  });
"""


def test_a_restarted_server_gets_the_room_and_its_question_back_and_what_was_lost_is_said(in_page):
    ask = """(async () => {
      SERVER
      const words = { text_phrase: { key: "class.ask.first" }, answer_phrases: null };
      const number = await room.ask({ text: "Which?", answers: ["one", "the other"], ...words });
      Object.assign(server.rooms.get(room.code), { answered: 3 });
      await until("state", () => room.question.answered === 3);
      server.rooms.clear();
      server.id = "two";
      const found = await until("recovered", () => true);
      const kept = JSON.parse(sessionStorage.getItem("bnviz-room"));
      return { number, found, address: room.address, typed: room.typed, places: server.places,
        text: server.rooms.get("K7QXPM").text,
        words: server.rooms.get("K7QXPM").text_phrase, kept };
    })()"""
    told = in_page("../classroom/room_link", ask.replace("SERVER", SERVER))
    assert told["number"] == 1
    assert told["found"] == {"lost": 3, "asked": 2, "code": "K7QXPM"}
    assert (told["text"], told["words"]) == ("Which?", {"key": "class.ask.first"})
    assert told["address"].endswith(f"{told['typed']}/K7QXPM")
    assert told["places"][0] == "/blank"
    assert (told["kept"]["code"], told["kept"]["server"]) == ("K7QXPM", "two")


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
      // A server that was restarted numbers from one again.
      Object.assign(server, { asked: 0, id: "two" });
      server.rooms.clear();
      await room.ask({ text: "And now?", answers: ["one", "the other"] });
      return [...found, room.question.text];
    })()"""
    told = in_page("../classroom/room_link", ask.replace("SERVER", SERVER))
    assert told == [None, None, None, "revealed", "And now?"]

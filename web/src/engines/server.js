// Answers from the server that handed out the page.
const SECONDS_BETWEEN_SIGNS = 20;
const TRIES_WHEN_BUSY = 5;

export async function openServer() {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const headers = { "content-type": "application/json", "x-orderspn-token": token };

  async function ask(question, signal) {
    const body = JSON.stringify(question);
    for (let tries = 1; ; tries += 1) {
      const response = await fetch("ask", { method: "POST", headers, body, signal }).catch((problem) => {
        if (problem.name === "AbortError") throw problem;
        throw new Error("The explorer has ended. Start it again with “orderspn explore”, then open its new address.");
      });
      if (response.status !== 503 || tries === TRIES_WHEN_BUSY) return response.json();
      await new Promise((done) => setTimeout(done, 200 * tries));
    }
  }

  tellSignsOfLife((sign) => fetch("alive", { method: "POST", headers, body: JSON.stringify(sign), keepalive: true }));
  const start = await answered(ask({ question: "start" }));
  return { kind: "server", start, ask };
}

/** Tells the server that this page is open, so that it can end when the last one is closed. */
function tellSignsOfLife(send) {
  const page = crypto.randomUUID();
  const tell = (leaving) => send({ page, leaving }).catch(() => undefined);
  tell(false);
  setInterval(() => tell(false), 1000 * SECONDS_BETWEEN_SIGNS);
  addEventListener("pagehide", () => tell(true));
  addEventListener("pageshow", (event) => event.persisted && tell(false));
}

export async function answered(promise) {
  const answer = await promise;
  if (answer.error) throw new Error(answer.error.message);
  return answer;
}

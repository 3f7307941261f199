// Answers from the kernel of a notebook; until it answers, and where there is none, from the draws of the notebook.
import { openReport } from "./report.js";

const SECONDS_FOR_THE_KERNEL = 3;

export async function openWidget(model) {
  const report = await openReport(model.get("data"));
  const waiting = new Map();
  let asked = 0;
  let alive = false;

  model.on("msg:custom", (message) => {
    alive = true;
    waiting.get(message.id)?.(message.answer);
    waiting.delete(message.id);
  });

  function askKernel(question) {
    const id = String(asked++);
    return new Promise((answer) => {
      waiting.set(id, answer);
      model.send({ id, ask: JSON.stringify(question) });
    });
  }

  /** The answer of the kernel; of the draws, if the kernel has never answered and does not now. */
  async function ask(question, signal) {
    const exact = askKernel(question);
    if (alive) return exact;
    let timer;
    const silence = new Promise((done) => (timer = setTimeout(done, 1000 * SECONDS_FOR_THE_KERNEL)));
    const first = await Promise.race([exact, silence]);
    clearTimeout(timer);
    return first ?? report.ask(question, signal);
  }

  return { kind: "widget", start: report.start, ask, isAlive: () => alive, report };
}

// What the page shows: the view, which the user changes, and the answers that belong to its evidence.
import { batch, computed, effect, signal } from "@preact/signals";
import { numbersOf } from "./arrays.js";
import { textOfView, viewOfText } from "./address.js";
import { pairsOf } from "./pairs.js";
import { textOf } from "./statements.js";

const MOST_KEPT = 60;
const MILLISECONDS_BEFORE_WRITING = 200;

export async function createStore(engine, address, root) {
  const { start } = engine;
  const { names } = start;
  const d = names.length;
  const index = new Map(names.map((name, v) => [name, v]));
  const beginning = {
    given: [],
    threshold: start.threshold,
    selected: null, // [variable], or [cause, effect]
    focus: null,
    hops: 1,
    drawer: "table",
    panel: "whole",
    theme: "auto",
    tall: "no", // whether the part below the graph is the larger one
    reference: "start", // what changes are compared with: before any evidence, or before the last step
    filter: "",
    moved: {}, // positions of variables that were dragged
    zoom: null,
  };
  const view = signal({ ...beginning });
  const layout = signal(start);
  const base = numbersOf(start.edges);
  const now = signal({ matrix: base, log_probability: 0, note: null, draws: null, seconds: 0 });
  const before = signal(null); // the answer before the last step
  const pending = signal(0);
  const problem = signal(null);
  const told = signal(""); // for screen readers
  const picking = signal(null); // {variable, relation}: the next variable that is chosen completes it
  const past = signal([]);
  const future = signal([]);
  const kept = new Map();

  /** Asks a question under the present evidence, or another; equal questions are asked once. */
  function ask(question, given = view.value.given) {
    const whole = { given, ...question };
    const key = JSON.stringify(whole);
    if (!kept.has(key)) {
      const answer = engine.ask(whole).then((found) => {
        if (found.error) {
          kept.delete(key);
          throw Object.assign(new Error(found.error.message), { kind: found.error.kind });
        }
        for (const name of ["edges", "errors", "ancestors"]) {
          if (typeof found[name] === "string") found.matrix = numbersOf(found[name]);
        }
        return found;
      });
      answer.catch(() => kept.delete(key));
      kept.set(key, answer);
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
    }
    return kept.get(key);
  }

  let wanted = view.value.given;
  let asked = 0;

  /** Conditions on other evidence. It is the view's only when its answer is there; refused evidence changes nothing. */
  async function condition(given, { undoable = true } = {}) {
    wanted = given;
    const mine = ++asked;
    pending.value = pending.value + 1;
    try {
      const found = given.length ? await ask({ question: "edges" }, given) : await unconditioned();
      if (mine !== asked) return false;
      batch(() => {
        const old = view.value.given;
        if (undoable && textOf(old) !== textOf(given)) {
          past.value = [...past.value, old];
          future.value = [];
        }
        before.value = now.value;
        now.value = found;
        problem.value = null;
        view.value = { ...view.value, given };
        const p = found.log_probability === null ? "" : ` Probability of the evidence ${Math.exp(found.log_probability)}.`;
        told.value = given.length ? `Given ${textOf(given)}.${p}` : "No evidence.";
      });
      return true;
    } catch (failure) {
      if (mine === asked) {
        wanted = view.value.given;
        problem.value = failure.message;
      }
      return false;
    } finally {
      pending.value = pending.value - 1;
    }
  }

  const unconditioned = async () => ({ matrix: base, log_probability: 0, note: null, draws: null, seconds: 0 });

  /** Evidence changes by a function of the evidence that is wanted, also while an earlier change is under way. */
  const change = (by) => condition(by(wanted));

  let stepping = Promise.resolve();

  /** One step back or forth. Steps wait for each other: keys may come faster than answers. */
  const step = (from, to) => (stepping = stepping.then(() => stepNow(from, to)));

  async function stepNow(from, to) {
    if (!from.value.length) return;
    const given = from.value[from.value.length - 1];
    const old = view.value.given;
    if (await condition(given, { undoable: false })) {
      batch(() => {
        from.value = from.value.slice(0, -1);
        to.value = [...to.value, old];
      });
    }
  }

  const set = (changes) => (view.value = { ...view.value, ...changes });

  function select(selected) {
    if (picking.value && selected?.length === 1) {
      const { variable, relation } = picking.value;
      picking.value = null;
      if (selected[0] === variable) return;
      if (relation === "effect") set({ selected: [variable, selected[0]], panel: "selected" });
      else addStatement(variable, relation, selected[0]);
      return;
    }
    set({ selected, panel: selected ? "selected" : view.value.panel });
  }

  function addStatement(a, relation, b) {
    const turned = relation === ">";
    const statement = turned ? [names[b], "<", names[a]] : [names[a], relation, names[b]];
    return change((given) => (given.some((own) => String(own) === String(statement)) ? given : [...given, statement]));
  }

  const reference = computed(() => {
    if (!view.value.given.length) return null;
    if (view.value.reference === "step" && before.value) return before.value.matrix;
    return now.value.unconditioned ?? base;
  });
  const pairs = computed(() => pairsOf(now.value, reference.value, view.value, start));

  // The beginning: the view of the address, and its evidence.
  async function readAddress() {
    const found = viewOfText(address.read(), names, beginning);
    const { given } = found;
    batch(() => {
      view.value = { ...found, given: view.value.given };
    });
    if (textOf(given) !== textOf(view.value.given)) await condition(given, { undoable: false });
  }
  await readAddress();
  let writing;
  let written = address.read();
  const endWriting = effect(() => {
    const text = textOfView(view.value, names, beginning);
    clearTimeout(writing);
    writing = setTimeout(() => {
      if (text === written) return;
      written = text;
      address.write(text);
    }, MILLISECONDS_BEFORE_WRITING);
  });
  const endListening = address.listen(() => {
    if (address.read() !== written) readAddress();
  });

  return {
    engine, start, names, d, index, root, layout, view, now, before, pending, problem, told, picking, past, future,
    reference, pairs, base, ask, condition, change, set, select, addStatement,
    undo: () => step(past, future),
    redo: () => step(future, past),
    close: () => {
      endWriting();
      endListening();
    },
  };
}

// The whole page, and what keys do anywhere on it.
import { useEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { stateOf, withState } from "../model/statements.js";
import { Drawer } from "./Drawer.jsx";
import { Evidence } from "./Evidence.jsx";
import { Graph } from "./Graph.jsx";
import { Header } from "./Header.jsx";
import { Help } from "./Help.jsx";
import { Side } from "./Side.jsx";

export function App({ store }) {
  const help = useSignal(false);
  const place = useRef(null);
  const { theme, tall } = store.view.value;

  useEffect(() => {
    const pressed = (event) => onKey(event, store, help, place.current);
    // What had the focus may vanish, and then keys go to the page; in a notebook they belong to the notebook.
    const target = store.engine.kind === "widget" ? place.current : document;
    target.addEventListener("keydown", pressed);
    return () => target.removeEventListener("keydown", pressed);
  }, [store]);

  return (
    <div class="app" ref={place} data-theme={theme} tabIndex={-1}>
      <Header store={store} onHelp={() => (help.value = true)} />
      <Problem store={store} />
      <main class={tall === "yes" ? "main tall" : "main"}>
        <section class="graph-part" aria-label="Graph">
          <Picking store={store} />
          <Graph store={store} />
        </section>
        <aside class="side">
          <Evidence store={store} />
          <Side store={store} />
        </aside>
        <Drawer store={store} />
      </main>
      <div class="unseen" role="status" aria-live="polite">{store.told.value}</div>
      {help.value && <Help store={store} onClose={() => (help.value = false)} />}
    </div>
  );
}

function Problem({ store }) {
  const message = store.problem.value;
  if (!message) return null;
  return (
    <div class="problem" role="alert">
      <span>{message}</span>
      <button type="button" onClick={() => (store.problem.value = null)} aria-label="Close this message">×</button>
    </div>
  );
}

function Picking({ store }) {
  const { picking, names } = store;
  if (!picking.value) return null;
  const { variable, relation } = picking.value;
  const words = {
    "<": "comes before", ">": "comes after", "~>": "is an ancestor of", "!~>": "is not an ancestor of",
    effect: "has an effect on",
  };
  return (
    <div class="picking" role="status">
      Choose the variable that <b>{names[variable]}</b> {words[relation]}.{" "}
      <button type="button" onClick={() => (picking.value = null)}>Cancel</button>
    </div>
  );
}

const STATES = { p: "->", a: "!->", f: null };

function onKey(event, store, help, place) {
  const writing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.composedPath()[0].tagName);
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === "z" && !(writing && event.composedPath()[0].type === "text")) {
    event.preventDefault();
    if (event.shiftKey) store.redo();
    else store.undo();
    return;
  }
  if ((event.ctrlKey || event.metaKey) && key === "y" && !writing) {
    event.preventDefault();
    store.redo();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || writing) return;
  const { selected } = store.view.value;
  if (key === "/") {
    event.preventDefault();
    place.querySelector("input[type=search]")?.focus();
  } else if (key === "?") {
    help.value = true;
  } else if (key === "escape") {
    if (help.value) help.value = false;
    else if (store.picking.value) store.picking.value = null;
    else if (store.problem.value) store.problem.value = null;
    else store.select(null);
  } else if (key in STATES && selected?.length === 2) {
    const [a, b] = (event.shiftKey ? [...selected].reverse() : selected).map((v) => store.names[v]);
    store.change((given) => withState(given, a, b, stateOf(given, a, b) === STATES[key] ? null : STATES[key]));
  }
}

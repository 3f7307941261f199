// The bar at the top: search, threshold, undo, theme, downloads.
import { useId } from "preact/hooks";
import { Downloads } from "./Downloads.jsx";

export function Header({ store, onHelp }) {
  const { view, start, past, future } = store;
  const { theme } = view.value;
  const next = { auto: "light", light: "dark", dark: "auto" }[theme];
  return (
    <header class="header">
      <h1 title={start.title}>{start.title}</h1>
      <Search store={store} />
      <Threshold store={store} />
      <div class="buttons">
        <button type="button" onClick={store.undo} disabled={!past.value.length} title="Undo (Ctrl-Z)">Undo</button>
        <button type="button" onClick={store.redo} disabled={!future.value.length} title="Redo (Ctrl-Shift-Z)">Redo</button>
        <Downloads store={store} />
        <button type="button" onClick={() => store.set({ theme: next })} title="Light, dark, or as the system">
          Theme: {theme}
        </button>
        <button type="button" onClick={onHelp} title="What everything means (?)">Help</button>
      </div>
      <span class={store.pending.value ? "busy on" : "busy"} aria-hidden="true" />
    </header>
  );
}

function Search({ store }) {
  const list = useId();
  const chosen = (event) => {
    const found = match(event.currentTarget.value, store.names);
    if (found === null) return;
    store.select([found]);
    store.centre?.(found);
  };
  return (
    <label class="search">
      <span class="unseen">Find a variable</span>
      <input
        type="search"
        list={list}
        placeholder="Find a variable"
        onChange={chosen}
        onInput={(event) => store.names.includes(event.currentTarget.value) && chosen(event)}
      />
      <datalist id={list}>{store.names.map((name) => <option value={name} key={name} />)}</datalist>
    </label>
  );
}

/** The variable of a name, or of the only or first name that begins with, or has, a text. */
function match(text, names) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return null;
  const ways = [(name) => name === wanted, (name) => name.startsWith(wanted), (name) => name.includes(wanted)];
  for (const way of ways) {
    const found = names.findIndex((name) => way(name.toLowerCase()));
    if (found >= 0) return found;
  }
  return null;
}

function Threshold({ store }) {
  const { threshold } = store.view.value;
  const drawn = store.pairs.value.filter(({ gone }) => !gone).length;
  return (
    <label class="threshold">
      <span>Edges from</span>
      <input
        type="range"
        min="0"
        max="1"
        step="0.01"
        value={threshold}
        aria-label="Least probability of drawn edges"
        aria-valuetext={`${threshold}, ${drawn} drawn`}
        onInput={(event) => store.set({ threshold: Number(event.currentTarget.value) })}
      />
      <output>{threshold.toFixed(2)}: {drawn} drawn</output>
    </label>
  );
}

// All edges as a table: sorted, filtered, and with evidence to choose; what the graph shows, for everybody.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { stateOf, withState } from "../model/statements.js";
import { moved, probability, signed } from "../model/words.js";

/** Rows that are shown at first, and more when they are scrolled to: a browser lays out a table as a whole. */
const FIRST = 30;
const MORE = 100;
/** Edges that are less probable are left out, unless they were more probable before. */
const LEAST = 0.0005;

export function EdgeTable({ store }) {
  const { view, now, reference, names, d } = store;
  const { filter, selected, given } = view.value;
  const [sorting, setSorting] = useState({ by: "p", descending: true });
  const [shown, setShown] = useState(FIRST);
  const before = reference.value;
  const rows = useMemo(
    () => sorted(filtered(rowsOf(now.value.matrix, before, names, d), filter), sorting),
    [now.value, before, filter, sorting],
  );
  const more = useRef(null);
  useEffect(() => {
    if (!more.current) return undefined;
    const watch = new IntersectionObserver(([end]) => end.isIntersecting && setShown((n) => n + MORE));
    watch.observe(more.current);
    return () => watch.disconnect();
  }, [rows.length > shown]);
  const current = useRef(null);
  useEffect(() => current.current?.scrollIntoView({ block: "nearest" }), [selected]);
  const columns = [
    ["cause", "Cause"],
    ["effect", "Effect"],
    ["p", "Probability"],
    ...(before ? [["before", "Before"], ["change", "Change"]] : []),
  ];
  return (
    <>
      <label class="filter">
        Filter{" "}
        <input
          type="text"
          value={filter}
          placeholder="part of a name"
          onInput={(event) => store.set({ filter: event.currentTarget.value })}
        />
        <span class="small"> {rows.length.toLocaleString("en")} edges</span>
      </label>
      <table class="edge-table">
        <caption class="unseen">Probabilities of edges</caption>
        <thead>
          <tr>
            {columns.map(([by, words]) => (
              <SortedColumn key={by} {...{ by, words, sorting, setSorting }} />
            ))}
            <th scope="col">Given</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map(({ a, b, cause, effect, p, before: earlier, change }) => {
            const own = selected?.length === 2 && selected[0] === a && selected[1] === b;
            return (
              <tr key={`${a},${b}`} ref={own ? current : undefined} aria-selected={own} data-row={`${a},${b}`}>
                <td><button type="button" class="plain" onClick={() => store.select([a, b])}>{cause}</button></td>
                <td><button type="button" class="plain" onClick={() => store.select([a, b])}>{effect}</button></td>
                <td class="number">{probability(p)}</td>
                {before && <td class="number">{probability(earlier)}</td>}
                {before && <td class={`number ${moved(change)}`}>{signed(change)}</td>}
                <td><Given store={store} {...{ cause, effect, given }} isContext={store.start.context.includes(b)} /></td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length > shown && (
        <button type="button" ref={more} onClick={() => setShown(shown + MORE)}>
          Show {Math.min(MORE, rows.length - shown)} more
        </button>
      )}
    </>
  );
}

function SortedColumn({ by, words, sorting, setSorting }) {
  const own = sorting.by === by;
  const order = own ? (sorting.descending ? "descending" : "ascending") : "none";
  const turn = () => setSorting({ by, descending: own ? !sorting.descending : by !== "cause" && by !== "effect" });
  return (
    <th scope="col" aria-sort={order}>
      <button type="button" class="plain" onClick={turn}>
        {words} <span aria-hidden="true">{own ? (sorting.descending ? "↓" : "↑") : ""}</span>
      </button>
    </th>
  );
}

function Given({ store, cause, effect, given, isContext }) {
  const state = stateOf(given, cause, effect) ?? "";
  const set = (event) => store.change((old) => withState(old, cause, effect, event.currentTarget.value || null));
  return (
    <select aria-label={`Evidence about ${cause} to ${effect}`} value={state} disabled={isContext} onChange={set}>
      <option value="">free</option>
      <option value="->">present</option>
      <option value="!->">absent</option>
    </select>
  );
}

function rowsOf(matrix, reference, names, d) {
  const rows = [];
  for (let a = 0; a < d; a += 1) {
    for (let b = 0; b < d; b += 1) {
      const p = matrix[a * d + b];
      const before = reference ? reference[a * d + b] : p;
      if (a === b || (p < LEAST && before < LEAST)) continue;
      rows.push({ a, b, cause: names[a], effect: names[b], p, before, change: p - before });
    }
  }
  return rows;
}

function filtered(rows, filter) {
  const wanted = filter.trim().toLowerCase();
  if (!wanted) return rows;
  return rows.filter(({ cause, effect }) => `${cause} ${effect}`.toLowerCase().includes(wanted));
}

function sorted(rows, { by, descending }) {
  const sign = descending ? -1 : 1;
  const value = by === "change" ? (row) => Math.abs(row.change) : (row) => row[by];
  const compare = (x, y) => (typeof x === "string" ? x.localeCompare(y) : x - y);
  return [...rows].sort((one, other) => sign * compare(value(one), value(other)));
}

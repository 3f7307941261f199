// The edges whose probability evidence moved most.
import { movedEdges } from "../model/pairs.js";
import { moved, probability, signed } from "../model/words.js";

const LISTED = 30;

export function Moved({ store }) {
  const { view, now, reference, names, d } = store;
  const { given, reference: compared } = view.value;
  if (!given.length) return <p class="small">Say first that an edge is present or absent.</p>;
  const edges = movedEdges(now.value, reference.value, d, LISTED);
  return (
    <>
      <label>
        Compared with{" "}
        <select value={compared} onChange={(event) => store.set({ reference: event.currentTarget.value })}>
          <option value="start">no evidence</option>
          <option value="step">before the last step</option>
        </select>
      </label>
      <table class="moved">
        <caption class="unseen">Edges that moved most</caption>
        <thead>
          <tr>
            <th scope="col">Edge</th><th scope="col">Before</th><th scope="col">Now</th><th scope="col">Change</th>
            <th scope="col"><span class="unseen">As a bar</span></th>
          </tr>
        </thead>
        <tbody>
          {edges.map(({ a, b, before, now: p, change }) => (
            <tr key={`${a},${b}`}>
              <td>
                <button type="button" class="plain" onClick={() => store.select([a, b])}>{names[a]} → {names[b]}</button>
              </td>
              <td class="number">{probability(before)}</td>
              <td class="number">{probability(p)}</td>
              <td class={`number ${moved(change)}`}>{signed(change)}</td>
              <td><Bar before={before} now={p} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      {edges.length === 0 && <p class="small">No edge moved {now.value.draws ? "by more than the noise of the draws" : "by 0.0005 or more"}.</p>}
    </>
  );
}

function Bar({ before, now }) {
  const [low, high] = [Math.min(before, now), Math.max(before, now)];
  return (
    <svg class="bar" viewBox="0 0 100 10" aria-hidden="true">
      <rect class="track" x="0" y="4" width="100" height="2" />
      <rect class={now > before ? "up" : "down"} x={100 * low} y="2" width={Math.max(1, 100 * (high - low))} height="6" />
    </svg>
  );
}

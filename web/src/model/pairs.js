// Pairs of neighbours as they are drawn: one line for each, with the share of each direction at its ends.
import { stateOf } from "./statements.js";

/** Directions of a smaller share have no arrow head. */
export const SMALLEST_SHARE = 0.03;

/** A change that is more than the noise of draws, if answers are shares of draws; else 0. */
export function beyondNoise(change, p, draws) {
  const noise = draws ? 2.5 * Math.sqrt((p * (1 - p)) / draws.left) : 0;
  return Math.abs(change) > Math.max(noise, 0.0005) ? change : 0;
}

/**
 * The pairs to draw: probable ones, those that evidence or the selection names, and those that were probable before.
 * `forward` and `backward` are probabilities of a -> b and b -> a, where a is the more probable cause at the beginning.
 */
export function pairsOf({ matrix, draws }, reference, view, start) {
  const { names } = start;
  const d = names.length;
  const found = [];
  const chosen = view.selected?.length === 2 ? [...view.selected].sort((x, y) => x - y).join() : null;
  const known = new Set([...start.required, ...start.forbidden].map((edge) => [...edge].sort((x, y) => x - y).join()));
  const stated = new Set(
    view.given
      .filter(([, relation]) => ["->", "!->", "--", "!--"].includes(relation))
      .map(([a, , b]) => [names.indexOf(a), names.indexOf(b)].sort((x, y) => x - y).join()),
  );
  for (let a = 0; a < d; a += 1) {
    for (let b = a + 1; b < d; b += 1) {
      const forward = matrix[a * d + b];
      const backward = matrix[b * d + a];
      const both = forward + backward;
      const earlier = reference ? reference[a * d + b] + reference[b * d + a] : both;
      const key = `${a},${b}`;
      const named = stated.has(key) || key === chosen || (known.has(key) && both >= view.threshold);
      if (both < view.threshold && earlier < view.threshold && !named) continue;
      found.push({
        key,
        a,
        b,
        forward,
        backward,
        both: Math.min(both, 1),
        gone: both < view.threshold && !named,
        change: reference ? beyondNoise(both - earlier, Math.min(both, 1), draws) : 0,
        forwardChange: reference ? beyondNoise(forward - reference[a * d + b], forward, draws) : 0,
        backwardChange: reference ? beyondNoise(backward - reference[b * d + a], backward, draws) : 0,
        forwardState: stateOf(view.given, names[a], names[b]),
        backwardState: stateOf(view.given, names[b], names[a]),
      });
    }
  }
  return found.sort((one, other) => one.both - other.both);
}

/** Directed edges whose probability changed most, the largest change first. */
export function movedEdges({ matrix, draws }, reference, d, most) {
  if (!reference) return [];
  const found = [];
  for (let a = 0; a < d; a += 1) {
    for (let b = 0; b < d; b += 1) {
      const change = matrix[a * d + b] - reference[a * d + b];
      if (!beyondNoise(change, matrix[a * d + b], draws)) continue;
      found.push({ a, b, before: reference[a * d + b], now: matrix[a * d + b], change });
    }
  }
  return found.sort((one, other) => Math.abs(other.change) - Math.abs(one.change)).slice(0, most);
}

/** The variables within so many drawn edges of one. */
export function neighbourhood(pairs, variable, hops) {
  let near = new Set([variable]);
  for (let k = 0; k < hops; k += 1) {
    const next = new Set(near);
    for (const { a, b, gone } of pairs) {
      if (gone) continue;
      if (near.has(a)) next.add(b);
      if (near.has(b)) next.add(a);
    }
    near = next;
  }
  return near;
}

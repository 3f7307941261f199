// From box to box by arrow keys.
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The nearest variable in the direction of an arrow key; null if there is none. */
export function nextVariable(boxes, from, key) {
  const [wx, wy] = WAYS[key] ?? [0, 0];
  const [x, y] = boxes[from];
  let best = null;
  let least = Infinity;
  boxes.forEach(([bx, by], v) => {
    const along = (bx - x) * wx + (by - y) * wy;
    const aside = Math.abs((bx - x) * wy) + Math.abs((by - y) * wx);
    if (v === from || along <= 1) return;
    const cost = along + 2 * aside;
    if (cost < least) [best, least] = [v, cost];
  });
  return best;
}

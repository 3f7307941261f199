// Curves from box to box, and arrow heads at their ends.
import { curveCatmullRom, line } from "d3-shape";

const GAP = 3;
const BOW = 0.08;

/** Where the way from the centre of a box toward a point leaves the box. */
export function border([x, y, width, height], [px, py], gap = GAP) {
  const dx = px - x;
  const dy = py - y;
  if (!dx && !dy) return [x, y];
  const scale = Math.min((width / 2 + gap) / Math.abs(dx || 1e-9), (height / 2 + gap) / Math.abs(dy || 1e-9));
  return [x + dx * scale, y + dy * scale];
}

/** The boxes of all variables: those of the layout, and where the user has put some. */
export function boxesOf(layout, moved) {
  return layout.nodes.map((box, v) => (moved[v] ? [moved[v][0], moved[v][1], box[2], box[3]] : box));
}

/** For pairs of variables the points at which their edge passes between others, from the first to the second. */
export function bendsOf(layout, moved) {
  const bends = new Map();
  for (const [upper, lower, points] of layout.bends) {
    if (moved[upper] || moved[lower]) continue; // the way between labels is another one now
    const [a, b] = upper < lower ? [upper, lower] : [lower, upper];
    bends.set(`${a},${b}`, upper < lower ? points : [...points].reverse());
  }
  return bends;
}

const smooth = line().curve(curveCatmullRom.alpha(0.5));

/** The curve of a pair: its points, its two ends with their directions, and its middle. */
export function curveOf(first, second, bends) {
  const way = bends?.length ? bends : [middleOf(first, second)];
  const begin = { at: border(first, way[0]), from: way[0] };
  const end = { at: border(second, way[way.length - 1]), from: way[way.length - 1] };
  return { begin, end, way, middle: way[Math.floor(way.length / 2)] };
}

/** The path of a curve, which leaves room for arrow heads of these lengths at its ends. */
export function pathOf({ begin, end, way }, atBegin = 0, atEnd = 0) {
  return smooth([backward(begin, atBegin), ...way, backward(end, atEnd)]);
}

function backward({ at: [x, y], from: [fx, fy] }, length) {
  const distance = Math.hypot(fx - x, fy - y);
  const share = distance ? Math.min(0.8, length / distance) : 0;
  return [x + share * (fx - x), y + share * (fy - y)];
}

function middleOf([x1, y1], [x2, y2]) {
  const bow = Math.abs(y2 - y1) < 1 ? 2 * BOW : BOW; // on one line the straight way may lead through others
  return [(x1 + x2) / 2 - (y2 - y1) * bow, (y1 + y2) / 2 + (x2 - x1) * bow];
}

/** The corners of an arrow head at the end of a curve. */
export function headOf({ at: [x, y], from: [fx, fy] }, length, width) {
  const distance = Math.hypot(x - fx, y - fy) || 1;
  const ux = (x - fx) / distance;
  const uy = (y - fy) / distance;
  const bx = x - ux * length;
  const by = y - uy * length;
  const half = width / 2;
  return [[x, y], [bx - uy * half, by + ux * half], [bx + uy * half, by - ux * half]]
    .map((corner) => corner.map((value) => value.toFixed(1)).join(","))
    .join(" ");
}

/** The rectangle around all boxes. */
export function extentOf(boxes, margin = 30) {
  const left = Math.min(...boxes.map(([x, , width]) => x - width / 2)) - margin;
  const right = Math.max(...boxes.map(([x, , width]) => x + width / 2)) + margin;
  const top = Math.min(...boxes.map(([, y, , height]) => y - height / 2)) - margin;
  const bottom = Math.max(...boxes.map(([, y, , height]) => y + height / 2)) + margin;
  return { left, top, width: right - left, height: bottom - top };
}

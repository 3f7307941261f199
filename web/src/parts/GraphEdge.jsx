// One pair of neighbours in the graph.
import { SMALLEST_SHARE } from "../model/pairs.js";
import { headOf, pathOf } from "../model/geometry.js";
import { aboutPair } from "../model/words.js";

/** From this share on the direction of an edge is decided, and no number says so. */
const DECIDED = 0.95;

/** From this change on an edge has the full colour of what moved. */
const LARGE_CHANGE = 0.25;

export function GraphEdge({ pair, names, curve, selected, dim, faint, compared, focusable, onChoose }) {
  const { key, forward, backward, both, gone, forwardChange, backwardChange } = pair;
  const thickness = thicknessOf(both);
  const marks = [pair.forwardState, pair.backwardState].filter(Boolean);
  const absent = marks.includes("!->") && both < 0.0005;
  const label = marks.length ? `; given: ${marks.map((mark) => (mark === "->" ? "present" : "absent")).join(", ")}` : "";
  const classes = ["pair", selected && "selected", dim && "dim", faint && "faint", gone && "gone", absent && "absent"];
  const forwardHead = gone ? 0 : headWidth(forward, both);
  const backwardHead = gone ? 0 : headWidth(backward, both);
  const path = pathOf(curve, 0.7 * backwardHead, 0.7 * forwardHead); // into the heads, so that no gap is seen
  return (
    <g
      class={classes.filter(Boolean).join(" ")}
      data-pair={key}
      tabindex={focusable ? 0 : -1}
      role="button"
      aria-pressed={selected}
      aria-label={aboutPair(pair, names) + label}
      onClick={onChoose}
      onKeyDown={(event) => event.key === "Enter" && onChoose(event)}
    >
      <title>{aboutPair(pair, names) + label}</title>
      <path class="hit" d={path} />
      <path
        class="line"
        d={path}
        stroke-width={gone || absent ? 1.5 : thickness}
        style={{ stroke: colour(pair.change, compared), strokeOpacity: gone ? 1 : 0.25 + 0.75 * both }}
      />
      <Head at={curve.end} width={forwardHead} p={forward} change={forwardChange} compared={compared} />
      <Head at={curve.begin} width={backwardHead} p={backward} change={backwardChange} compared={compared} />
      {marks.length > 0 && <Mark at={curve.middle} absent={!marks.includes("->")} />}
    </g>
  );
}

/** The share of the more probable direction as a number, above all lines; none where the direction is decided. */
export function Share({ pair: { forward, backward, both, gone, forwardState, backwardState }, curve, dim }) {
  const share = both > 0 ? Math.max(forward, backward) / (forward + backward) : 0;
  if (gone || both < 0.01 || share >= DECIDED || forwardState || backwardState) return null;
  return <text class={dim ? "share dim" : "share"} x={curve.middle[0]} y={curve.middle[1]}>{share.toFixed(2)}</text>;
}

const thicknessOf = (both) => 1 + 3.5 * both;

/** How wide the head of a direction is: by its share; 0 if the share is too small for one. */
function headWidth(p, both) {
  const share = both > 0 ? p / both : 0;
  return share < SMALLEST_SHARE ? 0 : thicknessOf(both) + 4 + 8 * share;
}

function Head({ at, width, p, change, compared }) {
  if (!width) return null;
  return (
    <polygon
      class="head"
      points={headOf(at, 0.95 * width, width)}
      style={{ fill: colour(change, compared), fillOpacity: 0.35 + 0.65 * p }}
    />
  );
}

/** A square on an edge that evidence says is present, a cross on one that it says is absent. */
function Mark({ at: [x, y], absent }) {
  if (!absent) return <rect class="mark" x={x - 5} y={y - 5} width="10" height="10" />;
  return <path class="mark cross" d={`M${x - 5},${y - 5}l10,10M${x - 5},${y + 5}l10,-10`} />;
}

/** Blue for what became more probable, orange for what became less, the plain colour for what did not move. */
function colour(change, compared) {
  if (!compared || Math.abs(change) < 0.005) return "var(--edge)";
  const strength = Math.round(100 * Math.min(1, 0.3 + (0.7 * Math.abs(change)) / LARGE_CHANGE));
  return `color-mix(in oklab, var(${change > 0 ? "--up" : "--down"}) ${strength}%, var(--edge))`;
}

// All probabilities as a heat map: a row for each cause, a column for each effect, in the order of the layout.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { probability } from "../model/words.js";

/** With more variables, names are shown only where the pointer is. */
const MOST_NAMED = 45;
const LETTER = 6.6;

export function HeatMap({ store }) {
  const canvas = useRef(null);
  const [at, setAt] = useState(null);
  const { names, d, now, layout, view } = store;
  const { selected, theme } = view.value;
  const order = useMemo(
    () =>
      names
        .map((_, v) => v)
        .sort((v, w) => layout.value.nodes[v][1] - layout.value.nodes[w][1] || layout.value.nodes[v][0] - layout.value.nodes[w][0]),
    [layout.value],
  );
  const named = d <= MOST_NAMED;
  const cell = Math.max(5, Math.min(24, Math.floor(520 / d)));
  const longest = Math.min(120, Math.max(...names.map((name) => name.length)) * LETTER) + 8;
  const margin = named ? longest : 4;
  const size = margin + cell * d + 1;

  useEffect(() => {
    paint(canvas.current, { names, d, order, matrix: now.value.matrix, selected, named, cell, margin, size });
  }, [now.value, selected, theme, layout.value]);

  const cellAt = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const [column, row] = [event.clientX - box.left, event.clientY - box.top].map((x) => Math.floor((x - margin) / cell));
    const inside = row >= 0 && column >= 0 && row < d && column < d && row !== column;
    return inside ? [order[row], order[column]] : null;
  };
  return (
    <div class="heat">
      <canvas
        ref={canvas}
        role="img"
        aria-label="Heat map of the probabilities of all edges; the table of edges has the same numbers"
        style={{ width: `${size}px`, height: `${size}px` }}
        onPointerMove={(event) => setAt(cellAt(event))}
        onPointerLeave={() => setAt(null)}
        onClick={(event) => cellAt(event) && store.select(cellAt(event))}
      />
      <p class="small">
        {at
          ? `${names[at[0]]} → ${names[at[1]]}: ${probability(now.value.matrix[at[0] * d + at[1]])}`
          : "Rows are causes, columns are effects; the darker (in dark mode: the lighter), the more probable."}
      </p>
    </div>
  );
}

function paint(canvas, { names, d, order, matrix, selected, named, cell, margin, size }) {
  const sharp = window.devicePixelRatio || 1;
  canvas.width = canvas.height = Math.round(size * sharp);
  const context = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  const colour = (name) => style.getPropertyValue(name).trim();
  context.scale(sharp, sharp);
  context.fillStyle = colour("--panel");
  context.fillRect(0, 0, size, size);
  order.forEach((cause, row) => {
    order.forEach((effect, column) => {
      const p = matrix[cause * d + effect];
      context.globalAlpha = cause === effect ? 1 : p;
      context.fillStyle = colour(cause === effect ? "--line" : "--edge");
      context.fillRect(margin + column * cell, margin + row * cell, cell - 1, cell - 1);
    });
  });
  context.globalAlpha = 1;
  context.fillStyle = colour("--text");
  context.font = "12px system-ui, sans-serif";
  if (named) drawNames(context, names, order, cell, margin);
  if (selected?.length === 2) {
    const [row, column] = selected.map((v) => order.indexOf(v));
    context.strokeStyle = colour("--accent");
    context.lineWidth = 2;
    context.strokeRect(margin + column * cell - 1, margin + row * cell - 1, cell + 1, cell + 1);
  }
}

function drawNames(context, names, order, cell, margin) {
  context.textBaseline = "middle";
  context.textAlign = "right";
  order.forEach((v, row) => context.fillText(names[v], margin - 5, margin + (row + 0.5) * cell, margin - 8));
  context.textAlign = "left";
  order.forEach((v, column) => {
    context.save();
    context.translate(margin + (column + 0.5) * cell, margin - 5);
    context.rotate(-Math.PI / 2);
    context.fillText(names[v], 0, 0, margin - 8);
    context.restore();
  });
}

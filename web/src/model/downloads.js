// The present view as files, and as Python.
import { textOf } from "./statements.js";

export function save(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function edgesOf({ names, d, now, reference }) {
  const rows = [];
  names.forEach((cause, a) =>
    names.forEach((effect, b) => {
      if (a === b) return;
      const before = reference.value ? reference.value[a * d + b] : undefined;
      rows.push({ cause, effect, probability: now.value.matrix[a * d + b], before });
    }),
  );
  return rows.sort((one, other) => other.probability - one.probability);
}

/** A cell of CSV. A name that a spreadsheet would take for a formula begins with an apostrophe. */
function cell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/u.test(value) ? `'${value}` : String(value ?? "");
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(store) {
  const rows = edgesOf(store);
  const columns = ["cause", "effect", "probability", ...(store.reference.value ? ["before"] : [])];
  return [columns, ...rows.map((row) => columns.map((name) => row[name]))].map((row) => row.map(cell).join(",")).join("\r\n");
}

export function jsonOf(store) {
  const { view, now, start } = store;
  return JSON.stringify(
    {
      title: start.title,
      package: `orderspn ${start.package}`,
      variables: store.names,
      given: textOf(view.value.given),
      log_probability_of_evidence: now.value.log_probability,
      draws: now.value.draws,
      edges: edgesOf(store),
    },
    null,
    1,
  );
}

const dotName = (name) => `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

export function dotOf({ names, d, now, view }) {
  const { threshold } = view.value;
  const lines = names.map((name) => `  ${dotName(name)};`);
  edgesOf({ names, d, now, reference: { value: null } })
    .filter(({ probability }) => probability > 0 && probability >= threshold)
    .forEach(({ cause, effect, probability: p }) => {
      const width = (0.5 + 3.5 * p).toFixed(2);
      lines.push(`  ${dotName(cause)} -> ${dotName(effect)} [label="${p.toFixed(3)}", penwidth=${width}];`);
    });
  return `digraph posterior {\n${lines.join("\n")}\n}\n`;
}

const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "opacity"];
const WRITTEN = ["font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "paint-order"];

/** A colour as every program reads it: browsers give mixed ones in spaces that few others know. */
function plain(value) {
  if (!/^(?:color|color-mix|oklab|oklch|lab|lch)\(/u.test(value)) return value;
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  context.fillStyle = value;
  context.fillRect(0, 0, 1, 1);
  return `rgb(${[...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].join(", ")})`;
}

/** The graph as it is seen, complete, with all styles as attributes. */
export function svgOf(svg) {
  const camera = svg.querySelector("g");
  const box = camera.getBBox();
  const margin = 16;
  const [x, y, width, height] = [box.x - margin, box.y - margin, box.width + 2 * margin, box.height + 2 * margin];
  const copy = svg.cloneNode(true);
  const originals = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, k) => {
    const style = getComputedStyle(originals[k]);
    for (const name of element.tagName === "text" ? [...DRAWN, ...WRITTEN] : DRAWN) {
      if (["path", "rect", "polygon", "text", "g"].includes(element.tagName)) {
        element.setAttribute(name, plain(style.getPropertyValue(name)));
      }
    }
    for (const name of ["class", "style", "tabindex", "role", "aria-pressed"]) element.removeAttribute(name);
  });
  copy.querySelectorAll("path[stroke-opacity='0']").forEach((hit) => hit.remove());
  copy.firstElementChild.removeAttribute("transform");
  for (const name of ["class", "style", "role"]) copy.removeAttribute(name);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", [x, y, width, height].map((value) => value.toFixed(1)).join(" "));
  copy.setAttribute("width", width.toFixed(0));
  copy.setAttribute("height", height.toFixed(0));
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const fill = getComputedStyle(svg).getPropertyValue("--ground").trim();
  for (const [name, value] of Object.entries({ x, y, width, height, fill })) ground.setAttribute(name, value);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

/** The same as pixels, twice as many as on a plain screen. */
export async function pngOf(svg) {
  const text = svgOf(svg);
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const scale = Math.min(2, 8000 / picture.width, 8000 / picture.height);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width * scale, picture.height * scale];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("The picture is too large."))), "image/png"),
  );
}

const pythonText = (text) => JSON.stringify(text);

/** Python that makes the present view. */
export function pythonOf({ start, view, names }) {
  const { given, selected, threshold } = view.value;
  const lines = ["import orderspn as osp", "", `posterior = ${start.expression}`];
  if (given.length) lines.push(`posterior = posterior.given(${pythonText(textOf(given))})`);
  lines.push("edges = posterior.edge_probabilities()");
  if (selected?.length === 1) lines.push(`parents = posterior.parent_sets(${pythonText(names[selected[0]])})`);
  if (selected?.length === 2) {
    const [cause, effect] = selected.map((v) => pythonText(names[v]));
    lines.push(`effect = posterior.effect(${cause}, ${effect})`);
  }
  lines.push(`osp.plot.posterior_graph(posterior, min_probability=${threshold}, directions="shares")`);
  return lines.join("\n");
}


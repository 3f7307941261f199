// The view as text: in the address of a page, so that it can be bookmarked and sent; in a widget, in its model.
import { parse, textOf } from "./statements.js";

export const DRAWERS = ["table", "heat", "moved"];
export const PANELS = ["selected", "whole", "best", "judge"];
const THEMES = ["auto", "light", "dark"];
const round = (value) => Math.round(value * 100) / 100;

/** What is not as it was at the beginning, as parameters of an address. */
export function textOfView(view, names, beginning) {
  const parameters = new URLSearchParams();
  if (view.given.length) parameters.set("given", textOf(view.given));
  if (view.threshold !== beginning.threshold) parameters.set("threshold", String(view.threshold));
  if (view.selected) parameters.set("selected", JSON.stringify(view.selected.map((v) => names[v])));
  if (view.focus !== null) parameters.set("focus", JSON.stringify([names[view.focus], view.hops]));
  for (const key of ["drawer", "tall", "panel", "theme", "reference", "filter"]) {
    if (view[key] !== beginning[key]) parameters.set(key, view[key]);
  }
  const moved = Object.entries(view.moved).map(([v, [x, y]]) => [names[v], round(x), round(y)]);
  if (moved.length) parameters.set("moved", JSON.stringify(moved));
  if (view.zoom) parameters.set("zoom", view.zoom.map(round).join(","));
  return parameters.toString();
}

/** The view of a text; what it does not say, or says wrongly, is as at the beginning. */
export function viewOfText(text, names, beginning) {
  const parameters = new URLSearchParams(text);
  const view = { ...beginning };
  const index = new Map(names.map((name, v) => [name, v]));
  const known = (value) => Array.isArray(value) && value.every((name) => index.has(name));
  view.given = parse(parameters.get("given") ?? "", names) ?? [];
  const threshold = Number(parameters.get("threshold") ?? NaN);
  if (threshold >= 0 && threshold <= 1) view.threshold = threshold;
  const selected = json(parameters.get("selected"));
  if (known(selected) && [1, 2].includes(selected.length) && new Set(selected).size === selected.length) view.selected = selected.map((name) => index.get(name));
  const focus = json(parameters.get("focus"));
  if (Array.isArray(focus) && index.has(focus[0])) {
    view.focus = index.get(focus[0]);
    view.hops = focus[1] === 2 ? 2 : 1;
  }
  const choices = { drawer: DRAWERS, tall: ["yes", "no"], panel: PANELS, theme: THEMES, reference: ["start", "step"] };
  for (const [key, allowed] of Object.entries(choices)) {
    if (allowed.includes(parameters.get(key))) view[key] = parameters.get(key);
  }
  view.filter = parameters.get("filter") ?? "";
  const moved = json(parameters.get("moved"));
  for (const entry of Array.isArray(moved) ? moved : []) {
    const [name, x, y] = Array.isArray(entry) ? entry : [];
    if (index.has(name) && Number.isFinite(x) && Number.isFinite(y)) view.moved = { ...view.moved, [index.get(name)]: [x, y] };
  }
  const zoom = (parameters.get("zoom") ?? "").split(",").map(Number);
  if (zoom.length === 3 && zoom.every(isFinite) && zoom[0] > 0) view.zoom = zoom;
  return view;
}

function json(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** The part of a page's address that no server sees. */
export function addressOf(window) {
  return {
    read: () => window.location.hash.slice(1),
    write: (text) => {
      const base = window.location.pathname + window.location.search;
      // Pages within others, such as reports in notebooks, have an address that cannot change.
      if (window.location.protocol !== "about:") window.history.replaceState(null, "", text ? `${base}#${text}` : base);
    },
    listen: (changed) => {
      window.addEventListener("hashchange", changed);
      return () => window.removeEventListener("hashchange", changed);
    },
  };
}

/** The state of a widget, which the kernel reads and sets: evidence apart, all the rest as one text. */
export function addressOfModel(model) {
  const read = () => {
    const parameters = new URLSearchParams(model.get("view"));
    parameters.delete("given");
    if (model.get("given")) parameters.set("given", model.get("given"));
    return parameters.toString();
  };
  return {
    read,
    write: (text) => {
      model.set("view", text);
      model.set("given", new URLSearchParams(text).get("given") ?? "");
      model.save_changes();
    },
    listen: (changed) => {
      model.on("change:given", changed);
      return () => model.off("change:given", changed);
    },
  };
}

// The graph: variables as boxes in layers, pairs of neighbours as lines; pan, zoom and drag.
import { drag } from "d3-drag";
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { bendsOf, boxesOf, curveOf, extentOf } from "../model/geometry.js";
import { neighbourhood } from "../model/pairs.js";
import { nextVariable } from "./directions.js";
import { GraphEdge, Share } from "./GraphEdge.jsx";
import { GraphNode } from "./GraphNode.jsx";
import { NodeMenu } from "./NodeMenu.jsx";

/** Shares are written on lines if there are at most so many. */
const WRITTEN_UP_TO = 30;

export function Graph({ store }) {
  const svg = useRef(null);
  const camera = useRef(null);
  const [menu, setMenu] = useState(null); // {variable, x, y}
  const [focused, setFocused] = useState(null); // variable, or key of a pair, that the keyboard is at
  const { view, names, layout } = store;
  const { selected, focus, hops, moved } = view.value;
  const pairs = store.pairs.value;
  const boxes = useMemo(() => boxesOf(layout.value, moved), [layout.value, moved]);
  const bends = useMemo(() => bendsOf(layout.value, moved), [layout.value, moved]);
  const near = useMemo(
    () => (focus === null ? null : neighbourhood(pairs, focus, hops)),
    [pairs, focus, hops],
  );
  const extent = useMemo(() => extentOf(layout.value.nodes), [layout.value]);
  useCamera(svg, camera, store, extent, boxes);
  useDragging(svg, store, boxes);
  const onFocusIn = useKeptFocus(svg, store, pairs);

  // Among many lines, those of the chosen variable stand out.
  const alone = selected?.length === 1 && pairs.length > WRITTEN_UP_TO ? selected[0] : null;
  const written = pairs.length <= WRITTEN_UP_TO;
  const curves = useMemo(
    () => new Map(pairs.map(({ key, a, b }) => [key, curveOf(boxes[a], boxes[b], bends.get(key))])),
    [pairs, boxes, bends],
  );
  const isChosen = ({ a, b }) => selected?.length === 2 && selected.includes(a) && selected.includes(b);
  const isDim = (v) => near !== null && !near.has(v);
  const first = focused ?? selected?.[0] ?? 0;
  const onKeyDown = (event) => keyDown(event, store, boxes, pairs, setMenu, setFocused, svg.current);

  return (
    <div class="graph">
      <svg
        ref={svg}
        role="group"
        aria-label={`Graph of ${names.length} variables with ${pairs.length} pairs of neighbours. The table of edges has the same.`}
        onKeyDown={onKeyDown}
        onFocusIn={onFocusIn}
        onClick={(event) => event.target === svg.current && store.select(null)}
      >
        <g ref={camera}>
          <g class="edges">
            {pairs.map((pair) => (
              <GraphEdge
                key={pair.key}
                pair={pair}
                names={names}
                curve={curves.get(pair.key)}
                selected={isChosen(pair)}
                dim={isDim(pair.a) || isDim(pair.b)}
                faint={alone !== null && pair.a !== alone && pair.b !== alone}
                compared={store.reference.value !== null}
                focusable={first === pair.key}
                onChoose={() => store.select(chosenDirection(pair, selected))}
              />
            ))}
          </g>
          <g class="shares" aria-hidden="true">
            {pairs
              .filter((pair) => written || isChosen(pair))
              .map((pair) => (
                <Share key={pair.key} pair={pair} curve={curves.get(pair.key)} dim={isDim(pair.a) || isDim(pair.b)} />
              ))}
          </g>
          <g class="nodes">
            {names.map((name, v) => (
              <GraphNode
                key={v}
                name={name}
                lines={layout.value.labels[v]}
                box={boxes[v]}
                number={v}
                context={store.start.context.includes(v)}
                selected={Boolean(selected?.includes(v))}
                dim={isDim(v)}
                focusable={first === v}
                onChoose={(event) => chooseVariable(event, store, v)}
                onMenu={(event) => {
                  event.preventDefault();
                  setMenu({ variable: v, ...placeOf(event, svg.current) });
                }}
              />
            ))}
          </g>
        </g>
      </svg>
      <Controls store={store} />
      {menu && <NodeMenu store={store} {...menu} onClose={() => setMenu(null)} />}
    </div>
  );
}

/** The more probable direction first; the other one if that is already chosen. */
function chosenDirection({ a, b, forward, backward }, selected) {
  const likely = forward >= backward ? [a, b] : [b, a];
  return selected?.length === 2 && selected[0] === likely[0] && selected[1] === likely[1] ? [...likely].reverse() : likely;
}

function chooseVariable(event, store, v) {
  const { selected } = store.view.value;
  if (event.shiftKey && selected && selected[0] !== v && !store.picking.value) store.select([selected[0], v]);
  else store.select([v]);
}

function placeOf(event, svg) {
  const around = svg.getBoundingClientRect();
  const box = event.clientX ? { left: event.clientX, bottom: event.clientY } : event.currentTarget.getBoundingClientRect();
  return { x: box.left - around.left, y: box.bottom - around.top };
}

function useCamera(svg, camera, store, extent, boxes) {
  useEffect(() => {
    const element = select(svg.current);
    const behaviour = zoom()
      .scaleExtent([0.05, 8])
      .filter((event) => !event.button && !event.target.closest?.("[data-variable]"))
      .on("zoom", ({ transform, sourceEvent }) => {
        camera.current.setAttribute("transform", transform.toString());
        if (sourceEvent) store.set({ zoom: [transform.k, transform.x, transform.y] });
      });
    element.call(behaviour).on("dblclick.zoom", null);
    const moveTo = (transform, remembered) => {
      element.call(behaviour.transform, transform);
      store.set({ zoom: remembered ? [transform.k, transform.x, transform.y] : null });
    };
    store.fit = () => {
      const { clientWidth: width, clientHeight: height } = svg.current;
      const k = Math.min(width / extent.width, height / extent.height, 1.6) || 1;
      const x = width / 2 - k * (extent.left + extent.width / 2);
      const y = height / 2 - k * (extent.top + extent.height / 2);
      moveTo(zoomIdentity.translate(x, y).scale(k), false);
    };
    store.scaleBy = (factor) => {
      element.call(behaviour.scaleBy, factor);
      const { k, x, y } = svg.current.__zoom;
      store.set({ zoom: [k, x, y] });
    };
    const { zoom: remembered } = store.view.value;
    if (remembered) moveTo(zoomIdentity.translate(remembered[1], remembered[2]).scale(remembered[0]), true);
    else store.fit();
    const watch = new ResizeObserver(() => store.view.value.zoom === null && store.fit());
    watch.observe(svg.current);
    return () => watch.disconnect();
  }, [store, extent]);

  store.centre = (v) => {
    const { clientWidth: width, clientHeight: height, __zoom: now } = svg.current;
    const k = Math.max(now.k, 0.8);
    const at = zoomIdentity.translate(width / 2 - k * boxes[v][0], height / 2 - k * boxes[v][1]).scale(k);
    camera.current.setAttribute("transform", at.toString());
    svg.current.__zoom = at;
    store.set({ zoom: [at.k, at.x, at.y] });
  };
}

function useDragging(svg, store, boxes) {
  const now = useRef(boxes);
  now.current = boxes;
  useEffect(() => {
    const variableOf = (element) => Number(element.dataset.variable);
    const behaviour = drag()
      .clickDistance(4)
      .subject((event, v) => ({ x: now.current[v][0], y: now.current[v][1] }))
      .on("drag", (event, v) => store.set({ moved: { ...store.view.value.moved, [v]: [event.x, event.y] } }));
    select(svg.current)
      .selectAll("[data-variable]")
      .datum(function () {
        return variableOf(this);
      })
      .call(behaviour);
  }, [store]);
}

/** Lines are painted by their probability. One that takes another place loses the focus by that, and gets it back. */
function useKeptFocus(svg, store, pairs) {
  const last = useRef(null);
  useLayoutEffect(() => {
    if (last.current && !store.root.activeElement) svg.current.querySelector(last.current)?.focus({ preventScroll: true });
  }, [pairs]);
  return (event) => {
    const { pair, variable } = event.target.dataset;
    last.current = pair === undefined ? `[data-variable="${variable}"]` : `[data-pair="${pair}"]`;
  };
}

function keyDown(event, store, boxes, pairs, setMenu, setFocused, svg) {
  const element = event.target.closest("[data-variable], [data-pair]");
  if (!element) return;
  const variable = element.dataset.variable === undefined ? null : Number(element.dataset.variable);
  const go = (item, selector) => {
    event.preventDefault();
    event.stopPropagation();
    setFocused(item);
    requestAnimationFrame(() => svg.querySelector(selector)?.focus());
  };
  if (event.key.startsWith("Arrow")) {
    const from = variable ?? pairs.find(({ key }) => key === element.dataset.pair)?.a ?? 0;
    const next = nextVariable(boxes, from, event.key);
    if (next !== null) go(next, `[data-variable="${next}"]`);
  } else if (event.key.toLowerCase() === "e") {
    const at = pairs.find(({ key }) => key === element.dataset.pair);
    const own = pairs.filter(({ a, b, gone }) => !gone && [a, b].includes(variable ?? at?.a));
    if (!own.length) return;
    const next = own[(own.indexOf(at) + 1) % own.length];
    go(next.key, `[data-pair="${next.key}"]`);
  } else if (variable !== null && (event.key === "ContextMenu" || event.key.toLowerCase() === "m")) {
    event.preventDefault();
    const around = svg.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    setMenu({ variable, x: box.left - around.left, y: box.bottom - around.top });
  }
}

function Controls({ store }) {
  const { focus, hops, moved } = store.view.value;
  const live = store.engine.kind !== "report";
  const anew = async () => {
    const found = await store.ask({ question: "layout" }).catch((problem) => (store.problem.value = problem.message));
    if (found?.nodes) {
      store.layout.value = { ...store.start, ...found };
      store.set({ moved: {}, zoom: null });
    }
  };
  return (
    <div class="controls">
      <button type="button" onClick={() => store.scaleBy(1.3)} aria-label="Zoom in">+</button>
      <button type="button" onClick={() => store.scaleBy(1 / 1.3)} aria-label="Zoom out">−</button>
      <button type="button" onClick={() => store.fit()}>Fit</button>
      {live && <button type="button" onClick={anew} title="New positions for the present probabilities">Lay out anew</button>}
      {Object.keys(moved).length > 0 && (
        <button type="button" onClick={() => store.set({ moved: {} })}>Undo dragging</button>
      )}
      {focus !== null && (
        <>
          <button type="button" onClick={() => store.set({ hops: hops === 1 ? 2 : 1 })}>
            {hops === 1 ? "Wider" : "Narrower"}
          </button>
          <button type="button" onClick={() => store.set({ focus: null })}>Show all</button>
        </>
      )}
    </div>
  );
}

// One variable in the graph.
const LINE_HEIGHT = 17;

export function GraphNode({ name, lines, box, number, context, selected, dim, focusable, onChoose, onMenu }) {
  const [x, y, width, height] = box;
  const classes = ["node", context && "context", selected && "selected", dim && "dim"];
  return (
    <g
      class={classes.filter(Boolean).join(" ")}
      data-variable={number}
      transform={`translate(${x},${y})`}
      tabindex={focusable ? 0 : -1}
      role="button"
      aria-pressed={selected}
      aria-label={context ? `${name}, context variable` : name}
      onClick={onChoose}
      onContextMenu={onMenu}
      onKeyDown={(event) => event.key === "Enter" && onChoose(event)}
    >
      <title>{name}</title>
      <rect x={-width / 2} y={-height / 2} width={width} height={height} rx={context ? 0 : 8} />
      {lines.map((line, k) => (
        <text key={k} y={(k - (lines.length - 1) / 2) * LINE_HEIGHT}>{line}</text>
      ))}
    </g>
  );
}

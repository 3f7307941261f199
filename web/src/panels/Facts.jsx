// Names and values, with what the names mean.
export function Facts({ lines, meanings }) {
  return (
    <dl class="facts">
      {lines.map(([name, value], k) => [
        <dt key={`${k}t`} title={meanings[name]}>{name}</dt>,
        <dd key={`${k}d`}>{value}</dd>,
      ])}
    </dl>
  );
}

// The data of one variable as bars, with a few numbers.
import { amount } from "../model/words.js";

const WIDTH = 300;
const HEIGHT = 84;

export function Distribution({ about, name }) {
  if (!about) return null;
  if (about.kind === "group") {
    return Object.entries(about.columns).map(([column, own]) => <Distribution key={column} name={column} about={own} />);
  }
  return about.kind === "category" ? <Levels about={about} name={name} /> : <Histogram about={about} name={name} />;
}

function Histogram({ about, name }) {
  const { first, last, counts, mean, sd, minimum, maximum } = about;
  const most = Math.max(...counts);
  const step = WIDTH / counts.length;
  const words = `${name}: mean ${amount(mean)}, standard deviation ${amount(sd)}, from ${amount(minimum)} to ${amount(maximum)}`;
  return (
    <figure>
      <svg class="small-picture bars" viewBox={`0 0 ${WIDTH} ${HEIGHT + 16}`} role="img" aria-label={`Histogram of ${words}`}>
        {counts.map((count, k) => {
          const height = (HEIGHT * count) / most;
          return (
            <rect key={k} x={k * step + 0.5} y={HEIGHT - height} width={step - 1} height={height}>
              <title>{`${amount(first + (k * (last - first)) / counts.length)} on: ${count} rows`}</title>
            </rect>
          );
        })}
        <text x="0" y={HEIGHT + 13}>{amount(first)}</text>
        <text x={WIDTH} y={HEIGHT + 13} text-anchor="end">{amount(last)}</text>
      </svg>
      <figcaption class="small">{words}{missing(about)}</figcaption>
    </figure>
  );
}

function Levels({ about, name }) {
  const { levels, counts, others = 0, other_levels: left = 0 } = about;
  const rows = [...levels.map((level, k) => [level, counts[k]]), ...(left ? [[`${left} other levels`, others]] : [])];
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return (
    <table class="levels">
      <caption class="small">Rows with each level of {name}{missing(about)}</caption>
      <tbody>
        {rows.map(([level, count]) => (
          <tr key={level}>
            <th scope="row">{level}</th>
            <td>
              <svg class="bar bars" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect x="0" y="1" width={(100 * count) / most} height="8" />
              </svg>
            </td>
            <td class="number">{count.toLocaleString("en")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const missing = ({ missing: count }) => (count ? `; ${count.toLocaleString("en")} missing` : "");

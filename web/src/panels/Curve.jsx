// The mean of one variable when another is set to each of several values, as a small picture with a table.
import { line, area } from "d3-shape";
import { amount } from "../model/words.js";

const WIDTH = 300;
const HEIGHT = 150;
const MARGIN = { left: 48, right: 8, top: 8, bottom: 26 };

export function Curve({ points, cause, effect }) {
  const levels = [...new Set(points.map(({ level }) => level))];
  const categories = typeof points[0].at === "string";
  const of = levels[0] === null ? `mean of ${effect}` : `probability of each level of ${effect}`;
  const about = `${of} when ${cause} is set to each value, with 90% intervals`;
  return (
    <figure class="curve">
      {!categories && <figcaption class="small">{about}</figcaption>}
      {!categories && levels.map((level) => (
        <Picture key={level} about={about} level={level} points={points.filter((point) => point.level === level)} />
      ))}
      <details open={categories}>
        <summary>{categories ? about : "As a table"}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{cause}</th>
              {levels[0] !== null && <th scope="col">{effect}</th>}
              <th scope="col">Mean</th>
              <th scope="col">Interval</th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ at, level, mean, low, high }) => (
              <tr key={`${at}${level}`}>
                <td>{typeof at === "string" ? at : amount(at)}</td>
                {levels[0] !== null && <td>{level}</td>}
                <td>{amount(mean)}</td>
                <td>{amount(low)} to {amount(high)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function Picture({ points, about, level }) {
  const [left, right] = range(points.map(({ at }) => at));
  const [bottom, top] = level === null ? range(points.flatMap(({ low, high }) => [low, high])) : [0, 1];
  const x = (value) => MARGIN.left + ((value - left) / (right - left)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (value) => HEIGHT - MARGIN.bottom - ((value - bottom) / (top - bottom)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const band = area().x(({ at }) => x(at)).y0(({ low }) => y(low)).y1(({ high }) => y(high));
  const means = line().x(({ at }) => x(at)).y(({ mean }) => y(mean));
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} class="small-picture" role="img" aria-label={level ? `${about}: ${level}` : about}>
      <path class="band" d={band(points)} />
      <path class="means" d={means(points)} />
      {level !== null && <text x={MARGIN.left + 4} y={MARGIN.top + 10}>{level}</text>}
      <text x={MARGIN.left - 4} y={y(top) + 8} text-anchor="end">{amount(top)}</text>
      <text x={MARGIN.left - 4} y={y(bottom)} text-anchor="end">{amount(bottom)}</text>
      <text x={x(left)} y={HEIGHT - 8}>{amount(left)}</text>
      <text x={x(right)} y={HEIGHT - 8} text-anchor="end">{amount(right)}</text>
    </svg>
  );
}

function range(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? [low - 1, high + 1] : [low, high];
}

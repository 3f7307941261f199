// The data of one variable as bars.
import { amount } from "../model/words.js";

const WIDTH = 300;
const HEIGHT = 90;

export function Distribution({ about }) {
  if (!about) return null;
  return <pre class="small">{JSON.stringify(about)}</pre>;
}

export const unused = { amount, WIDTH, HEIGHT };

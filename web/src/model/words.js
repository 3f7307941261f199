// Numbers and short sentences as people read them.
/** A probability with three digits; what is not quite 0 or 1 does not look as if it were. */
export function probability(p) {
  if (p === null || p === undefined || Number.isNaN(p)) return "?";
  if (p > 0 && p < 0.0005) return "<0.001";
  if (p < 1 && p > 0.9995) return ">0.999";
  return p.toFixed(3);
}

export function signed(change) {
  if (Math.abs(change) < 0.0005) return "0.000";
  return `${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(3)}`;
}

/** The class of a change: up, down, or none where it is not seen. */
export const moved = (change) => (Math.abs(change) < 0.0005 ? "" : change > 0 ? "up" : "down");

/** A number of any size with four digits. */
export function amount(x) {
  if (x === null || x === undefined) return "?";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return (size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)))).replace("-", "−");
}

/** The probability of evidence, which may be too small for digits. */
export function ofLog(log) {
  if (log === null || log === undefined) return "unknown";
  if (Math.exp(log) >= 0.0005) return probability(Math.min(1, Math.exp(log)));
  const power = log / Math.LN10;
  const [digits, carried] = (10 ** (power - Math.floor(power))).toExponential(1).split("e");
  return `${digits} × 10^${Math.floor(power) + Number(carried)}`.replace("-", "−");
}

/** What is known about a pair of neighbours, in a sentence. */
export function aboutPair({ a, b, forward, backward }, names) {
  const none = Math.max(0, 1 - forward - backward);
  return (
    `${names[a]} to ${names[b]} ${probability(forward)}, ${names[b]} to ${names[a]} ${probability(backward)}, ` +
    `no edge ${probability(none)}`
  );
}

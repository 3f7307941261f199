// Arrays as they come from Python: base64 of their bytes, some of them compressed.
export function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export const numbersOf = (text) => new Float64Array(bytesOf(text).buffer);

export async function inflated(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

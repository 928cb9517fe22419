/** A text as a point in the model's space, of length 1: the nearer two texts are, the larger their dot product. */
export type Vector = Float32Array;

const FLOAT_BYTES = 4;

/** Little-endian floats, however the bytes are aligned in memory. */
export function floatsOf(bytes: Buffer): Vector {
  const floats = new Float32Array(Math.floor(bytes.length / FLOAT_BYTES));
  for (let at = 0; at < floats.length; at += 1) floats[at] = bytes.readFloatLE(at * FLOAT_BYTES);
  return floats;
}

export function bytesOf(vector: Vector): Buffer {
  const bytes = Buffer.alloc(vector.length * FLOAT_BYTES);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * FLOAT_BYTES);
  return bytes;
}

/** The cosine of two vectors of one model, -1 to 1. */
export function cosine(one: Vector, other: Vector): number {
  let sum = 0;
  const size = one.length;
  for (let at = 0; at < size; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

/** A text as a vector of length 1 in a model's space: the nearer two texts are, the larger their dot product. */
export type Vector = Float32Array;

/** Scales a vector to length 1. @throws RangeError for a vector without a direction */
export function unitLength(values: ArrayLike<number>): Vector {
  const vector = Float32Array.from(values);
  let square = 0;
  for (let at = 0; at < vector.length; at += 1) square += (vector[at] as number) ** 2;
  if (!Number.isFinite(square) || square === 0)
    throw new RangeError('a vector without a direction');
  const length = Math.sqrt(square);
  for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] as number) / length;
  return vector;
}

/** The numbers kept of a name's vector: a search reads a hundred of them, and half the numbers are nearly as good. */
export const KEPT = 256;

/** The largest number that a signed byte holds. */
const LARGEST = 127;

/** Encodes a name's vector for storage: its first {@link KEPT} numbers as signed bytes, the largest being 127. */
export function bytesOf(whole: Vector, size = KEPT): Buffer {
  const vector = whole.subarray(0, size);
  let most = 0;
  for (let at = 0; at < vector.length; at += 1)
    most = Math.max(most, Math.abs(vector[at] as number));
  return Buffer.from(
    Int8Array.from(vector, (value) => Math.round((LARGEST * value) / most)).buffer,
  );
}

/** Decodes a vector from stored bytes. */
export function vectorOf(bytes: Buffer): Vector {
  return unitLength(signed(bytes));
}

/** Returns the cosine similarity of two vectors of one model, -1 to 1. */
export function cosine(one: Vector, other: Vector): number {
  let sum = 0;
  const size = one.length;
  for (let at = 0; at < size; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

/** Returns stored bytes as signed numbers. */
export function signed(bytes: Buffer): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Returns the cosine similarity of a vector and one stored as bytes. */
export function cosineOfBytes(one: Vector, other: Int8Array): number {
  const size = Math.min(one.length, other.length);
  let product = 0;
  let square = 0;
  for (let at = 0; at < size; at += 1) {
    const value = other[at] as number;
    product += (one[at] as number) * value;
    square += value * value;
  }
  return square === 0 ? 0 : product / Math.sqrt(square);
}

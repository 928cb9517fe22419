/** A text as a point in a model's space, of length 1: the nearer two texts are, the larger their dot product. */
export type Vector = Float32Array;

/** The same direction with length 1. @throws RangeError for a vector without a direction */
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

/** Of a name only so many numbers are kept: a search reads those of a hundred names, and half of them tell nearly as much. */
export const KEPT = 256;

/** The largest number that a signed byte holds. */
const LARGEST = 127;

/** The vector of a name as it is kept: a signed byte for each of its first {@link KEPT} numbers, the largest of which is 127. */
export function bytesOf(whole: Vector, size = KEPT): Buffer {
  const vector = whole.subarray(0, size);
  let most = 0;
  for (let at = 0; at < vector.length; at += 1)
    most = Math.max(most, Math.abs(vector[at] as number));
  return Buffer.from(
    Int8Array.from(vector, (value) => Math.round((LARGEST * value) / most)).buffer,
  );
}

/** The vector of kept bytes. */
export function vectorOf(bytes: Buffer): Vector {
  return unitLength(signed(bytes));
}

/** The cosine of two vectors of one model, -1 to 1. */
export function cosine(one: Vector, other: Vector): number {
  let sum = 0;
  const size = one.length;
  for (let at = 0; at < size; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

/** Kept bytes as the numbers that they are. */
export function signed(bytes: Buffer): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The cosine of a vector and another that is kept as bytes. */
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

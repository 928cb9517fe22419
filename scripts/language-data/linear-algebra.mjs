/** Vectors as arrays of numbers. What changes one says so. */

/** Gives `vector` length 1, in place. */
export function normalize(vector) {
  const length = Math.sqrt(dot(vector, vector)) || 1;
  for (let at = 0; at < vector.length; at += 1) vector[at] /= length;
  return vector;
}

export function dot(a, b) {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at] * b[at];
  return sum;
}

/** Adds `factor` times `vector` to `sum`, in place. */
export function addTo(sum, vector, factor) {
  for (let at = 0; at < sum.length; at += 1) sum[at] += factor * vector[at];
}

/** Takes the mean of all off each of them, in place. */
export function center(vectors) {
  const mean = new Float64Array(vectors[0].length);
  for (const vector of vectors) addTo(mean, vector, 1 / vectors.length);
  for (const vector of vectors) addTo(vector, mean, -1);
}

/** The `count` directions in which `vectors` differ most, the strongest first: principal components, by subspace iteration. */
export function mainDirections(vectors, count) {
  const size = vectors[0].length;
  const covariance = Array.from({ length: size }, () => new Float64Array(size));
  for (const vector of vectors) {
    for (let row = 0; row < size; row += 1) addTo(covariance[row], vector, vector[row]);
  }
  let directions = Array.from({ length: count }, (_, at) =>
    Float64Array.from({ length: size }, (_, place) => Math.sin((at + 1) * (place + 1))),
  );
  for (let round = 0; round < 60; round += 1) {
    directions = directions.map((direction) => covariance.map((row) => dot(row, direction)));
    for (const [at, direction] of directions.entries()) {
      for (const earlier of directions.slice(0, at))
        addTo(direction, earlier, -dot(direction, earlier));
      normalize(direction);
    }
  }
  return directions;
}

import { randomFrom, shuffled } from './random.ts';

const EPOCHS = 30;
const RATE = 0.1;

/**
 * Trains a logistic regression over binary features with AdaGrad and decay towards 0. `rows` contains the features of each example;
 * `penalty` is the strength of the decay relative to the total loss.
 */
export function trainWeights(
  rows: readonly Uint32Array[],
  labels: Uint8Array,
  places: number,
  penalty: number,
): Float64Array {
  const weights = new Float64Array(places);
  const squares = new Float64Array(places).fill(1e-3);
  const uses = new Float64Array(places);
  for (const row of rows) for (const place of row) uses[place] = (uses[place] ?? 0) + 1;
  const random = randomFrom(1);
  let [bias, biasSquares] = [0, 1e-3];
  for (let epoch = 0; epoch < EPOCHS; epoch++)
    for (const at of shuffled(rows.length, random)) {
      const row = rows[at] ?? new Uint32Array(0);
      let sum = bias;
      for (const place of row) sum += weights[place] ?? 0;
      const error = 1 / (1 + Math.exp(-sum)) - (labels[at] ?? 0);
      biasSquares += error * error;
      bias -= (RATE * error) / Math.sqrt(biasSquares);
      for (const place of row) {
        const weight = weights[place] ?? 0;
        // Each use of a weight carries its share of the penalty, so that rare features do not decay while absent.
        const slope = error + (penalty * weight) / (uses[place] ?? 1);
        const square = (squares[place] ?? 0) + slope * slope;
        squares[place] = square;
        weights[place] = weight - (RATE * slope) / Math.sqrt(square);
      }
    }
  return weights;
}

const RECALLS = [0.05, 0.1, 0.15, 0.16, 0.17, 0.18, 0.2, 0.25, 0.3];

export interface Judged {
  readonly certainty: number;
  readonly isSame: boolean;
}

/** Prints the precision of the decision for each recall, with the threshold for it. */
export function printCurve(name: string, judged: readonly Judged[]): void {
  const sorted = judged.toSorted((one, other) => other.certainty - one.certainty);
  const all = sorted.filter(({ isSame }) => isSame).length;
  const left = [...RECALLS];
  let [right, enough] = [0, 0];
  for (const [at, { certainty, isSame }] of sorted.entries()) {
    right += Number(isSame);
    if (certainty > 0 && right / (at + 1) >= 0.95) enough = right / all;
    while (left[0] !== undefined && right / all >= left[0] && certainty > 0) {
      const recall = (left.shift() ?? 0).toFixed(2);
      console.log(
        `${name}: recall ${recall}, precision ${(right / (at + 1)).toFixed(3)}, from ${certainty.toFixed(3)} on`,
      );
    }
  }
  console.log(`${name}: precision 0.950 up to recall ${enough.toFixed(3)}`);
}

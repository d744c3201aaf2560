import { parseArgs } from 'node:util';
import { exchangesFolder, type RecordingRow } from '../shared/recordings.ts';
import { matrixCases } from './cases.ts';
import { failed } from './check.ts';
import { checkExchanges, exchangesOf, startMatrixBed } from './matrix-run.ts';
import { printFailures, printKnown, printSkipped, printStale, printTable } from './report.ts';
import { DRIVERS } from './sdks/index.ts';

export interface MatrixOptions {
  /** A provider of the recordings, or one of its APIs: `openai`, `openai/responses`. */
  readonly only?: string | undefined;
  /** A client format. */
  readonly client?: string | undefined;
  /** A part of a recording's path. */
  readonly file?: string | undefined;
}

export function matrixOptions(args: readonly string[]): MatrixOptions {
  const options = { only: { type: 'string' }, client: { type: 'string' }, file: { type: 'string' } } as const;
  return parseArgs({ args: [...args], options }).values;
}

/** Runs the matrix of the exchanges and prints it; resolves to whether all passed. */
export async function runMatrix(
  exchanges: readonly RecordingRow[],
  { only, client, file }: MatrixOptions,
): Promise<boolean> {
  const { cases, skipped } = matrixCases(exchanges);
  const chosen = cases.filter(
    ({ recording }) =>
      (only === undefined || recording.file.startsWith(`${only}/`)) &&
      (file === undefined || recording.file.includes(file)),
  );
  const drivers = DRIVERS.filter(({ format }) => client === undefined || format === client);
  const bed = await startMatrixBed(chosen);
  try {
    const verdicts = await checkExchanges(exchangesOf(chosen, drivers), bed.places);
    printTable(verdicts);
    printSkipped(skipped);
    printKnown(verdicts);
    printFailures(verdicts);
    const isWhole = [only, client, file].every((option) => option === undefined);
    // The known differences only concern the recorded exchanges.
    const hasRecorded = exchanges.some(({ folder }) => folder !== exchangesFolder);
    const isStale = isWhole && hasRecorded && printStale(verdicts);
    return !isStale && !verdicts.some(failed);
  } finally {
    await bed.stop();
  }
}

import { parentPort, workerData } from 'node:worker_threads';
import { Numbered } from '../../domain/concurrency/numbered.ts';
import { ownBufferOf } from '../../domain/own-bytes.ts';
import { toRemoteError } from '../shared/remote-error.ts';
import { packOutcomes } from './packed.ts';
import { SqliteWriter, type WriterCall } from './writer.ts';
import type { WriterAnswer } from './writer-thread.ts';

let desk: SqliteWriter | null = null;
const running = new Numbered<Promise<void>>();

function opened(): SqliteWriter {
  desk ??= new SqliteWriter(workerData);
  return desk;
}

/** Charges are the only request sent as text: its number, a space, and the output of `packCharges`. */
async function charge(request: string): Promise<WriterAnswer> {
  const space = request.indexOf(' ');
  return await answered(Number(request.slice(0, space)), async () => {
    return packOutcomes(await opened().charge(request.slice(space + 1)));
  });
}

async function answered(id: number, perform: () => Promise<unknown>): Promise<WriterAnswer> {
  try {
    const result = await perform();
    return result === undefined ? id : { id, result };
  } catch (error) {
    return { id, error: toRemoteError(error) };
  }
}

/** Moves bytes to the other thread, rather than copying them, if they have a buffer of their own. */
function send(answer: WriterAnswer): void {
  const isBytes = typeof answer !== 'number' && 'result' in answer && answer.result instanceof Uint8Array;
  const buffer = isBytes ? ownBufferOf(answer.result) : null;
  if (buffer === null) parentPort?.postMessage(answer);
  else parentPort?.postMessage(answer, [buffer]);
}

async function close(): Promise<void> {
  await Promise.all(running.all().map(([, done]) => done));
  await desk?.close();
  parentPort?.close();
}

parentPort?.on('message', (request: string | WriterCall | 'close') => {
  if (request === 'close') return void close();
  const asked = typeof request === 'string' ? charge(request) : answered(request.id, () => opened().call(request));
  const done = asked.then((answer) => {
    running.take(number);
    send(answer);
  });
  const number = running.add(done);
});

/** Signals readiness; calls sent meanwhile are read next. */
parentPort?.postMessage(0);

import { parentPort, workerData } from 'node:worker_threads';
import { BooksDesk } from './books-desk.ts';
import type { BooksAnswer, BooksCall } from './books-thread.ts';
import { retryWhileBusy } from './connection.ts';
import type { ChargeOutcome } from './ledger-writer.ts';
import { unpackCharges } from './packed.ts';
import { toThreadError } from './thread-error.ts';

let desk: BooksDesk | null = null;
/** What is asked waits here alone: a transaction never spans two turns of this loop. */
const running = new Set<Promise<void>>();

function opened(): BooksDesk {
  desk ??= new BooksDesk(workerData);
  return desk;
}

/** Charges are the one request that is a text: its number, a space, and what `packCharges` has made. */
async function charge(request: string): Promise<BooksAnswer> {
  const space = request.indexOf(' ');
  const id = Number(request.slice(0, space));
  return await answered(id, async () => {
    const batch = unpackCharges(request.slice(space + 1));
    const outcomes = await retryWhileBusy(() => opened().parts.ledger.charge(batch));
    return outcomes.every((outcome) => outcome === 'charged') ? undefined : outcomes.map(withoutClass);
  });
}

async function call({ id, part, method, args }: BooksCall): Promise<BooksAnswer> {
  return await answered(id, async () => {
    // `Remote` gives only the methods that are there.
    const of = opened().parts[part] as unknown as Record<string, (...values: readonly unknown[]) => unknown>;
    return await of[method]?.(...args);
  });
}

async function answered(id: number, perform: () => Promise<unknown>): Promise<BooksAnswer> {
  try {
    const result = await perform();
    return result === undefined ? id : { id, result };
  } catch (error) {
    return { id, error: toThreadError(error) };
  }
}

function withoutClass(outcome: ChargeOutcome) {
  return outcome instanceof Error ? toThreadError(outcome) : outcome;
}

async function close(): Promise<void> {
  await Promise.all(running);
  desk?.close();
  parentPort?.close();
}

parentPort?.on('message', (request: string | BooksCall | 'close') => {
  if (request === 'close') return void close();
  const asked = typeof request === 'string' ? charge(request) : call(request);
  const done = asked.then((answer) => {
    running.delete(done);
    parentPort?.postMessage(answer);
  });
  running.add(done);
});

/** It is there: what was asked meanwhile is read next. */
parentPort?.postMessage(0);

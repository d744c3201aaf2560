import { Numbered } from '../../domain/concurrency/numbered.ts';
import { Turns } from '../../domain/concurrency/turns.ts';
import type { NewHold } from '../../domain/ledger/hold.ts';
import type { Charge, LeasePlace, SpendingPool } from '../../engine/ports/ledger.ts';
import type { ChargeOutcome } from '../shared/charge-queue.ts';
import { OpenLeases } from '../shared/open-leases.ts';
import type { WriterParts } from './writer.ts';
import { remote, type WriterLink } from './writer-link.ts';

interface WaitingBatch {
  readonly batch: readonly Charge[];
  readonly resolve: (outcomes: readonly ChargeOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Each round recalls what others leased in advance since the last one, so a second round is rare. */
const MOST_RECALL_ROUNDS = 8;

/** Asks a process to release its unreserved leases. Resolves, after the release, to whether there were any. */
export type Recall = (place: LeasePlace) => Promise<boolean>;

/** Shares the writer of one file between processes, whose charges share transactions. */
export class SharedWriter {
  /** Recovers the log lines that a crashed process did not write. */
  readonly workerCrashed: () => void;
  readonly #thread: WriterLink;
  readonly #waiting: WaitingBatch[] = [];
  readonly #workers = new Map<WriterClient, Recall>();
  /** Serialises recalls of one account. If two ran concurrently, one could lease what was released for the other. */
  readonly #recalls = new Turns();
  #isSending = false;

  /** @param onCrash called when one of the processes has crashed */
  constructor(thread: WriterLink, onCrash: () => void) {
    this.#thread = thread;
    this.workerCrashed = onCrash;
  }

  /**
   * Connects another process.
   *
   * @param recall resolves to `false` if the process does not respond
   */
  connect(recall: Recall): WriterClient {
    const others: Others = {
      charge: (batch) => this.#charge(batch),
      recall: (place, tryAgain) => this.#recalls.run(place.accountId, () => this.#recall(place, worker, tryAgain)),
      ended: () => void this.#workers.delete(worker),
    };
    const worker = new WriterClient(this.#thread, others);
    this.#workers.set(worker, recall);
    return worker;
  }

  /**
   * Repeats until it succeeds or everything that others have is reserved, since amounts released by one process may be leased by another
   * before the next attempt.
   */
  async #recall(place: LeasePlace, lacking: WriterClient, tryAgain: () => Promise<boolean>): Promise<void> {
    for (let round = 0; round < MOST_RECALL_ROUNDS && !(await tryAgain()); round++) {
      const asked = [...this.#workers].filter(([worker]) => worker !== lacking && worker.hasLeased(place.accountId));
      const gaveBack = await Promise.all(asked.map(([, recall]) => recall(place)));
      if (!gaveBack.includes(true)) return;
    }
  }

  #charge(batch: readonly Charge[]): Promise<readonly ChargeOutcome[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly ChargeOutcome[]>();
    this.#waiting.push({ batch, resolve, reject });
    if (!this.#isSending) void this.#send();
    return promise;
  }

  /** Sends one batch at a time; charges that arrive meanwhile share the next one. */
  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const batches = this.#waiting.splice(0);
      try {
        const outcomes = await this.#thread.charge(batches.flatMap(({ batch }) => batch));
        let from = 0;
        for (const { batch, resolve } of batches) {
          resolve(outcomes.slice(from, from + batch.length));
          from += batch.length;
        }
      } catch (error) {
        // Each process retries its own charges, one by one if necessary.
        for (const { reject } of batches) reject(error);
      }
    }
    this.#isSending = false;
  }
}

/** The operations on the other processes that a process needs. */
interface Others {
  /** Charges in a batch shared with the others. */
  readonly charge: WriterLink['charge'];
  /** Recalls their idle leases until `tryAgain` resolves to `true` or there are none left. */
  readonly recall: (place: LeasePlace, tryAgain: () => Promise<boolean>) => Promise<void>;
  /** Removes this process. */
  readonly ended: () => void;
}

/** One process's link to the writer. Tracks what the process would leave behind. */
export class WriterClient implements WriterLink {
  readonly #thread: WriterLink;
  readonly #others: Others;
  readonly #leases = new OpenLeases();
  readonly #transactions = new Set<number>();
  readonly #running = new Numbered<Promise<unknown>>();

  constructor(thread: WriterLink, others: Others) {
    this.#thread = thread;
    this.#others = others;
  }

  get waiting(): number {
    return this.#running.size;
  }

  charge(batch: readonly Charge[]): Promise<readonly ChargeOutcome[]> {
    return this.#run(async () => {
      const outcomes = await this.#others.charge(batch);
      batch.forEach((charge, index) => {
        if (outcomes[index] === 'charged') this.#leases.charged(charge);
      });
      return outcomes;
    });
  }

  call(part: keyof WriterParts, method: string, args: readonly unknown[], isRepeatable?: boolean): Promise<unknown> {
    // The rows do not distinguish the leases of different processes.
    if (part === 'ledger' && method === 'leases') return Promise.resolve(this.#leases.all());
    return this.#run(async () => {
      let result = await this.#thread.call(part, method, args, isRepeatable);
      const lacking = lackingPlace(part, method, args, result);
      if (lacking !== null) {
        // Another process may have leased the missing amount in advance.
        await this.#others.recall(lacking, async () => {
          result = await this.#thread.call(part, method, leastOf(method, args), isRepeatable);
          return lackingPlace(part, method, args, result) === null;
        });
      }
      if (part === 'ledger') this.#noteLease(method, args, result);
      else if (part === 'transactions') this.#noteTransaction(method, args, result);
      return result;
    });
  }

  hasLeased(accountId: string): boolean {
    return this.#leases.has(accountId);
  }

  /** Cleans up after the process: when its pending calls are done, rolls back its transactions and releases its leases. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running.all().map(([, running]) => running));
    this.#others.ended();
    const transactions = remote(this.#thread, 'transactions');
    for (const id of this.#transactions) await transactions.undo(id);
    const ledger = remote(this.#thread, 'ledger');
    for (const { pool, leasedNanoUsd } of this.#leases.takeAll()) await ledger.giveBack(pool, leasedNanoUsd);
  }

  #run<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = work();
    const number = this.#running.add(running);
    const done = () => void this.#running.take(number);
    running.then(done, done);
    return running;
  }

  /** Tracks calls of `LedgerWriter`. */
  #noteLease(method: string, args: readonly unknown[], result: unknown): void {
    const pool = args[0] as SpendingPool; // Typed by `Remote`.
    if (method === 'lease') this.#leases.leased(pool, result as bigint);
    else if (method === 'giveBack') this.#leases.givenBack(pool, args[1] as bigint);
  }

  /** Tracks calls of `Transactions`. */
  #noteTransaction(method: string, args: readonly unknown[], result: unknown): void {
    if (method === 'begin') this.#transactions.add(result as number);
    else if (method !== 'ask') this.#transactions.delete(args[0] as number);
  }
}

/** Returns the arguments with the wanted amount lowered to the least one: when money is scarce, nothing is leased in advance. */
function leastOf(method: string, args: readonly unknown[]): readonly unknown[] {
  if (method !== 'lease') return args;
  const [pool, , least, ...rest] = args;
  return [pool, least, least, ...rest];
}

/** Returns whose money was missing for a lease or hold; `null` if none was. */
function lackingPlace(
  part: keyof WriterParts,
  method: string,
  args: readonly unknown[],
  result: unknown,
): LeasePlace | null {
  if (part === 'ledger' && method === 'lease') return result === 0n ? (args[0] as SpendingPool) : null; // Typed by `Remote`.
  if (part !== 'holds' || method !== 'hold' || result === 'held' || result === 'known') return null;
  return args[0] as NewHold;
}

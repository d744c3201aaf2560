import { Numbered } from '../../domain/concurrency/numbered.ts';
import { Turns } from '../../domain/concurrency/turns.ts';
import type { NewHold } from '../../domain/ledger/hold.ts';
import type { Charge, LeasePlace, Purse } from '../../engine/ports/ledger.ts';
import { OpenLeases } from '../shared/open-leases.ts';
import type { DeskParts } from './books-desk.ts';
import { type BooksLink, remote } from './books-link.ts';
import type { ChargeOutcome } from './ledger-writer.ts';

interface WaitingBatch {
  readonly batch: readonly Charge[];
  readonly resolve: (outcomes: readonly ChargeOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Each round brings back what others have leased ahead since the last one, so a second one is rare. */
const MOST_RECALL_ROUNDS = 8;

/** Has a process give back what it has leased and not reserved; resolves to whether that was anything, when it is given back. */
export type Recall = (place: LeasePlace) => Promise<boolean>;

/** The books of one file for several processes: their charges share transactions. */
export class SharedBooks {
  /** Recovers what the process has not written any more. */
  readonly workerCrashed: () => void;
  readonly #thread: BooksLink;
  readonly #waiting: WaitingBatch[] = [];
  readonly #workers = new Map<WorkerBooks, Recall>();
  /** Recalls of one account, one after the other: of two at a time one would lease what was given back for the other. */
  readonly #recalls = new Turns();
  #isSending = false;

  /** @param onCrash called when one of the processes has ended without a word */
  constructor(thread: BooksLink, onCrash: () => void) {
    this.#thread = thread;
    this.workerCrashed = onCrash;
  }

  /**
   * For one more process.
   *
   * @param recall resolves to `false` where the process does not answer
   */
  connect(recall: Recall): WorkerBooks {
    const others: Others = {
      charge: (batch) => this.#charge(batch),
      recall: (place, tryAgain) => this.#recalls.run(place.accountId, () => this.#recall(place, worker, tryAgain)),
      ended: () => void this.#workers.delete(worker),
    };
    const worker = new WorkerBooks(this.#thread, others);
    this.#workers.set(worker, recall);
    return worker;
  }

  /**
   * Tries until it succeeds or all that others have is reserved. What one of them gives back may be leased by another one before it is
   * tried for again.
   */
  async #recall(place: LeasePlace, lacking: WorkerBooks, tryAgain: () => Promise<boolean>): Promise<void> {
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

  /** One transaction is under way, and what comes meanwhile shares the next one. */
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
        // Each process tries its own again, one by one if need be.
        for (const { reject } of batches) reject(error);
      }
    }
    this.#isSending = false;
  }
}

/** What of other processes one of them needs. */
interface Others {
  /** Together with theirs. */
  readonly charge: BooksLink['charge'];
  /** Has them give back what they do not need, as long as `tryAgain` resolves to `false` and they have something to give. */
  readonly recall: (place: LeasePlace, tryAgain: () => Promise<boolean>) => Promise<void>;
  /** This one is no longer one of them. */
  readonly ended: () => void;
}

/** The way of one process to the books; knows what it would leave behind. */
export class WorkerBooks implements BooksLink {
  readonly #thread: BooksLink;
  readonly #others: Others;
  readonly #leases = new OpenLeases();
  readonly #transactions = new Set<number>();
  readonly #running = new Numbered<Promise<unknown>>();

  constructor(thread: BooksLink, others: Others) {
    this.#thread = thread;
    this.#others = others;
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

  call(part: keyof DeskParts, method: string, args: readonly unknown[], isRepeatable?: boolean): Promise<unknown> {
    // The rows do not tell the leases of one process from those of another.
    if (part === 'ledger' && method === 'leases') return Promise.resolve(this.#leases.all());
    return this.#run(async () => {
      let result = await this.#thread.call(part, method, args, isRepeatable);
      const lacking = lackingPlace(part, method, args, result);
      if (lacking !== null) {
        // Another process may have leased ahead what is missing here.
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

  /** The process has ended: when what it has sent is done, its transactions are undone and its leases given back. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running.all().map(([, running]) => running));
    this.#others.ended();
    const transactions = remote(this.#thread, 'transactions');
    for (const id of this.#transactions) await transactions.undo(id);
    const ledger = remote(this.#thread, 'ledger');
    for (const { purse, leasedNanoUsd } of this.#leases.takeAll()) await ledger.giveBack(purse, leasedNanoUsd);
  }

  #run<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = work();
    const number = this.#running.add(running);
    const done = () => void this.#running.take(number);
    running.then(done, done);
    return running;
  }

  /** `LedgerWriter`'s methods. */
  #noteLease(method: string, args: readonly unknown[], result: unknown): void {
    const purse = args[0] as Purse; // As `Remote` types it.
    if (method === 'lease') this.#leases.leased(purse, result as bigint);
    else if (method === 'giveBack') this.#leases.givenBack(purse, args[1] as bigint);
  }

  /** `Transactions`' methods. */
  #noteTransaction(method: string, args: readonly unknown[], result: unknown): void {
    if (method === 'begin') this.#transactions.add(result as number);
    else if (method !== 'ask') this.#transactions.delete(args[0] as number);
  }
}

/** Where money is scarce nothing is leased ahead. */
function leastOf(method: string, args: readonly unknown[]): readonly unknown[] {
  if (method !== 'lease') return args;
  const [purse, , least, ...rest] = args;
  return [purse, least, least, ...rest];
}

/** Whose money was missing for a lease or a hold; `null` where none was. */
function lackingPlace(
  part: keyof DeskParts,
  method: string,
  args: readonly unknown[],
  result: unknown,
): LeasePlace | null {
  if (part === 'ledger' && method === 'lease') return result === 0n ? (args[0] as Purse) : null; // As `Remote` types it.
  if (part !== 'holds' || method !== 'hold' || result === 'held' || result === 'known') return null;
  return args[0] as NewHold;
}

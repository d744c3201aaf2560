import { type Batch, isEnded } from '../../domain/batches/batch.ts';
import type { StoredFile } from '../../domain/batches/stored-file.ts';
import { AtOnce } from '../../domain/concurrency/at-once.ts';
import { Turns } from '../../domain/concurrency/turns.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { Clock, Every } from '../ports/clock.ts';
import type { FileStore } from '../ports/file-store.ts';
import type { Logger } from '../ports/logger.ts';
import { checkInput, gone } from './check-input.ts';
import { type EndPorts, endBatch } from './end-batch.ts';
import { FailureLog } from './failure-log.ts';
import { LinePlaces } from './line-places.ts';
import { LineTurns, type NextLine } from './line-turns.ts';
import { BROKEN_MS, LineWorker, type LineWorkerPorts } from './line-worker.ts';
import { OpenBatch } from './open-batch.ts';
import { BatchRelays } from './relay/batch-relays.ts';
import { GivenLines } from './relay/given-lines.ts';
import type { RelayPorts } from './relay/relay-ports.ts';
import { settleNoted } from './settle-noted.ts';

const TICK_MS = 250;
const CLAIM_MS = 2_000;
const CLAIMED_AT_ONCE = 50;
/** An account with this many open batches in this process gets further ones when some of these have ended. */
const OPEN_OF_ACCOUNT = 50;
/** The most batches that this process has open. Each takes a few kilobytes. */
const MOST_OPEN = 2_000;
/** The most large batches whose input is checked or whose output is written at once. Each takes up to ten megabytes. */
const MOST_WHOLE = 4;
/** The same for batches of at most `SMALL_LINES`. */
const MOST_SMALL = 16;
const SMALL_LINES = 1_000;
const BYTES_OF_LINE = 1_000;

export interface BatchRunnerPorts extends LineWorkerPorts, EndPorts {
  readonly batches: BatchStore;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly every: Every;
  readonly random: () => number;
  readonly logger: Logger;
  readonly maxLineBytes: number;
  /** The means of relaying lines to batches of providers; `null` if the gateway runs all lines itself. */
  readonly relaying: RelayPorts | null;
  /** The name of this process among those that share the store; the same as for tasks. */
  readonly owner: string;
}

/**
 * Runs the batches of this process: reads their input, runs their lines at low priority, accounts in turn, and writes their files. It takes
 * over batches whose process has ended.
 */
export class BatchRunner {
  private readonly open = new Map<string, OpenBatch>();
  private readonly working = new Set<string>();
  private readonly pending = new Set<Promise<void>>();
  private readonly timers: (() => void)[] = [];
  private readonly turns: LineTurns;
  private readonly places: LinePlaces;
  private readonly worker: LineWorker;
  private readonly failures: FailureLog;
  /** Checks and ends large batches, those of an account one after the other. */
  private readonly wholeWork = new AtOnce(MOST_WHOLE);
  private readonly wholeOfAccount = new Turns();
  private readonly smallWork = new AtOnce(MOST_SMALL);
  private isClaiming = false;
  /** The batches that have ended since batches were claimed. */
  private ended = 0;
  private isStopped = false;

  constructor(private readonly ports: BatchRunnerPorts) {
    const { linesAtOnce, allLinesAtOnce } = ports.settings;
    this.turns = new LineTurns(linesAtOnce);
    this.places = new LinePlaces(allLinesAtOnce, () => this.pump());
    this.failures = new FailureLog(ports.logger);
    this.worker = new LineWorker(ports, {
      places: this.places,
      failures: this.failures,
      isStopped: () => this.isStopped,
      lose: (one) => this.lose(one),
    });
  }

  start(): void {
    this.timers.push(this.ports.every(TICK_MS, () => this.tick()));
    this.timers.push(this.ports.every(CLAIM_MS, () => this.look()));
    this.look();
  }

  /** Takes over new batches soon. */
  look(): void {
    this.track(this.claim());
  }

  /** Begins no further line, because the gateway stops. Lines that wait for limits are given up; those that run may end. */
  drain(): void {
    this.isStopped = true;
    for (const one of this.open.values()) one.ending.abort();
  }

  /** Cuts off what still runs after the grace period, and releases all batches, so that another process takes them over at once. */
  async stop(graceMs = 5_000): Promise<void> {
    this.drain();
    for (const end of this.timers) end();
    await Promise.race([Promise.allSettled([...this.pending]), Bun.sleep(graceMs)]);
    for (const one of this.open.values()) one.cut.abort();
    await Promise.race([Promise.allSettled([...this.pending]), Bun.sleep(1_000)]);
    await this.ports.batches
      .giveBack(this.ports.owner)
      .catch((error) => this.ports.logger.warn(describeError(error), 'batches could not be released'));
  }

  private track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.failures.failed(error, 'batches could not be processed'))
      .finally(() => this.pending.delete(tracked));
    this.pending.add(tracked);
  }

  private async claim(): Promise<void> {
    if (this.isClaiming || this.isStopped) return;
    this.isClaiming = true;
    this.ended = 0;
    const { batches, owner, clock } = this.ports;
    try {
      const claims = await batches.claimsOf(owner);
      for (const one of this.open.values()) {
        const claim = claims.get(one.batch.id);
        if (one.isLost || claim?.claim !== one.batch.claim) this.lose(one);
        else if (claim.cancelAskedAtMs !== null) one.end('cancelled');
        else if (clock.nowMs() >= one.batch.deadlineMs) one.end('expired');
      }
      for (const [id, { claim }] of claims) await this.takeAgain(id, claim);
      const room = Math.min(CLAIMED_AT_ONCE, MOST_OPEN - claims.size);
      const full = accountsWith(OPEN_OF_ACCOUNT, [...claims.values()]);
      if (room > 0) for (const batch of await batches.claim(owner, room, full)) this.take(batch);
      this.failures.answered();
    } catch (error) {
      this.failures.failed(error, 'batches could not be claimed');
    } finally {
      this.isClaiming = false;
    }
    this.pump();
  }

  /** Takes a batch of this process on which nothing works, such as one whose work ended while the store did not answer. */
  private async takeAgain(id: string, claim: number): Promise<void> {
    if (this.open.has(id) || this.working.has(id)) return;
    const known = await this.ports.batches.find(id, null);
    if (known === null || known.claim !== claim || isEnded(known.stage)) return;
    if (!this.open.has(id)) this.take(known);
  }

  private lose(one: OpenBatch): void {
    one.lose();
    this.close(one);
  }

  private close(one: OpenBatch): void {
    if (this.open.delete(one.batch.id)) this.turns.remove(one);
  }

  /** Begins the work that the stage of a batch needs, and repeats it if the store fails. */
  private take(batch: Batch): void {
    if (this.working.has(batch.id) || this.isStopped) return;
    this.working.add(batch.id);
    const work = this.begin(batch).then(
      () => {
        this.working.delete(batch.id);
        // Others may have waited for their places.
        if (!this.open.has(batch.id) && ++this.ended >= CLAIMED_AT_ONCE / 2) this.look();
      },
      async (error: unknown) => {
        this.failures.failed(error, 'a batch could not be processed', batch.id);
        // The next look at the claims begins it again.
        await this.ports.sleep(BROKEN_MS, new AbortController().signal);
        this.working.delete(batch.id);
      },
    );
    this.track(work.then(() => undefined));
  }

  private async begin(batch: Batch): Promise<void> {
    if (batch.stage === 'running') return this.resume(batch);
    if (batch.stage === 'finalizing') return this.whole(batch, batch.lines, () => this.end(batch));
    const file = await this.ports.files.findKept(batch.inputFileId);
    const lines = Math.ceil((file?.bytes ?? 0) / BYTES_OF_LINE);
    return this.whole(batch, lines, () => this.check(batch, file));
  }

  /** Does work that reads or writes a batch as a whole, when there is room for it. */
  private whole(batch: Batch, lines: number, work: () => Promise<void>): Promise<void> {
    // After the wait; the next process begins it.
    const unlessStopped = async () => (this.isStopped ? undefined : work());
    if (lines <= SMALL_LINES) return this.smallWork.run(unlessStopped);
    return this.wholeOfAccount.run(batch.accountId, () => this.wholeWork.run(unlessStopped));
  }

  private async resume(batch: Batch): Promise<void> {
    if (await settleNoted(this.ports, batch)) await this.run(batch);
  }

  private async end(batch: Batch): Promise<void> {
    const left = await endBatch(this.ports, batch);
    if (left !== null) await this.run(left);
  }

  private async check(batch: Batch, file: StoredFile | null): Promise<void> {
    const { batches, files, clock, settings, maxLineBytes } = this.ports;
    const check = { batches, files, maxLines: settings.maxLines, maxLineBytes };
    const checked = file === null ? { errors: [gone()] } : await checkInput(check, batch, file);
    if (checked === null) return;
    const nowMs = Math.floor(clock.nowMs());
    if ('errors' in checked) {
      const notes = { ...batch.notes, errors: checked.errors };
      await batches.change(batch.id, batch.claim, {
        stage: 'failed',
        notes,
        endedAtMs: nowMs,
        expiresAtMs: nowMs + this.ports.keepMs,
      });
      await files.removeDeleted(batch.inputFileId);
      return;
    }
    const { lines, model } = checked;
    const changes = { stage: 'running', lines, startedAtMs: nowMs, notes: { ...batch.notes, model } } as const;
    if (await batches.change(batch.id, batch.claim, changes)) await this.run({ ...batch, ...changes });
  }

  private async run(batch: Batch): Promise<void> {
    const one = new OpenBatch(batch, this.ports, this.ports.random);
    const { relaying } = this.ports;
    if (relaying !== null) {
      const settle = new GivenLines(this.ports, relaying, this.worker, one);
      one.relays = new BatchRelays(relaying, one, (line, given) => settle.settle(line, given));
      await one.relays.load();
    }
    if (batch.cancelAskedAtMs !== null) one.end('cancelled');
    this.open.set(batch.id, one);
    this.turns.add(one);
    this.pump();
  }

  // ---- lines

  /** Looks at all batches: those whose lines may be tried again by now, and those that are over. */
  private tick(): void {
    const nowMs = this.ports.clock.monotonicMs();
    for (const one of this.open.values()) {
      if (!this.isStopped) for (const step of one.relays?.due() ?? []) this.track(step);
      if (one.isOver) this.over(one);
      else if (!one.isReady && one.isDue(nowMs)) this.turns.wake(one);
    }
    this.pump();
  }

  /** Begins as many lines as may run at once, one account after the other. */
  private pump(): void {
    while (!this.isStopped && this.places.hasFree) {
      const next = this.nextLine();
      if (next === null) return;
      this.places.take();
      this.track(this.runLine(next));
    }
  }

  private nextLine(): NextLine | null {
    return this.turns.next(this.ports.clock.monotonicMs(), (one, read) => {
      const woken = () => {
        if (one.isOver) this.over(one);
        else if (!one.isLost) this.turns.wake(one);
        this.pump();
      };
      this.track(read.then(woken));
    });
  }

  private async runLine({ one, line }: NextLine): Promise<void> {
    await this.worker.run(one, line);
    this.places.leave();
    this.turns.ended(one);
    if (one.isOver) this.over(one);
    this.pump();
  }

  private over(one: OpenBatch): void {
    if (this.isStopped || this.working.has(one.batch.id)) return;
    this.close(one);
    this.take({ ...one.batch, stage: 'finalizing' });
  }
}

/** Returns the accounts with at least this many of the batches. */
function accountsWith(least: number, batches: readonly Pick<Batch, 'accountId'>[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { accountId } of batches) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= least).map(([accountId]) => accountId);
}

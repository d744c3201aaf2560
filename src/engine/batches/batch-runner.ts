import { type Batch, isEnded, type LineResult, NO_BATCH_USAGE, type WaitingLine } from '../../domain/batches/batch.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import { isRetryable } from '../../formats/shared/failure/failure-envelope.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { Clock, Every, Sleep } from '../ports/clock.ts';
import type { FileStore } from '../ports/file-store.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Logger } from '../ports/logger.ts';
import type { RequestLog } from '../ports/request-log.ts';
import type { BatchSettings } from '../settings/settings.ts';
import { isLineError, readLine } from './batch-line.ts';
import { checkInput, gone } from './check-input.ts';
import type { LineCalls } from './line-calls.ts';
import { LineRun, textOf } from './line-run.ts';
import { OpenBatch } from './open-batch.ts';
import { settleNoted } from './settle-noted.ts';
import { writeOutput } from './write-output.ts';

const TICK_MS = 250;
const CLAIM_MS = 2_000;
const CLAIMED_AT_ONCE = 50;
/** The delay after an error in the gateway itself, or in its store. */
const BROKEN_MS = 5_000;

export interface BatchRunnerPorts {
  readonly batches: BatchStore;
  readonly files: FileStore;
  readonly ledger: Pick<Ledger, 'charge'>;
  readonly log: Pick<RequestLog, 'append'>;
  readonly lines: LineCalls;
  /** Resolves to the SHA-256 of the key's secret; `null` if there is no such key. */
  readonly secretHashOf: (accountId: string, keyId: string) => Promise<string | null>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly every: Every;
  readonly random: () => number;
  readonly logger: Logger;
  readonly settings: BatchSettings;
  /** How long ended batches and their files are kept: `retention.batches_days`. */
  readonly keepMs: number;
  readonly maxLineBytes: number;
  readonly newFileId: () => string;
  readonly newRequestId: () => string;
  /** The name of this process among those that share the store; the same as for tasks. */
  readonly owner: string;
  readonly lineEnded: (outcome: LineResult['outcome']) => void;
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
  private turn: string | null = null;
  private running = 0;
  private isClaiming = false;
  private isStopped = false;

  constructor(private readonly ports: BatchRunnerPorts) {}

  start(): void {
    this.timers.push(this.ports.every(TICK_MS, () => this.pump()));
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
      .catch((error: unknown) => this.ports.logger.error(describeError(error), 'batches could not be processed'))
      .finally(() => this.pending.delete(tracked));
    this.pending.add(tracked);
  }

  private async claim(): Promise<void> {
    if (this.isClaiming || this.isStopped) return;
    this.isClaiming = true;
    const { batches, owner, clock, logger } = this.ports;
    try {
      const claims = await batches.claimsOf(owner);
      for (const one of this.open.values()) {
        const claim = claims.get(one.batch.id);
        if (claim?.claim !== one.batch.claim) this.lose(one);
        else if (claim.cancelAskedAtMs !== null) one.end('cancelled');
        else if (clock.nowMs() >= one.batch.deadlineMs) one.end('expired');
      }
      for (const [id, { claim }] of claims) await this.takeAgain(id, claim);
      for (const batch of await batches.claim(owner, CLAIMED_AT_ONCE)) this.take(batch);
    } catch (error) {
      logger.warn(describeError(error), 'batches could not be claimed');
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
    this.open.delete(one.batch.id);
  }

  /** Begins the work that the stage of a batch needs, and repeats it if the store fails. */
  private take(batch: Batch): void {
    if (this.working.has(batch.id) || this.isStopped) return;
    this.working.add(batch.id);
    const work = this.begin(batch).then(
      () => this.working.delete(batch.id),
      async (error: unknown) => {
        const fields = { batchId: batch.id, ...describeError(error) };
        this.ports.logger.error(fields, 'a batch could not be processed');
        // The next look at the claims begins it again.
        await this.ports.sleep(BROKEN_MS, new AbortController().signal);
        this.working.delete(batch.id);
      },
    );
    this.track(work.then(() => undefined));
  }

  private async begin(batch: Batch): Promise<void> {
    const { batches, files, clock, settings, maxLineBytes } = this.ports;
    if (batch.stage === 'finalizing') return this.finalize(batch);
    if (batch.stage === 'running') {
      if (await settleNoted(this.ports, batch)) this.run(batch);
      return;
    }
    const file = await files.find(batch.inputFileId, batch.accountId);
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
      return;
    }
    const { lines, model } = checked;
    const changes = { stage: 'running', lines, startedAtMs: nowMs, notes: { ...batch.notes, model } } as const;
    if (await batches.change(batch.id, batch.claim, changes)) this.run({ ...batch, ...changes });
  }

  private run(batch: Batch): void {
    const one = new OpenBatch(batch, this.ports, this.ports.random);
    if (batch.cancelAskedAtMs !== null) one.end('cancelled');
    this.open.set(batch.id, one);
    this.pump();
  }

  // ---- lines

  /** Begins as many lines as may run at once, one account after the other. */
  private pump(): void {
    if (this.isStopped) return;
    for (const one of this.open.values()) if (one.isOver) this.over(one);
    while (this.running < this.ports.settings.allLinesAtOnce) {
      const found = this.nextLine();
      if (found === null) return;
      this.running++;
      found.one.running++;
      this.track(this.runLine(found.one, found.line));
    }
  }

  /** Returns the next line of the account whose turn it is, after that of the last one. */
  private nextLine(): { readonly one: OpenBatch; readonly line: WaitingLine } | null {
    const byAccount = new Map<string, OpenBatch[]>();
    for (const one of this.open.values()) {
      const { accountId } = one.batch;
      byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), one]);
    }
    const accounts = [...byAccount.keys()];
    const from = this.turn === null ? 0 : accounts.indexOf(this.turn) + 1;
    const nowMs = this.ports.clock.monotonicMs();
    for (let step = 0; step < accounts.length; step++) {
      const accountId = accounts[(from + step) % accounts.length] ?? '';
      const own = byAccount.get(accountId) ?? [];
      if (own.reduce((sum, { running }) => sum + running, 0) >= this.ports.settings.linesAtOnce) continue;
      for (const one of own) {
        const line = one.next(nowMs);
        if (line !== null) {
          this.turn = accountId;
          return { one, line };
        }
        const reading = one.read();
        if (reading !== null) this.track(reading.then(() => this.pump()));
      }
    }
    return null;
  }

  private async runLine(one: OpenBatch, line: WaitingLine): Promise<void> {
    try {
      await this.answerLine(one, line);
    } catch (error) {
      const fields = { batchId: one.batch.id, ...describeError(error) };
      this.ports.logger.error(fields, 'a line of a batch could not be processed');
      one.again(line, BROKEN_MS, this.ports.clock.monotonicMs());
    } finally {
      this.running--;
      one.running--;
      this.pump();
    }
  }

  private async answerLine(one: OpenBatch, line: WaitingLine): Promise<void> {
    const { batch } = one;
    const { ports } = this;
    const bytes = await one.ranges.read(line.offset, line.bytes);
    const read = bytes === null ? null : readLine(bytes, batch.endpoint, line.number);
    const runAt = ports.lines.at(batch.endpoint);
    const secretHash = await ports.secretHashOf(batch.accountId, batch.keyId);
    if (read === null || isLineError(read) || runAt === null || secretHash === null || read.stream) {
      const customId = read === null || isLineError(read) ? '' : read.customId;
      await this.refused(
        one,
        line,
        customId,
        refusalOf(read !== null && !isLineError(read) && read.stream, secretHash),
      );
      return;
    }
    const run = new LineRun({
      ...{ batchId: batch.id, number: line.number, customId: read.customId, requestId: ports.newRequestId() },
      ...{ settings: ports.settings, signal: one.ending.signal, sleep: ports.sleep },
      note: (noted) => ports.batches.noteCharge(batch.id, batch.claim, noted),
    });
    const outbound = await runAt({ body: read.body, secretHash, batch: run, signal: one.cut.signal });
    if (outbound.kind === 'stream') throw new Error('a line of a batch was answered with a stream');
    const { status } = outbound;
    const { failure, record } = run;
    const json = run.resultOf(status, textOf(outbound.body));
    if (run.isNoted) {
      await this.charged(one, line, run, { outcome: failure === null ? 'succeeded' : 'errored', json });
      return;
    }
    if (failure === null) {
      await this.finished(one, line, run, { outcome: 'succeeded', json });
      return;
    }
    if (one.isLost || this.isStopped) return;
    if (isPassing(failure)) {
      if (one.ends === null) one.again(line, failure.details.retryAfterMs ?? 0, ports.clock.monotonicMs());
      return;
    }
    if (record === null) throw new Error('a line of a batch ended without a record');
    await this.finished(one, line, run, { outcome: 'errored', json });
  }

  /**
   * Finishes a line whose charge was stored, so that it must not run again. If the charge or the result could not be written, both are
   * written from what was stored before the batch ends.
   */
  private async charged(
    one: OpenBatch,
    line: WaitingLine,
    run: LineRun,
    result: Pick<LineResult, 'outcome' | 'json'>,
  ): Promise<void> {
    if (run.record === null || run.record.costNanoUsd === null) {
      one.done(line);
      return;
    }
    try {
      // A guard may have refused the response after it was charged: the client gets the refusal.
      await this.finished(one, line, run, result);
    } catch (error) {
      one.done(line);
      const fields = { batchId: one.batch.id, ...describeError(error) };
      this.ports.logger.error(fields, 'a line of a batch could not be processed');
    }
  }

  private async finished(
    one: OpenBatch,
    { number, ...line }: WaitingLine,
    run: LineRun,
    { outcome, json }: Pick<LineResult, 'outcome' | 'json'>,
  ): Promise<void> {
    const { record } = run;
    const costNanoUsd = record?.costNanoUsd ?? 0n;
    const usage = outcome === 'succeeded' ? run.usage : NO_BATCH_USAGE;
    if (!(await this.store(one, { number, outcome, json, costNanoUsd, usage }))) return;
    one.done({ number, ...line });
    if (record !== null && record.accountId !== null) this.ports.log.append(record);
  }

  private async refused(one: OpenBatch, line: WaitingLine, customId: string, error: string): Promise<void> {
    const { id } = one.batch;
    const run = new LineRun({
      ...{ batchId: id, number: line.number, customId, requestId: this.ports.newRequestId() },
      ...{ settings: this.ports.settings, signal: one.ending.signal, sleep: this.ports.sleep },
      note: async () => false,
    });
    const json = run.resultOf(400, error);
    await this.store(one, { number: line.number, outcome: 'errored', json, costNanoUsd: 0n, usage: NO_BATCH_USAGE });
  }

  private async store(one: OpenBatch, result: LineResult): Promise<boolean> {
    const { id, claim } = one.batch;
    const isOwn = await this.ports.batches.finishLines(id, claim, [result]);
    if (isOwn) this.ports.lineEnded(result.outcome);
    else this.lose(one);
    return isOwn;
  }

  // ---- the end

  private over(one: OpenBatch): void {
    const { id } = one.batch;
    if (this.working.has(id)) return;
    this.open.delete(id);
    this.take({ ...one.batch, stage: 'finalizing', cancelAskedAtMs: one.ends === 'cancelled' ? 0 : null });
  }

  /** Gives the rest of the lines their outcome, writes the files and ends the batch. May be repeated after a crash. */
  private async finalize(batch: Batch): Promise<void> {
    const { batches, clock, keepMs } = this.ports;
    const { id, claim } = batch;
    if (!(await settleNoted(this.ports, batch))) return;
    const known = await batches.find(id, null);
    if (known === null || known.claim !== claim) return;
    const finalizingAtMs = known.finalizingAtMs ?? Math.floor(clock.nowMs());
    if (known.stage !== 'finalizing') {
      if (known.cancelAskedAtMs === null && clock.nowMs() < known.deadlineMs) {
        // A line whose charge could not be stored has no result.
        const [left] = await batches.waitingLines(id, 0, 1);
        if (left !== undefined) return this.run(known);
      }
      const rest = known.cancelAskedAtMs === null ? 'expired' : 'cancelled';
      if (!(await batches.finishRest(id, claim, rest))) return;
      if (!(await batches.change(id, claim, { stage: 'finalizing', finalizingAtMs }))) return;
    }
    const expiresAtMs = finalizingAtMs + keepMs;
    const filesExpireAtMs = finalizingAtMs + Math.min(known.keepOutputMs ?? keepMs, keepMs);
    const nowMs = () => clock.nowMs();
    const output =
      known.api === 'openai'
        ? await writeOutput({ ...this.ports, nowMs }, known, filesExpireAtMs)
        : { outputFileId: null, errorFileId: null };
    const { counts, usage, costNanoUsd } = await batches.sums(id);
    const ended = known.cancelAskedAtMs !== null ? 'cancelled' : counts.expired > 0 ? 'expired' : 'completed';
    const isEnded = await batches.change(id, claim, {
      ...{ stage: ended, counts, usage, costNanoUsd, ...output, expiresAtMs },
      endedAtMs: Math.floor(clock.nowMs()),
    });
    if (!isEnded || known.api !== 'openai') return;
    // The files have all of it.
    while ((await batches.removeLines(id, 1_000)) > 0);
  }
}

/** Whether the line may be answered later: if a client may send it again, the gateway had no room for it, or it was given up. */
function isPassing(failure: Failure): boolean {
  const { code, status } = failure;
  return isRetryable(failure) || code === 'client_closed_request' || status === 429 || status === 503;
}

function refusalOf(isStream: boolean, secretHash: string | null): string {
  const message = isStream
    ? '`stream` must not be true in a batch.'
    : secretHash === null
      ? 'The API key that created the batch no longer exists.'
      : 'The line can no longer be read from the input file.';
  const code = isStream ? 'invalid_value' : secretHash === null ? 'invalid_api_key' : 'object_not_found';
  return JSON.stringify({ error: { message, type: 'invalid_request_error', param: isStream ? 'stream' : null, code } });
}

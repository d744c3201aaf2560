import { type LineResult, NO_BATCH_USAGE, type WaitingLine } from '../../domain/batches/batch.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import { isRetryable } from '../../formats/shared/failure/failure-envelope.ts';
import type { LineRelay } from '../call/line-relay.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { Clock, Sleep } from '../ports/clock.ts';
import type { RequestLog, RequestRecord } from '../ports/request-log.ts';
import type { BatchSettings } from '../settings/settings.ts';
import { isLineError, readLine } from './batch-line.ts';
import type { FailureLog } from './failure-log.ts';
import type { LineBodies } from './line-bodies.ts';
import type { LineCalls } from './line-calls.ts';
import type { LinePlaces } from './line-places.ts';
import { lineRecord } from './line-record.ts';
import { LineRun, textOf } from './line-run.ts';
import type { OpenBatch } from './open-batch.ts';

/** The delay after an error in the gateway itself, or in its store. */
export const BROKEN_MS = 5_000;
/** The delay of a line for whose body there is no memory. */
const NO_MEMORY_MS = 1_000;
/** Larger lines do not wait for limits, since they hold their bodies meanwhile. They are run again later. */
const LONGEST_WAITING_BYTES = 256 * 1024;

export interface LineWorkerPorts {
  readonly batches: Pick<BatchStore, 'noteCharge' | 'finishLines'>;
  readonly log: Pick<RequestLog, 'append'>;
  readonly lines: Pick<LineCalls, 'at'>;
  readonly bodies: Pick<LineBodies, 'take' | 'giveBack'>;
  /** Resolves to the SHA-256 of the key's secret; `null` if there is no such key. */
  readonly secretHashOf: (accountId: string, keyId: string) => Promise<string | null>;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly settings: BatchSettings;
  readonly newRequestId: () => string;
  readonly lineEnded: (outcome: LineResult['outcome']) => void;
}

/** The parts of the runner that its lines use. */
export interface LineSite {
  readonly places: LinePlaces;
  readonly failures: FailureLog;
  readonly isStopped: () => boolean;
  /** Drops a batch that another process has taken over. */
  readonly lose: (one: OpenBatch) => void;
}

type Ending = Pick<LineResult, 'outcome' | 'json'>;

/** The request that a line becomes. */
export interface LineRequest {
  readonly requestId: string;
  readonly relay: LineRelay | null;
}

/** A line that was run. */
export interface CalledLine {
  readonly run: LineRun;
  /** Whether its key may have another secret by now, so that it has to be run once more. */
  readonly isKeyStale: boolean;
  /** Its result, as a line of an output or error file. */
  readonly json: string;
}

/** A line that cannot be run. */
export interface RefusedLine {
  readonly refusal: LineRefusal;
  readonly requestId: string;
  readonly json: string;
}

/** Runs single lines, and stores their results. */
export class LineWorker {
  constructor(
    private readonly ports: LineWorkerPorts,
    private readonly site: LineSite,
  ) {}

  /** Runs the line, or has it run again later. Never rejects. */
  async run(one: OpenBatch, line: WaitingLine): Promise<void> {
    const { bodies, clock } = this.ports;
    const { accountId, id } = one.batch;
    if (!bodies.take(accountId, line.bytes)) {
      one.again(line, NO_MEMORY_MS, clock.monotonicMs(), true);
      return;
    }
    try {
      await this.answer(one, line);
    } catch (error) {
      this.site.failures.failed(error, 'a line of a batch could not be processed', id);
      one.again(line, BROKEN_MS, clock.monotonicMs());
    } finally {
      bodies.giveBack(accountId, line.bytes);
    }
  }

  private async answer(one: OpenBatch, line: WaitingLine): Promise<void> {
    const requestId = this.ports.newRequestId();
    const relay = one.relays === null || line.isOwn === true ? null : one.relays.lineFor(line, requestId);
    const called = await this.call(one, line, { requestId, relay });
    if (!('run' in called)) return this.refused(one, line, called);
    if (relay?.isTaken === true) return one.done(line);
    const { failure, record, isNoted } = called.run;
    if (!isNoted && failure !== null && (one.isLost || this.site.isStopped())) return;
    if (called.isKeyStale && !isNoted) return one.again(line, 0, this.ports.clock.monotonicMs());
    if (isNoted || failure === null || !isPassing(failure)) return this.conclude(one, line, called);
    const retryAfterMs = failure.details.retryAfterMs ?? 0;
    if (one.ends === null) one.again(line, retryAfterMs, this.ports.clock.monotonicMs(), isLimit(failure, record));
  }

  /** Runs a line as a request at its endpoint, or returns why it cannot be run. */
  async call(one: OpenBatch, line: WaitingLine, of: LineRequest): Promise<CalledLine | RefusedLine> {
    const { batch } = one;
    const { ports } = this;
    const bytes = await one.ranges.read(line.offset, line.bytes);
    const read = bytes === null ? null : readLine(bytes, batch.endpoint, line.number);
    const runAt = ports.lines.at(batch.endpoint);
    const known = one.secretHash;
    const secretHash = known ?? (await ports.secretHashOf(batch.accountId, batch.keyId));
    one.secretHash = secretHash;
    if (read === null || isLineError(read) || runAt === null || secretHash === null || read.stream) {
      const { customId, stream } = read === null || isLineError(read) ? { customId: '', stream: false } : read;
      const refusal = refusalOf(stream, secretHash);
      const { status, ...error } = refusal;
      const json = this.runOf(one, line, { ...of, customId }).resultOf(
        status,
        JSON.stringify({ error: { ...error, type: 'invalid_request_error' } }),
      );
      return { refusal, json, requestId: of.requestId };
    }
    const run = this.runOf(one, line, { ...of, customId: read.customId });
    const outbound = await runAt({ body: read.body, secretHash, batch: run, signal: one.cut.signal });
    if (outbound.kind === 'stream') throw new Error('a line of a batch was answered with a stream');
    const { failure } = run;
    let isKeyStale = false;
    if (known !== null && failure !== null && isOfKey(failure)) {
      one.secretHash = await ports.secretHashOf(batch.accountId, batch.keyId);
      // The key has got a new secret since it was read.
      isKeyStale = one.secretHash !== null && one.secretHash !== secretHash;
    }
    return { run, isKeyStale, json: run.resultOf(outbound.status, textOf(outbound.body)) };
  }

  private runOf(
    one: OpenBatch,
    { number, bytes }: WaitingLine,
    of: LineRequest & { readonly customId: string },
  ): LineRun {
    const { batches, settings, sleep } = this.ports;
    const { id, claim } = one.batch;
    const { signal } = one.ending;
    return new LineRun({
      ...{ batchId: id, number, settings, signal, ...of },
      wait: async (ms) => bytes <= LONGEST_WAITING_BYTES && (await this.site.places.without(() => sleep(ms, signal))),
      note: (noted) => batches.noteCharge(id, claim, noted),
    });
  }

  /** Stores the result of a line that is not run again. */
  async conclude(one: OpenBatch, line: WaitingLine, { run, json }: CalledLine): Promise<void> {
    const { failure, record, isNoted } = run;
    const ending: Ending = { outcome: failure === null ? 'succeeded' : 'errored', json };
    if (isNoted) return this.charged(one, line, run, ending);
    if (failure !== null && record === null) throw new Error('a line of a batch ended without a record');
    return this.finished(one, line, run, ending);
  }

  /**
   * Finishes a line whose charge was stored, so that it must not run again. If the charge or the result could not be written, both are
   * written from what was stored before the batch ends.
   */
  private async charged(one: OpenBatch, line: WaitingLine, run: LineRun, ending: Ending): Promise<void> {
    if (run.record === null || run.record.costNanoUsd === null) {
      one.done(line);
      return;
    }
    try {
      // A guard may have refused the response after it was charged: the client gets the refusal.
      await this.finished(one, line, run, ending);
    } catch (error) {
      one.done(line);
      this.site.failures.failed(error, 'a line of a batch could not be processed', one.batch.id);
    }
  }

  private async finished(one: OpenBatch, line: WaitingLine, run: LineRun, { outcome, json }: Ending): Promise<void> {
    const { record } = run;
    const costNanoUsd = record?.costNanoUsd ?? 0n;
    const usage = outcome === 'succeeded' ? run.usage : NO_BATCH_USAGE;
    if (!(await this.store(one, { number: line.number, outcome, json, costNanoUsd, usage }))) return;
    one.done(line);
    if (record !== null) this.ports.log.append(ofBatch(one, record));
  }

  /** Ends a line that cannot be sent. */
  private async refused(one: OpenBatch, { number }: WaitingLine, refused: RefusedLine): Promise<void> {
    const { refusal, requestId, json } = refused;
    const result = { number, outcome: 'errored', json, costNanoUsd: 0n, usage: NO_BATCH_USAGE } as const;
    if (!(await this.store(one, result))) return;
    const known = { requestId, status: refusal.status, errorCode: refusal.code, costNanoUsd: null };
    const atMs = Math.floor(this.ports.clock.nowMs());
    this.ports.log.append(lineRecord(one.batch, { ...known, atMs, modelId: null, channelId: null }));
  }

  private async store(one: OpenBatch, result: LineResult): Promise<boolean> {
    const { id, claim } = one.batch;
    const isOwn = await this.ports.batches.finishLines(id, claim, [result]);
    if (isOwn) this.ports.lineEnded(result.outcome);
    else this.site.lose(one);
    return isOwn;
  }
}

/** Returns the record of a line; a call whose key was revoked after it was looked up does not know its account. */
function ofBatch({ batch: { accountId, keyId } }: OpenBatch, record: RequestRecord): RequestRecord {
  return record.accountId === null ? { ...record, accountId, keyId } : record;
}

/** Whether the line may be answered later: if a client may send it again, the gateway had no room for it, or it was given up. */
export function isPassing(failure: Failure): boolean {
  const { code, status } = failure;
  return isRetryable(failure) || code === 'client_closed_request' || status === 429 || status === 503;
}

function isOfKey({ code }: Failure): boolean {
  return code === 'invalid_api_key' || code === 'expired_api_key';
}

/** Whether a limit of the account, the key or the channels has refused the line, so that no upstream was asked. */
function isLimit({ code }: Failure, record: RequestRecord | null): boolean {
  return code === 'rate_limit_exceeded' && record !== null && record.channelId === null;
}

export interface LineRefusal {
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
  readonly code: string;
}

function refusalOf(isStream: boolean, secretHash: string | null): LineRefusal {
  if (isStream) {
    return { status: 400, message: '`stream` must not be true in a batch.', param: 'stream', code: 'invalid_value' };
  }
  if (secretHash === null) {
    const message = 'The API key that created the batch no longer exists.';
    return { status: 400, message, param: null, code: 'invalid_api_key' };
  }
  const message = 'The line can no longer be read from the input file.';
  return { status: 400, message, param: null, code: 'object_not_found' };
}

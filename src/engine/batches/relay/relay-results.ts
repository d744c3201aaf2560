import type { RelayedBatch, RelayedLine } from '../../../domain/batches/relayed-batch.ts';
import { verdictsIn } from '../../guards/known-verdicts.ts';
import type { UpstreamBody } from '../../ports/upstream.ts';
import type { BatchApi } from './batch-api.ts';
import { numberOf } from './custom-ids.ts';
import { type LineAnswer, wireOf } from './line-content.ts';
import type { RelayOwner, SettleLine } from './relay-owner.ts';
import type { RelayPorts } from './relay-ports.ts';
import { LongLine, linesOf } from './result-lines.ts';

/** Answers with more bytes than this are settled before the next line is read. */
const AT_ONCE_BYTES = 1024 * 1024;
/** When no line of this many pieces of a file in a row could be settled, the rest is read later. */
const MOST_FAILED = 10;

export interface ResultsInput {
  readonly ports: Pick<RelayPorts, 'store' | 'logger' | 'settings' | 'bodies'>;
  readonly owner: Pick<RelayOwner, 'isLost' | 'batch'>;
  readonly relay: RelayedBatch;
  readonly lineOf: BatchApi['lineOf'];
  readonly settle: SettleLine;
  /** Ends the carriage of lines; `isAgain` if the gateway is to run them itself. */
  readonly back: (lines: readonly RelayedLine[], isAgain: boolean) => Promise<boolean>;
}

type Answers = ReadonlyMap<number, LineAnswer>;

/**
 * Settles the lines of a file of results as they arrive, a few at a time. Lines that the batch has not asked for, that have a result
 * already, or that are too long are skipped. Resolves to `false` if the gateway's batch was lost meanwhile; rejects if the file cannot be
 * read to its end, or if a line cannot be settled now, which keeps no other line from being settled.
 */
export async function readResults(input: ResultsInput, body: UpstreamBody): Promise<boolean> {
  const { relay, ports, owner, lineOf } = input;
  const memory = new LongLine(ports.bodies, owner.batch.accountId);
  let answers = new Map<number, LineAnswer>();
  let bytes = 0;
  let strange = 0;
  let failed = 0;
  let failure: { readonly reason: unknown } | null = null;
  const settled = async () => {
    const ready = answers;
    answers = new Map();
    bytes = 0;
    const first = await settleAnswers(input, ready);
    failure ??= first;
    failed = first?.isOfAll === true ? failed + 1 : 0;
    if (failure !== null && failed >= MOST_FAILED) throw failure.reason;
  };
  try {
    for await (const line of linesOf(body, memory)) {
      const result = line === null ? null : lineOf(line);
      const number = result === null ? null : numberOf(relay.id, result.customId);
      if (number === null) strange++;
      // A line without a response goes back with those that are missing.
      else if (result !== null && result.answer !== null && !answers.has(number)) {
        answers.set(number, result.answer);
        bytes += result.answer.body.length;
      }
      if (answers.size >= ports.settings.linesAtOnce || bytes >= AT_ONCE_BYTES) await settled();
      if (owner.isLost) return false;
    }
    await settled();
  } finally {
    memory.free();
    body.cancel();
  }
  // TypeScript does not see that `settled` sets it.
  const left = failure as { readonly reason: unknown } | null;
  if (left !== null) throw left.reason;
  if (strange > 0) {
    const { id: relayId, batchId, upstreamId } = relay;
    ports.logger.warn(
      { batchId, relayId, upstreamBatchId: upstreamId ?? '', count: strange },
      'a provider has answered lines that it was not asked',
    );
  }
  return !input.owner.isLost;
}

/** A line that could not be settled now, and whether none of its piece of the file could. */
interface Unsettled {
  readonly reason: unknown;
  readonly isOfAll: boolean;
}

async function settleAnswers(input: ResultsInput, answers: Answers): Promise<Unsettled | null> {
  const { ports, relay } = input;
  if (answers.size === 0) return null;
  let lines: readonly RelayedLine[];
  try {
    lines = await ports.store.lines(relay.id, [...answers.keys()]);
  } catch (reason) {
    return { reason, isOfAll: true };
  }
  const ends = await Promise.allSettled(lines.map((line) => settleLine(input, line, answers.get(line.number))));
  const failed = ends.filter((one) => one.status === 'rejected');
  return failed[0] === undefined ? null : { reason: failed[0].reason, isOfAll: failed.length === ends.length };
}

async function settleLine(
  { relay, settle, back }: ResultsInput,
  line: RelayedLine,
  answer: LineAnswer | undefined,
): Promise<void> {
  if (answer === undefined || !line.isOpen) {
    await back([line], false);
    return;
  }
  const { place, model: upstreamModel, endpoint } = relay;
  const { status, body: bytes } = answer;
  const of = { place, upstreamModel, modelId: line.modelId, wire: wireOf(endpoint) };
  const given = { ...of, status, bytes, verdicts: verdictsIn(line.verdicts) };
  const ending = await settle(line, given);
  await back([line], ending === 'again');
}

import type { RelayedBatch, RelayedLine } from '../../../domain/batches/relayed-batch.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { UpstreamBody } from '../../ports/upstream.ts';
import { numberOf } from './custom-ids.ts';
import { type LineAnswer, readResult, wireOf } from './line-content.ts';
import type { RelayOwner, SettleLine } from './relay-owner.ts';
import type { RelayPorts } from './relay-ports.ts';

/** A longer line is skipped, as if the provider had not answered. */
const LONGEST_LINE_BYTES = 32 * 1024 * 1024;
const LINE_BREAK = 0x0a;

export interface ResultsInput {
  readonly ports: Pick<RelayPorts, 'store' | 'logger' | 'settings'>;
  readonly owner: Pick<RelayOwner, 'isLost'>;
  readonly relay: RelayedBatch;
  readonly settle: SettleLine;
  /** Ends the carriage of lines; `isAgain` if the gateway is to run them itself. */
  readonly back: (lines: readonly RelayedLine[], isAgain: boolean) => Promise<boolean>;
}

type Answers = ReadonlyMap<number, LineAnswer>;

/**
 * Settles the lines of an output or error file as they arrive, a few at a time. Lines that the batch has not asked for, that have a result
 * already, or that are too long are skipped. Resolves to `false` if the gateway's batch was lost meanwhile; rejects if the file cannot be
 * read to its end.
 */
export async function readResults(input: ResultsInput, body: UpstreamBody): Promise<boolean> {
  const { relay, ports } = input;
  let answers = new Map<number, LineAnswer>();
  let strange = 0;
  const settled = async () => {
    const ready = answers;
    answers = new Map();
    await settleAnswers(input, ready);
  };
  try {
    for await (const bytes of linesOf(body)) {
      const result = bytes === null ? null : readResult(bytes);
      const number = result === null ? null : numberOf(relay.id, result.customId);
      if (number === null) strange++;
      // A line without a response goes back with those that are missing.
      else if (result !== null && result.answer !== null && !answers.has(number)) answers.set(number, result.answer);
      if (answers.size >= ports.settings.linesAtOnce) await settled();
      if (input.owner.isLost) return false;
    }
    await settled();
  } finally {
    body.cancel();
  }
  if (strange > 0) {
    const { id: relayId, batchId, upstreamId } = relay;
    ports.logger.warn(
      { batchId, relayId, upstreamBatchId: upstreamId ?? '', count: strange },
      'a provider has answered lines that it was not asked',
    );
  }
  return !input.owner.isLost;
}

async function settleAnswers({ ports, relay, settle, back }: ResultsInput, answers: Answers): Promise<void> {
  if (answers.size === 0) return;
  const lines = await ports.store.lines(relay.id, [...answers.keys()]);
  const settling = lines.map(async (line) => {
    const answer = answers.get(line.number);
    if (answer === undefined || !line.isOpen) {
      await back([line], false);
      return;
    }
    const { place, model: upstreamModel, endpoint } = relay;
    const { status, body: bytes } = answer;
    const given = { place, upstreamModel, modelId: line.modelId, wire: wireOf(endpoint), status, bytes };
    const ending = await settle(line, given);
    await back([line], ending === 'again');
  });
  const failed = (await Promise.allSettled(settling)).find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Yields the lines of a body without their line breaks; `null` for one that is too long. */
async function* linesOf(body: UpstreamBody): AsyncGenerator<Uint8Array | null> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const take = (piece: Uint8Array) => {
    length += piece.length;
    if (length <= LONGEST_LINE_BYTES) pieces.push(piece);
    else pieces = [];
  };
  const line = () => {
    const whole = length > LONGEST_LINE_BYTES ? null : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    return whole;
  };
  for (;;) {
    const chunk = await body.read();
    if (chunk instanceof Failure) throw new Error(`the results could not be read: ${chunk.details.message}`);
    if (chunk === null) break;
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(LINE_BREAK, at);
      take(chunk.slice(at, end < 0 ? chunk.length : end));
      if (end < 0) break;
      if (length > 0) yield line();
      at = end + 1;
    }
  }
  if (length > 0) yield line();
}

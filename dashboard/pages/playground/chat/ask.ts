import { ownError } from '../../../api/client.ts';
import { isObject, parseJson } from '../../shared/json.ts';
import { eventsOf } from '../../shared/sse.ts';
import { type Facts, factsOf, type Payer, routingIn, send } from '../wire/call.ts';
import { failureOf } from '../wire/failure.ts';
import { type AnswerTurn, type Asked, EMPTY_DRAFT, type FormatId } from './conversation.ts';
import { CHAT_FORMATS } from './formats/index.ts';

export interface Asking {
  readonly asked: Asked;
  readonly format: FormatId;
  readonly payer: Payer;
  readonly signal: AbortSignal;
  /** Called with the answer so far for each event. */
  readonly onDraft: (turn: AnswerTurn) => void;
}

/** Requests an answer and reports it as it arrives. Never rejects: failures are part of the answer. */
export async function ask({ asked, format: id, payer, signal, onDraft }: Asking): Promise<AnswerTurn> {
  const format = CHAT_FORMATS[id];
  const reader = format.reader();
  const began = performance.now();
  const sinceBegin = () => Math.round(performance.now() - began);
  let facts: Facts = { requestId: null, routing: null, losses: [] };
  let firstMs: number | null = null;
  const turn = (rest: Partial<AnswerTurn>): AnswerTurn => ({
    ...{ role: 'answer', model: asked.model, format: id, ...EMPTY_DRAFT, ...reader.draft, ...facts },
    ...{ native: null, isRunning: true, isStopped: false, failure: null, firstMs, totalMs: null },
    ...rest,
  });
  try {
    const answer = await send(format.request(asked), payer, signal);
    facts = factsOf(answer.headers);
    if (answer.body === null) throw ownError('incomplete', facts.requestId);
    for await (const data of eventsOf(answer.body)) {
      const event: unknown = parseJson(data);
      if (!isObject(event)) continue;
      firstMs ??= sinceBegin();
      reader.read(event);
      onDraft(turn({}));
    }
    if (!reader.isComplete) throw ownError('incomplete', facts.requestId);
    facts = { ...facts, routing: routingIn(reader.routing) ?? facts.routing };
    return turn({ native: reader.native, isRunning: false, totalMs: sinceBegin() });
  } catch (error) {
    const ended = { isRunning: false, totalMs: sinceBegin() };
    if (signal.aborted) return turn({ ...ended, isStopped: true });
    return turn({ ...ended, failure: failureOf(error, facts.requestId) });
  }
}

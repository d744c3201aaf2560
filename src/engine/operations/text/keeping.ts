import { parseJson } from '../../../formats/shared/json-text.ts';
import type { Answered } from '../../call/operation.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextJobInput } from './text-job.ts';

/** Whether the answer may bring objects that a later request can name. */
export function mayIssueObjects({ inbound, turn }: TextJobInput): boolean {
  return inbound.format.objects.mayIssue(turn.whole.body);
}

/** Whether the whole answer has to be looked at before its end goes out. */
export function isOfInterest(input: TextJobInput): boolean {
  return input.inbound.format.issuing !== undefined || input.turn.wantsKeeping || mayIssueObjects(input);
}

/** Objects that came with an answer of the target can be named from then on, there. Never rejects. */
export function noteObjects({ services, principal }: TextJobInput, ids: readonly string[], target: TextTarget): void {
  const of = { accountId: principal.account.id, channelId: target.channel.id, responseId: null };
  void services.objects.given({ ...of, ids });
}

/**
 * Remembers what an answer says of its issuer, and keeps it for the client where that is wanted. Where keeping fails the answer goes
 * out all the same, since it is worth more than its being kept; the log tells of it.
 */
export async function keepAnswer(
  input: TextJobInput,
  answerJson: string,
  answered: Answered<TextTarget>,
): Promise<void> {
  const { turn, inbound, principal, services } = input;
  const { target, isRelayed } = answered;
  const accountId = principal.account.id;
  // Also where it was translated to its own format, since the state of several organisations had met in one conversation.
  if (target.wire.name === inbound.format.name && inbound.format.issuing) {
    services.memory.origins.remember(accountId, inbound.format.issuing.issued(answerJson), target.channel.id);
  }
  // A channel that keeps the answer itself can be asked for it again, whether or not there is room for a copy here.
  const isKeptThere = turn.wantsStoring && isRelayed && target.stores;
  const issuedId = isKeptThere ? (inbound.format.storing?.answerId(answerJson) ?? null) : null;
  const keptId = turn.wantsKeeping ? await keepTurn(input, answered, answerJson) : null;
  if (!mayIssueObjects(input)) return;
  const issued = inbound.format.objects.issued(parseJson(answerJson));
  const ids = issuedId === null ? issued : [...issued, issuedId];
  const channelId = isRelayed ? target.channel.id : null;
  await services.objects.given({ accountId, ids, channelId, responseId: keptId ?? issuedId });
}

/** The id under which it is stored; `null` where it is not. */
export async function keepTurn(
  { turn, outcome: { requestId }, services: { ports } }: TextJobInput,
  { target, isRelayed }: Answered<TextTarget>,
  answerJson: string,
): Promise<string | null> {
  const { logger } = ports;
  try {
    const kept = await turn.keep(answerJson, target, isRelayed);
    if (kept === null || 'id' in kept) return kept?.id ?? null;
    logger.warn({ requestId, problem: kept.problem }, 'a response could not be stored');
  } catch (error) {
    logger.error({ requestId, problem: String(error) }, 'a response could not be stored');
  }
  return null;
}

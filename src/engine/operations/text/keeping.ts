import { parseJson } from '../../../formats/shared/json/json-text.ts';
import type { RespondingTarget } from '../../call/operation.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextJobInput } from './text-job.ts';

/** Returns whether the answer may contain objects that a later request can name. */
export function mayIssueObjects({ inbound, turn }: TextJobInput): boolean {
  return inbound.format.objects.mayIssue(turn.whole.body);
}

/** Returns whether the whole answer must be inspected before its end is sent. */
export function isOfInterest(input: TextJobInput): boolean {
  return input.inbound.format.issuing !== undefined || input.turn.wantsKeeping || mayIssueObjects(input);
}

/**
 * Remembers that this target gave these objects to the account, so that later requests of the account may name them
 * there. Never rejects.
 */
export function noteObjects({ services, principal }: TextJobInput, ids: readonly string[], target: TextTarget): void {
  const of = { accountId: principal.account.id, place: target.place, responseId: null };
  void services.objects.given({ ...of, ids });
}

/**
 * Remembers which channel issued the state in an answer, and stores the answer if the client wants that. If storing fails, the answer is
 * sent anyway, because it matters more than its stored copy; the failure is logged.
 */
export async function keepAnswer(
  input: TextJobInput,
  answerJson: string,
  answered: RespondingTarget<TextTarget>,
): Promise<void> {
  const { turn, inbound, principal, services } = input;
  const { target, isRelayed } = answered;
  const accountId = principal.account.id;
  // This includes answers that were translated to the same format because the conversation held state of several
  // organisations.
  if (target.wire.name === inbound.format.name && inbound.format.issuing) {
    services.memory.origins.remember(accountId, inbound.format.issuing.issued(answerJson), target.place);
  }
  // A channel that stores the answer itself can return it later, even if there is no room for a copy here.
  const isKeptThere = turn.wantsStoring && isRelayed && target.stores;
  const issuedId = isKeptThere ? (inbound.format.storing?.answerId(answerJson) ?? null) : null;
  const keptId = turn.wantsKeeping ? await keepTurn(input, answered, answerJson) : null;
  if (!mayIssueObjects(input)) return;
  const issued = inbound.format.objects.issued(parseJson(answerJson));
  const ids = issuedId === null ? issued : [...issued, issuedId];
  const place = isRelayed ? target.place : null;
  await services.objects.given({ accountId, ids, place, responseId: keptId ?? issuedId });
}

/** Stores the turn. Resolves to the id under which it is stored, or `null` if it is not stored. */
export async function keepTurn(
  { turn, outcome: { requestId }, services: { ports } }: TextJobInput,
  { target, isRelayed }: RespondingTarget<TextTarget>,
  answerJson: string,
): Promise<string | null> {
  const { logger } = ports;
  try {
    const kept = await turn.keep(answerJson, target, isRelayed);
    if (kept === null || 'id' in kept) return kept?.id ?? null;
    logger.warn({ requestId, reason: kept.problem }, 'a response could not be stored');
  } catch (error) {
    logger.error({ requestId, error: String(error) }, 'a response could not be stored: the store failed');
  }
  return null;
}

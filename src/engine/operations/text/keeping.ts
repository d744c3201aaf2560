import { parseJson } from '../../../formats/shared/json-text.ts';
import type { ObjectMemory } from '../../directory/object-memory.ts';
import type { Target } from '../../directory/target.ts';
import type { Logger } from '../../ports/logger.ts';
import { type Admitted, givenWith, issuesObjects } from './admitted.ts';
import type { OriginMemory } from './origin-memory.ts';

export interface KeepingPorts {
  readonly objects: ObjectMemory;
  readonly origins: OriginMemory;
  readonly logger: Logger;
}

/**
 * Remembers what an answer says of its issuer, and keeps it for the client where it is to be kept. Where that fails the
 * answer is worth more than its being kept; the log says so.
 */
export async function keepAnswer(
  { objects, origins, logger }: KeepingPorts,
  admitted: Admitted,
  answerJson: string,
): Promise<void> {
  const { outcome, turn, inbound, principal } = admitted;
  const { target } = outcome;
  if (target === null) return;
  // Translated to its own format, too, where the state of several organisations met in one conversation.
  if (target.upstream.name === inbound.format.name && inbound.format.issuing) {
    origins.remember(principal.account.id, inbound.format.issuing.issued(answerJson), target.channel.id);
  }
  // A channel that keeps the answer itself can be asked for it again, whether or not there is room for a copy here.
  const isKeptThere = turn.wantsStoring && admitted.relayed && target.stores;
  const issuedId = isKeptThere ? (inbound.format.storing?.answerId(answerJson) ?? null) : null;
  const keptId = turn.wantsKeeping ? await keepTurn(logger, admitted, target, answerJson) : null;
  if (!issuesObjects(admitted)) return;
  const ids = inbound.format.objects.issued(parseJson(answerJson));
  await objects.given(givenWith(admitted, issuedId === null ? ids : [...ids, issuedId], keptId ?? issuedId));
}

/** The id under which it is stored; `null` where it is not. */
export async function keepTurn(
  logger: Logger,
  { outcome: { requestId }, turn, relayed }: Admitted,
  target: Target,
  answerJson: string,
): Promise<string | null> {
  try {
    const kept = await turn.keep(answerJson, target, relayed);
    if (kept === null || 'id' in kept) return kept?.id ?? null;
    logger.warn({ requestId, problem: kept.problem }, 'a response could not be stored');
  } catch (error) {
    logger.error({ requestId, problem: String(error) }, 'a response could not be stored');
  }
  return null;
}

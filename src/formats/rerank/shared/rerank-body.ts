import type { Loss } from '../../../domain/exchange/loss.ts';
import type { RerankRequest } from '../../../domain/rerank/rerank.ts';
import { entryOf, setMember } from '../../shared/json/record.ts';
import type { AnswerPatch, EncodedBody, OwnMembers, WireTarget } from '../../wire.ts';

/** Values that the gateway writes into an answer. `tokens` is the charged number, reported or counted. */
export interface RerankPatch extends AnswerPatch {
  readonly tokens: number;
}

const utf8 = new TextEncoder();

const NO_MEMBERS: OwnMembers = {};

/**
 * Returns a request for an upstream: `members` under the provider's names, without those that it lacks, plus the client's other
 * members if `takes` accepts them.
 */
export function rerankBody(
  members: Readonly<Record<string, unknown>>,
  { others }: Pick<RerankRequest, 'others'>,
  target: WireTarget,
  takes: (name: string) => boolean = () => true,
): EncodedBody {
  const { members: names = NO_MEMBERS } = target;
  const body: Record<string, unknown> = {};
  const losses: Loss[] = [];
  for (const name of Object.keys(members)) {
    const own = entryOf(names, name);
    if (own !== null) setMember(body, own ?? name, members[name]);
  }
  for (const name of Object.keys(others)) {
    if (takes(name) && entryOf(names, name) !== null) setMember(body, name, others[name]);
    else losses.push({ field: name, verdict: 'dropped', why: 'the provider does not support this field' });
  }
  return { body: utf8.encode(JSON.stringify(body)), losses };
}

import { asObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest, Rule, Source } from '../rule.ts';

export const bodyOf = ({ body }: ReceivedRequest): Readonly<Record<string, unknown>> => asObject(body);

interface RefusedMember extends Pick<Rule, 'id' | 'statement' | 'family'> {
  readonly member: string;
  readonly source: Source;
  /** A value that is refused. */
  readonly value: unknown;
  /** Whether the value is accepted nevertheless, such as a default. */
  readonly accepts?: (value: unknown, body: Readonly<Record<string, unknown>>) => boolean;
  readonly accepted?: readonly Example[];
}

/** Makes a rule for a top-level member that a model family refuses. */
export function refusedMember({ member, value, accepts, accepted, ...rule }: RefusedMember): Rule {
  return {
    ...rule,
    refuses(request) {
      const body = bodyOf(request);
      const given = body[member];
      if (given === undefined || accepts?.(given, body)) return null;
      return `Unsupported parameter: '${member}' is not supported with this model.`;
    },
    examples: { refused: [{ body: { [member]: value } }], ...(accepted !== undefined && { accepted }) },
  };
}

/** Makes a rule that refuses members which a published document does not list. */
export function unknownMembers(known: readonly string[], source: Source): Rule {
  const names = new Set(known);
  return {
    id: 'unknown-members',
    statement: 'Fields that the published document does not list are refused.',
    source,
    refuses(request) {
      const unknown = Object.keys(bodyOf(request)).find((name) => !names.has(name));
      return unknown === undefined ? null : `Unrecognized request argument supplied: ${unknown}`;
    },
    examples: { refused: [{ body: { top_k: 40 } }, { body: { thinking: { type: 'enabled' } } }] },
  };
}

import { type Edit, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames } from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import { membersOf } from '../../shared/request/body.ts';
import type { ParsedRequest } from '../client-request.ts';
import type { BodyTest } from '../format.ts';
import type { Quirk } from '../quirk.ts';
import { anyOf, effortBreach, hasRecord, translatableLacks } from '../shared/relay-breach.ts';

type Json = Readonly<Record<string, unknown>>;

/** See `ClientFormat.relayBreach`. */
export function relayBreach(quirks: readonly Quirk[]): BodyTest | null {
  const lacks = translatableLacks(quirks);
  const fetched = new Set<unknown>([
    ...(lacks.has('image-url') ? ['image'] : []),
    ...(lacks.has('document-url') ? ['document'] : []),
  ]);
  const isFetched = ({ type, source, content }: Json): boolean =>
    type === 'tool_result'
      ? hasRecord(content, isFetched)
      : fetched.has(type) && isRecord(source) && source.type === 'url';
  return anyOf([
    effortBreach(quirks, ({ output_config }) => (isRecord(output_config) ? output_config.effort : undefined)),
    lacks.has('json-schema') &&
      (({ output_config, output_format }: Json) =>
        isRecord(output_format) || (isRecord(output_config) && isRecord(output_config.format))),
    lacks.has('system-prompt-midway') && (({ messages }: Json) => hasRecord(messages, ({ role }) => role === 'system')),
    fetched.size > 0 && (({ messages }: Json) => hasRecord(messages, ({ content }) => hasRecord(content, isFetched))),
  ]);
}

const REQUEST_MEMBERS = new MemberNames('model');

/**
 * Returns the only declared patch of this format's requests, the model id (design, section 3). Every other byte stays as the
 * client sent it.
 */
export function relayEdits(request: ParsedRequest, upstreamModel: string): readonly Edit[] {
  const object = membersOf(request, REQUEST_MEMBERS);
  if (request.body.model === upstreamModel) return [];
  return object.members.map((member) => replaceValue(member, JSON.stringify(upstreamModel)));
}

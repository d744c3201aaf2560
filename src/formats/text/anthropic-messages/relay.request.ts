import type { BodyTest } from '../../format.ts';
import type { Quirk } from '../../quirk.ts';
import { isRecord } from '../../shared/json/record.ts';
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

import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { upstreamFormats } from '../../../src/formats/index.ts';
import type { UpstreamFormat } from '../../../src/formats/text/format.ts';
import { fields } from '../../../src/formats/text/openai-completions/fields.ts';
import { decoded } from '../../../src/formats/text/openai-completions/testing/support.ts';
import { publishedDocument } from '../documents.ts';

/* Text completions sent as chats, and which documented fields are lost. */

const chats = [...upstreamFormats.values()].filter(({ relayOnly }) => relayOnly !== true);

/** Returns the losses in a format as `field: verdict`, with the client's field names. */
function lossesOf(body: Readonly<Record<string, unknown>>, upstream: UpstreamFormat): readonly string[] {
  const { carries } = upstream;
  const to = { upstreamModel: 'up-1', stream: false, provider: 'p', channel: 'c', quirks: [], carries };
  const encoded = upstream.encodeRequest(decoded(body), to);
  if (encoded instanceof Failure) throw encoded;
  return encoded.losses.map(({ field, verdict }) => `${field}: ${verdict}`).toSorted();
}

const chat = upstreamFormats.get('openai-chat') ?? expect.unreachable();

interface Member {
  readonly name: string;
  readonly value: unknown;
}

/** Returns a few values of each documented field: its default, its bounds, and one of each type. */
function documentedMembers(): readonly Member[] {
  const { components } = publishedDocument('openai.openapi.json');
  const resolved = (schema: any): any =>
    schema.$ref === undefined ? schema : resolved(components.schemas[schema.$ref.split('/').at(-1)]);
  const valuesOf = (one: any): unknown[] => {
    const schema = resolved(one);
    const branches = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap(valuesOf);
    const own = [schema.example, schema.default, schema.minimum, schema.maximum, ...(schema.enum ?? [])];
    if (schema.type === 'boolean') own.push(true, false);
    if (schema.type === 'string') own.push('text');
    if (schema.type === 'integer') own.push(1);
    if (schema.type === 'array') own.push(valuesOf(schema.items).slice(0, 1));
    if (schema.type === 'object' && schema.properties) {
      for (const [name, member] of Object.entries(schema.properties)) {
        own.push(...valuesOf(member).map((value) => ({ [name]: value })));
      }
    } else if (schema.type === 'object') own.push({ '50256': -100 });
    return [...branches, ...own].filter((value) => value !== undefined && value !== null);
  };
  return Object.entries(components.schemas.CreateCompletionRequest.properties).flatMap(([name, schema]) => {
    if (name === 'model') return [];
    const distinct = new Map(valuesOf(schema).map((value) => [JSON.stringify(value), value]));
    return [...distinct.values()].map((value) => ({ name, value }));
  });
}

/** Each pair means something only together. */
const TOGETHER = new Set(['best_of n', 'echo logprobs']);

describe('every pair of documented fields', () => {
  const members = documentedMembers();

  test('covers all 17 documented fields', () => expect(new Set(members.map(({ name }) => name)).size).toBe(17));

  test.each(chats.map((upstream) => [upstream.name, upstream] as const))(
    'loses to %s what each field loses alone',
    (_, upstream) => {
      const alone = new Map(members.map((one) => [one, lossesOf({ [one.name]: one.value }, upstream)]));
      for (const one of members) {
        for (const other of members) {
          if (one.name >= other.name || TOGETHER.has(`${one.name} ${other.name}`)) continue;
          const lost = [...(alone.get(one) ?? []), ...(alone.get(other) ?? [])];
          const body = { [one.name]: one.value, [other.name]: other.value };
          expect(lossesOf(body, upstream), JSON.stringify(body)).toEqual([...new Set(lost)].toSorted());
        }
      }
    },
  );

  test('every documented field without a chat equivalent is named', () => {
    for (const { name, value } of members) {
      const isSaid = lossesOf({ [name]: value }, chat).some((loss) => loss.startsWith(name));
      const field = fields[name];
      if (isSaid) expect(['prompt', 'suffix', 'best_of', 'max_tokens', 'stream_options']).toContain(name);
      else if (typeof field !== 'string')
        expect([name, value]).toBeOneOf([
          ['best_of', 1],
          ['best_of', 0],
          ['suffix', ''],
        ]);
    }
  });
});

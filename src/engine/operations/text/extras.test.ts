import { describe, expect, test } from 'bun:test';
import type { Account } from '../../../domain/access/account.ts';
import type { Credential } from '../../../domain/access/api-key.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { upstreamFormats } from '../../../formats/index.ts';
import { BodyScan } from '../../../formats/shared/request/body-scan.ts';
import { providers } from '../../../providers/index.ts';
import type { ProviderFormat, ProviderManifest } from '../../../providers/manifest.ts';
import type { GovernedMember } from '../../../providers/shared/governed-member.ts';
import { channelParts, makeTextTarget } from '../../directory/target.ts';
import { sampleDirectory } from '../../directory/testing/sample-directory.ts';
import type { Extras } from '../../ports/billing.ts';
import { sampleAccount, sampleChannel, sampleCredential, sampleModel } from '../../ports/testing/samples.ts';
import { extrasOf } from './extras.ts';

const utf8 = new TextEncoder();

/** Every governed member of every manifest, for each client format. */

const ASKED = 'asked';
const OTHER = 'other';
const PRICED = { input_per_1m: '1', output_per_1m: '2' };

/** Realistic values of these members. A rule whose pattern matches none of them needs one more. */
const VALUES = [
  ...['priority', 'fast', 'flex', 'standard', 'us', 'high', 'pro', 'optimized', 'container_auto', 'web', 'auto-router'],
  ...[
    'web_search',
    'web_search_preview',
    'web_search_20250305',
    'web_fetch_20250910',
    'file_search',
    'code_interpreter',
  ],
  ...[
    'code_execution_20250825',
    'image_generation',
    'mcp',
    'advisor_20260301',
    'openrouter:fusion',
    'openrouter:web_search',
  ],
  ...['bing_grounding', 'browser_search', 'document_library', 'builtin_function', 'retrieval', 'x_search', 'fetch_url'],
  ...['context-1m-2025-08-07', 'vercel:perplexity_search', 'image_search', 'fileid://file-x'],
];
const MODELS = [
  ...['gpt-6-luna', 'gpt-5.5', 'gpt-5.1', 'gpt-4.1', 'gpt-4o', 'gpt-4o-mini', 'o4-mini', 'gpt-4o-search-preview', 'o3'],
  ...[
    'claude-opus-4-6',
    'claude-opus-5',
    'claude-sonnet-4-5',
    'anthropic.claude-opus-5-v1',
    'gemini-3-pro',
    'gpt-oss-120b',
  ],
  ...[
    'anthropic.claude-opus-4-6-v1',
    'anthropic.claude-sonnet-4-5-v1',
    'perplexity/sonar',
    'perplexity/other',
    'sonar',
    'any-model',
  ],
];

interface Case {
  readonly manifest: ProviderManifest;
  readonly provided: ProviderFormat;
  readonly rule: GovernedMember;
  readonly value: string;
  readonly upstreamModel: string;
  /** Other models that the same channel serves. */
  readonly otherModel: string;
}

const cases: readonly Case[] = [...providers.values()].flatMap((manifest) =>
  manifest.formats.flatMap((provided) =>
    (provided.governs ?? []).map((rule) => {
      const { models, values, effect } = rule;
      const named = effect.kind === 'names-model' ? 'vendor/unknown' : 'priority';
      const value = values === undefined ? named : VALUES.find((one) => values.test(one));
      const fits = (model: string) => models?.test(model) !== false && provided.models?.test(model) !== false;
      const upstreamModel = MODELS.find(fits);
      const otherModel = MODELS.find((one) => one !== upstreamModel && provided.models?.test(one) !== false);
      if (value === undefined || upstreamModel === undefined || otherModel === undefined) {
        throw new Error(
          `${manifest.name} ${provided.format} ${rule.member}: no sample matches ${values} and ${models}`,
        );
      }
      return { manifest, provided, rule, value, upstreamModel, otherModel };
    }),
  ),
);

const titled = cases.map(
  (one) => [`${one.manifest.name}, ${one.provided.format}: ${one.rule.member} (${one.rule.effect.kind})`, one] as const,
);

/** Makes a body with only the member, and the list element that contains it. */
function bodyWith(member: string, value: unknown): Record<string, unknown> {
  const [step = '', ...rest] = member.split('.');
  const name = step.replace(/(\[\])+$/, '');
  const inner = rest.length === 0 ? value : bodyWith(rest.join('.'), value);
  const nested = step.split('[]').length - 1;
  return { [name]: Array.from({ length: nested }).reduce((one) => [one], inner) };
}

interface Client {
  readonly account?: Partial<Account>;
  readonly credential?: Partial<Credential>;
  readonly owner?: string;
  readonly pricing?: object | 'free' | null;
  /** The body as the client writes it; by default one that has the member once. */
  readonly bytes?: Uint8Array;
}

function judged({ manifest, provided, rule, upstreamModel, otherModel }: Case, value: string, client: Client) {
  const account = sampleAccount({ id: 'acme', billing: 'unlimited', ...client.account });
  const credential = sampleCredential({ accountId: 'acme', limitNanoUsd: null, models: null, ...client.credential });
  const channel = sampleChannel({
    ...{ provider: manifest.name, baseUrl: 'http://upstream.example/v1', formats: [provided.format], settings: {} },
    ...{ owner: client.owner ?? null, models: { [ASKED]: upstreamModel, [OTHER]: otherModel } },
  });
  const pricing = (client.pricing === undefined ? PRICED : client.pricing) as never;
  const models = [ASKED, OTHER].map((id) => sampleModel({ id, status: 'public', category: 'chat', pricing }));
  const directory = sampleDirectory({ models, channels: [channel] }, [manifest]);
  const upstream = upstreamFormats.get(provided.format);
  const ids = { publicId: ASKED, upstreamModel, ruleModel: upstreamModel };
  const target = upstream && makeTextTarget(channelParts(channel, manifest), provided, upstream, ids);
  const ways = directory.routesTo(ASKED, 'acme', 'openai-chat');
  if (!target || !ways) throw new Error(`${manifest.name} has no way to the model`);
  const isHeader = rule.isHeader === true;
  const written = client.bytes ?? utf8.encode(JSON.stringify(isHeader ? {} : bodyWith(rule.member, value)));
  const names = new BodyScan(written, 0, null);
  names.run(written.length);
  const body = JSON.parse(new TextDecoder().decode(written)) as Record<string, unknown>;
  const headers = isHeader ? { [rule.member]: value } : null;
  const input = { principal: { account, credential }, directory, ways, clientFormat: 'openai-chat', body };
  return extrasOf(target, { value: body, headers, names }, input);
}

function refusal(result: Extras | null | Failure): Failure {
  if (!(result instanceof Failure)) throw new Error('it was not refused');
  return result;
}

function expectNamed(result: Extras | null | Failure, rule: GovernedMember): void {
  const failure = refusal(result);
  expect([400, 403]).toContain(failure.status);
  expect(failure.retry).toBe('other-target');
  expect(failure.details.param).toStartWith(rule.member.split(/[.[]/)[0] ?? '');
  expect(failure.message).toContain(`\`${failure.details.param}\``);
  expect(failure.details.hint).not.toBe('');
}

describe.each(titled)('%s', (_, one) => {
  const { rule, value } = one;
  const { effect } = rule;
  const prepaid = { account: { billing: 'prepaid' } } as const;

  test('passes on an account’s own channel', () => {
    expect(judged(one, value, { owner: 'acme', ...prepaid })).toBeNull();
  });

  test('is priced for a prepaid account, or refused by name', () => {
    const result = judged(one, value, prepaid);
    if (!(result instanceof Failure)) {
      expect(result?.isUnknown ?? false).toBe(false);
      if (effect.kind === 'token-price') return;
      expect((result?.toolCalls ?? 0) + (result?.others.length ?? 0)).toBeGreaterThan(0);
      expect(result?.drawing !== null).toBe(effect.kind === 'image-tool');
    } else expectNamed(result, rule);
    expect(result instanceof Failure).toBe(
      !['web-search', 'hosted-tool', 'image-tool'].includes(effect.kind) || isWithoutPrice(rule),
    );
  });

  test('is priced for a key with a limit, or refused by name', () => {
    const limited = judged(one, value, { credential: { limitNanoUsd: 1n } });
    expect(limited instanceof Failure).toBe(judged(one, value, prepaid) instanceof Failure);
  });

  test('passes for an unlimited account, with an unknown cost if it has no price', () => {
    const result = judged(one, value, {});
    if (effect.kind === 'owners-own') return expectNamed(result, rule);
    const isFailure = judged(one, value, prepaid) instanceof Failure;
    expect(result instanceof Failure ? result.message : (result?.isUnknown ?? false)).toBe(isFailure);
  });

  test('does not make another model free with a free model', () => {
    const result = judged(one, value, { ...prepaid, pricing: 'free' });
    const isRefused = ['names-model', 'chooses-model', 'owners-own'].includes(effect.kind);
    if (isRefused) expectNamed(result, rule);
    else expect(result).not.toBeInstanceOf(Failure);
  });

  test('does not bring in another model for a key with an allow-list', () => {
    const result = judged(one, value, { credential: { models: [ASKED] } });
    const choosesModels = ['names-model', 'chooses-model', 'image-tool'].includes(effect.kind);
    if (choosesModels || effect.kind === 'owners-own') expectNamed(result, rule);
    if (choosesModels) expect(refusal(result).code).toBe('model_not_allowed');
  });

  if (effect.kind !== 'names-model') return;

  test('may name a model that the key may use and the channel serves, at its price', () => {
    const allowed = judged(one, one.otherModel, { ...prepaid, credential: { models: [ASKED, OTHER] } });
    expect(allowed).toMatchObject({ isUnknown: false });
    expect((allowed as Extras).others).toHaveLength(1);
    expectNamed(judged(one, one.otherModel, { ...prepaid, credential: { models: [ASKED] } }), rule);
  });
});

/** Each name of a path in spellings that other parsers would also accept. */
const SPELLINGS: readonly (readonly [string, (name: string) => string])[] = [
  ['in upper case', (name) => name.toUpperCase()],
  ['capitalized', (name) => name.slice(0, 1).toUpperCase() + name.slice(1)],
  ['with a letter that only Unicode folds', (name) => name.replace('k', '\u212a').replace('s', '\u017f')],
  ['in lower case', (name) => name.toLowerCase()],
];

const inBody = cases.filter(({ rule }) => rule.isHeader !== true);

describe.each(providedFormats())('names at %s', (_, ofFormat) => {
  const members = new Set(ofFormat.map(({ rule }) => rule.member.replaceAll('[]', '')));
  const isMember = (path: string) => [...members].some((one) => one === path || one.startsWith(`${path}.`));

  test.each(SPELLINGS)('each name of each path %s is refused by name', (_, spell) => {
    let refused = 0;
    for (const one of ofFormat) {
      const steps = one.rule.member.split('.');
      for (const [at, step] of steps.entries()) {
        const [name = ''] = step.split('[');
        const other = spell(name);
        const path = [...steps.slice(0, at), other].join('.').replaceAll('[]', '');
        if (isMember(path)) continue;
        const changed = steps.with(at, step.replace(name, other)).join('.');
        const bytes = utf8.encode(JSON.stringify(bodyWith(changed, one.value)));
        const failure = refusal(judged(one, one.value, { bytes }));
        expect(failure).toMatchObject({ code: 'unsupported_parameter', retry: 'other-target' });
        expect(failure.details.didYouMean).toBeDefined();
        expect(failure.message).toContain('another spelling');
        expect(judged(one, one.value, { bytes, owner: 'acme' })).toBeNull();
        refused++;
      }
    }
    const hasVariants = ofFormat.some(({ rule }) => spell(rule.member) !== rule.member);
    if (hasVariants && !ofFormat.some(({ rule }) => isMember(spell(rule.member)))) expect(refused).toBeGreaterThan(0);
  });

  test.each([
    ['plainly', (name: string) => name],
    ['with an escape', escaped],
  ])('each name of each path, repeated %s, is refused by name', (_, write) => {
    for (const one of ofFormat) {
      const steps = one.rule.member.split('.');
      for (const at of steps.keys()) {
        const bytes = utf8.encode(twice(steps, at, JSON.stringify(one.value), write));
        const failure = refusal(judged(one, one.value, { bytes }));
        expect(failure.message).toContain('appears twice');
        expect(failure.details.param).toContain(steps.at(at)?.split('[')[0]);
        expect(judged(one, one.value, { bytes, owner: 'acme' })).toBeNull();
      }
    }
  });

  test('similar but different names pass', () => {
    for (const one of ofFormat) {
      const bytes = utf8.encode('{"Metadata":{"Models":1,"models":2},"x":[{"Type":1}],"x":1}');
      expect(judged(one, one.value, { bytes })).toBeNull();
    }
  });
});

function providedFormats(): readonly (readonly [string, readonly Case[]])[] {
  const titleOf = ({ manifest, provided }: Case) => `${manifest.name}, ${provided.format}`;
  return [...Map.groupBy(inBody, titleOf)];
}

function escaped(name: string): string {
  const [first = ''] = name;
  return `\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;
}

/** Like `bodyWith`, with the name of step `at` twice; `write` writes it the second time. */
function twice(steps: readonly string[], at: number, value: string, write: (name: string) => string): string {
  const [step = '', ...rest] = steps;
  const [name = ''] = step.split('[');
  const nested = step.split('[]').length - 1;
  const inner = rest.length === 0 ? value : twice(rest, at - 1, value, write);
  const whole = '['.repeat(nested) + inner + ']'.repeat(nested);
  return at === 0 ? `{"${name}":null,"${write(name)}":${whole}}` : `{"${name}":${whole}}`;
}

test('the member that limits searches must be unique and exactly spelled', () => {
  const one = cases.find(({ rule }) => 'bound' in rule.effect && rule.effect.bound !== undefined);
  if (one === undefined) throw new Error('no member has a bound');
  for (const bound of ['"max_uses":1,"max_uses":900', '"max_uses":1,"Max_Uses":900']) {
    const bytes = utf8.encode(`{"tools":[{"type":"web_search_20250305",${bound}}]}`);
    expect(refusal(judged(one, one.value, { bytes })).details.param).toMatch(/^tools\[0\]\.max_uses$/i);
  }
});

describe('an image tool', () => {
  const one = cases.find(({ rule }) => rule.effect.kind === 'image-tool' && rule.member === 'tools[].type');
  if (one === undefined) throw new Error('no provider has an image tool');
  const prepaid: Client = { account: { billing: 'prepaid' } };
  const withTool = (members: object, client: Client = prepaid, more: object = {}) =>
    judged(one, one.value, {
      ...client,
      bytes: utf8.encode(JSON.stringify({ ...more, tools: [{ type: 'image_generation', ...members }] })),
    });
  const drawing = (result: Extras | null | Failure) => {
    if (result === null || result instanceof Failure || result.drawing === null) throw new Error('nothing is drawn');
    return result.drawing;
  };

  test('has the price of the model it names, whether or not the channel serves it', () => {
    const result = withTool({ model: 'gpt-image-1-mini' });
    expect(drawing(result).sheets.map(({ pricing }) => pricing)).toMatchObject([{ image_output_per_1m: '8.00' }]);
    expect(result).toMatchObject({ others: [], isUnknown: false });
    const ofChannel = withTool({ model: one.otherModel });
    expect(drawing(ofChannel).sheets.map(({ pricing }) => pricing)).toMatchObject([PRICED]);
  });

  test('has the prices of all models it may use if it names none', () => {
    const prices = drawing(withTool({})).sheets.map(({ pricing }) => pricing);
    expect(prices).toMatchObject([{ image_output_per_1m: '32.00' }, { image_output_per_1m: '30.00' }]);
  });

  test('requires a model with a known price and a string as its name', () => {
    for (const model of ['gpt-image-99', 7]) expectNamed(withTool({ model }), one.rule);
    expect(withTool({ model: 'gpt-image-99' }, {})).toMatchObject({ isUnknown: true });
    const bytes = utf8.encode('{"tools":[{"type":"image_generation"}]}');
    const unpriced = { ...one, upstreamModel: 'unknown-model' };
    expectNamed(judged(unpriced, one.value, { ...prepaid, pricing: null, bytes }), one.rule);
  });

  test('is charged with a free model', () => {
    expect(drawing(withTool({}, { ...prepaid, pricing: 'free' })).sheets).toHaveLength(2);
  });

  test('requires a model that the key may use', () => {
    const listed = (models: readonly string[]): Client => ({ ...prepaid, credential: { models } });
    expect(withTool({ model: 'gpt-image-2' }, listed([ASKED, 'gpt-image-2']))).not.toBeInstanceOf(Failure);
    expect(withTool({}, listed([ASKED, 'gpt-image-*']))).not.toBeInstanceOf(Failure);
    for (const members of [{}, { model: 'gpt-image-1.5' }]) {
      expect(refusal(withTool(members, listed([ASKED, 'gpt-image-2']))).code).toBe('model_not_allowed');
    }
  });

  test('is reserved for the allowed number of calls, at the size of its images', () => {
    const most = (members: object, more: object = {}) => drawing(withTool(members, prepaid, more)).most;
    expect(most({ quality: 'low', size: '1024x1024' }, { max_tool_calls: 2 })).toEqual({
      ...{ inputTokens: 16_000, outputTokens: 2 * 272, requests: 2 },
      pieces: [{ unit: 'image', amount: 2, variant: '1024x1024/low' }],
    });
    expect(most({}).outputTokens).toBe(10 * 6_240);
    expect(most({ partial_images: 2 }).outputTokens).toBe(10 * 6_440);
    expect(most({ size: '2048x2048' }).outputTokens).toBe(10 * 4 * 4_160);
    expect(most({ quality: 'max' }).outputTokens).toBe(10 * 16_000);
    expect(withTool({}, prepaid, { max_tool_calls: 3 })).toMatchObject({ toolCalls: 3 });
  });

  test('that is listed twice shares its calls, and the largest image counts', () => {
    const tools = ['low', 'medium'].map((quality) => ({ type: 'image_generation', size: '1024x1024', quality }));
    const bytes = utf8.encode(JSON.stringify({ max_tool_calls: 2, tools }));
    const result = judged(one, one.value, { ...prepaid, bytes });
    expect(result).toMatchObject({ toolCalls: 2 });
    expect(drawing(result).most).toMatchObject({ outputTokens: 2 * 1_056, pieces: [{ unit: 'image', amount: 2 }] });
  });

  test('requires its limits to be unique and exactly spelled', () => {
    const bodies = [
      '{"max_tool_calls":1,"max_tool_calls":900,"tools":[{"type":"image_generation"}]}',
      '{"Max_Tool_Calls":900,"tools":[{"type":"image_generation"}]}',
      '{"tools":[{"type":"image_generation","quality":"low","quality":"high"}]}',
      '{"tools":[{"type":"image_generation","model":"gpt-image-1-mini","Model":"gpt-image-2"}]}',
    ];
    for (const body of bodies) refusal(judged(one, one.value, { ...prepaid, bytes: utf8.encode(body) }));
  });
});

describe('a request with very many governed members', () => {
  const hosted = cases.find(({ rule }) => rule.effect.kind === 'hosted-tool' && rule.member.startsWith('tools[].'));
  if (hosted === undefined) throw new Error('no provider has a hosted tool in a list');
  const [, member = ''] = hosted.rule.member.split('[].');
  const tool = JSON.stringify(bodyWith(member, hosted.value));
  const body = (tools: number, more = '') => utf8.encode(`{"tools":[${Array(tools).fill(tool).join(',')}]${more}}`);
  const barred = cases.find(
    ({ manifest, provided, rule }) =>
      manifest === hosted.manifest &&
      provided === hosted.provided &&
      !rule.member.startsWith('tools') &&
      ['unpriced', 'owners-own', 'token-price'].includes(rule.effect.kind),
  );
  if (barred === undefined) throw new Error('the provider has no other governed member');

  test('is judged as a whole', () => {
    const client: Client = { account: { billing: 'prepaid' }, pricing: PRICED };
    expect(judged(hosted, hosted.value, { ...client, bytes: body(100) })).not.toBeInstanceOf(Failure);
  });

  test('is refused above the limit, whatever follows them', () => {
    const more = `,${JSON.stringify(bodyWith(barred.rule.member, barred.value)).slice(1, -1)}`;
    for (const bytes of [body(101), body(100, more), body(50_000, more)]) {
      const failure = refusal(judged(hosted, hosted.value, { bytes }));
      expect(failure).toMatchObject({ code: 'unsupported_parameter', retry: 'other-target', kind: 'loss_refused' });
      expect(failure.message).toContain('more than 100 fields');
    }
  });
});

/** Returns whether the member has no price in the price sheet of these tests. */
function isWithoutPrice({ effect }: GovernedMember): boolean {
  return effect.kind === 'web-search' && effect.usd === undefined;
}

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type CacheBed, startCacheBed } from './cache/bed.ts';
import { type CacheClient, FORMATS, type Format, type Question } from './cache/client.ts';
import { asObject } from './shared/json.ts';
import { metricsOf } from './shared/metrics.ts';
import { until } from './shared/until.ts';

/* The exact cache of a gateway that runs as users start it, in front of an upstream that never repeats a response. */

let bed: CacheBed;
let client: CacheClient;

beforeAll(async () => {
  bed = await startCacheBed({ max_entry_kb: 16 });
  client = bed.client();
});

afterAll(() => bed?.stop());

const ENTRY_ID = /^ce_[A-Za-z0-9]{32}$/;
const WAYS = FORMATS.flatMap((format) =>
  [false, true].map((stream) => [`${format}${stream ? ', streamed' : ''}`, format, stream] as const),
);

/** Resolves to the upstream's text, in parentheses if it came from the cache. */
async function told(question: Question): Promise<string> {
  const { status, said, cached, entryId, headers, json } = await client.ask(question);
  expect(status).toBe(200);
  expect(entryId !== null).toBe(cached);
  expect(headers.has('age')).toBe(cached);
  if (cached) expect(entryId).toMatch(ENTRY_ID);
  if (question.stream !== true) {
    const { cached: again, cacheEntryId } = asObject(json._routing);
    expect<unknown>([again, cacheEntryId ?? null]).toEqual([cached, entryId]);
  }
  return cached ? `(${said})` : `${said}`;
}

describe.each(WAYS)('cache control: %s', (name, format, stream) => {
  const ask = (words: string, control?: string, body = {}) =>
    told({ format, stream, prompt: `${words} of ${name}`, body, ...(control === undefined ? {} : { control }) });

  test('the header decides about lookup and storage', async () => {
    const first = await ask('One', 'default');
    expect(await ask('One', 'default')).toBe(`(${first})`);
    expect(await ask('One', 'no_store')).toBe(`(${first})`);
    const second = await ask('One', 'NO-CACHE');
    expect(second).toMatch(/^answer-/);
    expect(await ask('One', 'response_only')).toBe(`(${second})`);
    expect(await ask('One', 'default; max_age=0')).toMatch(/^answer-/);
    expect(await ask('One', 'semantic_only')).toMatch(/^answer-/);
    expect(await ask('One', 'max_age=60')).toBe(`(${second})`);
    expect(bed.upstream.count(`One of ${name}"`)).toBe(4);
  });

  test('a response with no_store is not stored', async () => {
    expect(await ask('Two', 'no_store')).toMatch(/^answer-/);
    const kept = await ask('Two', 'default');
    expect(kept).toMatch(/^answer-/);
    expect(await ask('Two', 'default')).toBe(`(${kept})`);
    expect(await ask('Three', 'semantic_only')).toMatch(/^answer-/);
    expect(await ask('Three', 'response_only')).toMatch(/^answer-/);
  });

  test('without cache control, a response is cached only at temperature 0 or with a seed', async () => {
    await ask('Four');
    expect(await ask('Four')).toMatch(/^answer-/);
    for (const fixed of [{ temperature: 0 }, ...(format === 'chat' || format === 'gemini' ? [{ seed: 5 }] : [])]) {
      const body = format === 'gemini' ? { generationConfig: { maxOutputTokens: 100, ...fixed } } : fixed;
      const first = await ask('Four', undefined, body);
      expect(await ask('Four', undefined, body)).toBe(`(${first})`);
    }
  });

  test.each([
    'nonsense',
    'no_cache no_store',
    'default; max_age=-1',
    'max_age=86401',
    'max_age=1.5',
    'default, no_store',
  ])('an invalid header is refused by name: %s', async (control) => {
    const { status, text, json } = await client.ask({ format, stream, prompt: 'Five', control });
    expect(status).toBe(400);
    expect(text).toContain('x-switchyard-cache');
    const { error } = json;
    if (format === 'messages') expect(json).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    else if (format === 'gemini') expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    else expect(error).toMatchObject({ type: 'invalid_request_error', param: 'x-switchyard-cache' });
  });
});

describe('`cache_control` of a chat completion', () => {
  const ask = (prompt: string, cache_control: unknown, more: Partial<Question> = {}) =>
    told({ prompt, body: { cache_control }, ...more });

  test('has the effect of the header, overrides it, and is not sent upstream', async () => {
    const first = await ask('Six', { type: 'default' });
    for (const control of [{ type: 'response_only' }, { type: 'no_store', max_age: 60 }, { max_age: 86_400 }, {}]) {
      expect(await ask('Six', control)).toBe(`(${first})`);
    }
    expect(await ask('Six', { type: 'default' }, { control: 'no_cache' })).toBe(`(${first})`);
    expect(await ask('Six', null, { control: 'default' })).toBe(`(${first})`);
    expect(await ask('Six', { type: 'no_cache' }, { control: 'default' })).toMatch(/^answer-/);
    expect(await ask('Six', { type: 'default', max_age: 0 })).toMatch(/^answer-/);
    expect(bed.upstream.count('cache_control')).toBe(0);
  });

  test('is not treated as a prompt cache mark of a provider', async () => {
    await ask('Seven', { type: 'ephemeral' });
    expect(await ask('Seven', { type: 'ephemeral' })).toMatch(/^answer-/);
  });

  test.each([
    [{ type: 'always' }, 'cache_control.type'],
    [{ max_age: 86_401 }, 'cache_control.max_age'],
    [{ max_age: -1 }, 'cache_control.max_age'],
    [{ max_age: '60' }, 'cache_control.max_age'],
    ['no_cache', 'cache_control'],
  ])('is refused by name if invalid: %p', async (cache_control, param) => {
    const { status, error } = await client.ask({ prompt: 'Eight', body: { cache_control } });
    expect([status, error.param]).toEqual([400, param]);
  });
});

test.each([
  ['none', 'plain', 'default', false],
  ['asked', 'plain', undefined, false],
  ['asked', 'plain', 'default', true],
  ['exact', 'plain', undefined, true],
  ['main', 'repeating', undefined, true],
  ['main', 'plain', undefined, false],
  ['none', 'repeating', undefined, false],
])('the account strategy %s, then the model strategy %s (%p): %p', async (key, model, control, cached) => {
  const question = { prompt: `Nine ${key} ${control}`, model, ...(control === undefined ? {} : { control }) };
  await bed.client(key).ask(question);
  expect((await bed.client(key).ask(question)).cached).toBe(cached);
});

test('the model sets the highest temperature that is treated as deterministic', async () => {
  for (const [temperature, cached] of [
    [0.5, true],
    [0.6, false],
  ] as const) {
    const question = { prompt: 'Ten', model: 'warm', body: { temperature } };
    await client.ask(question);
    expect((await client.ask(question)).cached).toBe(cached);
  }
});

describe('equal requests in different formats', () => {
  const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const limit = { generationConfig: { maxOutputTokens: 100 } };
  const user = (content: unknown) => ({ role: 'user', content });
  const asked = (parts: readonly unknown[]) => ({ contents: [{ role: 'user', parts }] });

  const SAME: Readonly<Record<string, Partial<Record<Format, object>>>> = {
    'instructions and turns': {
      chat: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          user('A'),
          { role: 'assistant', content: 'B' },
          user([{ type: 'text', text: 'C' }]),
        ],
      },
      responses: { instructions: 'Be brief.', input: [user('A'), { role: 'assistant', content: 'B' }, user('C')] },
      messages: {
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [user('A'), { role: 'assistant', content: 'B' }, user('C')],
      },
      gemini: {
        ...limit,
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [
          { role: 'user', parts: [{ text: 'A' }] },
          { role: 'model', parts: [{ text: 'B' }] },
          { role: 'user', parts: [{ text: 'C' }] },
        ],
      },
    },
    'a picture': {
      chat: {
        messages: [
          user([
            { type: 'text', text: 'What?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          ]),
        ],
      },
      responses: {
        input: [
          user([
            { type: 'input_text', text: 'What?' },
            { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
          ]),
        ],
      },
      messages: {
        messages: [
          user([
            { type: 'text', text: 'What?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          ]),
        ],
      },
      gemini: { ...limit, ...asked([{ text: 'What?' }, { inlineData: { mimeType: 'image/png', data: PNG } }]) },
    },
    'a tool and its result': {
      chat: {
        tools: [{ type: 'function', function: { name: 'weather', description: 'W', parameters: SCHEMA } }],
        messages: [
          user('Oslo?'),
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: 'call_1',
                type: 'function',
                function: { name: 'weather', arguments: '{ "days":1.0, "city": "Oslo" }' },
              },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'Snow.' },
        ],
      },
      responses: {
        tools: [{ type: 'function', name: 'weather', description: 'W', parameters: SCHEMA, strict: null }],
        input: [
          user('Oslo?'),
          {
            type: 'function_call',
            id: 'fc_1',
            call_id: 'call_2',
            name: 'weather',
            arguments: '{"city":"Oslo","days":1}',
          },
          { type: 'function_call_output', call_id: 'call_2', output: 'Snow.' },
        ],
      },
      messages: {
        tools: [{ name: 'weather', description: 'W', input_schema: SCHEMA }],
        messages: [
          user('Oslo?'),
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { days: 1, city: 'Oslo' } }],
          },
          user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Snow.' }] }]),
        ],
      },
    },
    'a schema with a name': {
      chat: { response_format: { type: 'json_schema', json_schema: { name: 'place', schema: SCHEMA, strict: true } } },
      responses: { text: { format: { type: 'json_schema', strict: true, name: 'place', schema: SCHEMA } } },
    },
    'a schema': {
      messages: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
      gemini: {
        generationConfig: { maxOutputTokens: 100, responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
      },
    },
    effort: { chat: { reasoning_effort: 'low' }, responses: { reasoning: { effort: 'low' } } },
    'no more than a prompt': { chat: {}, responses: {}, messages: {}, gemini: {} },
  };

  test.each(Object.entries(SAME))('%s: share one entry, whole and streamed', async (name, bodies) => {
    const ways = Object.entries(bodies).flatMap(([format, body]) =>
      [false, true].map((stream) => ({ format: format as Format, body: { ...body }, stream })),
    );
    // Each format and mode takes a turn as the one whose response is stored.
    for (const [index, first] of ways.entries()) {
      const model = 'other';
      const before = bed.upstream.received.length;
      const all = [first, ...ways.filter((way) => way !== first)];
      const answers: string[] = [];
      for (const [place, way] of all.entries()) {
        answers.push(
          await told({ ...way, model, prompt: `Eleven ${name}`, control: place === 0 ? 'no_cache' : 'default' }),
        );
      }
      const [made, ...again] = answers;
      expect([index, again]).toEqual([index, again.map(() => `(${made})`)]);
      expect(bed.upstream.received.length).toBe(before + 1);
    }
  });
});

describe('responses that are never cached', () => {
  const ways = FORMATS.filter((format) => format !== 'completions').flatMap((format) =>
    [false, true].map((stream) => [format, stream] as const),
  );

  test.each(['status-500', 'status-400', 'error-inside', 'filtered-here', 'refused-here', 'huge-here', 'empty-here'])(
    '%s',
    async (words) => {
      // A failure is retried, which takes time, so only two cases are tried.
      const asked = words.startsWith('status') ? ways.slice(0, 2) : ways;
      for (const [format, stream] of asked) {
        const question = { format, stream, prompt: `Twelve ${words} ${format}`, control: 'default' };
        const before = bed.upstream.count(words);
        await client.ask(question);
        const { cached } = await client.ask(question);
        expect([format, stream, cached]).toEqual([format, stream, false]);
        expect(bed.upstream.count(words)).toBeGreaterThan(before + 1);
      }
    },
  );

  test.each(['cut-here', 'fails-within'])('a stream that breaks off: %s', async (words) => {
    for (const [format] of ways) {
      const question = { format, stream: true, prompt: `Thirteen ${words} ${format}`, control: 'default' };
      await client.ask(question);
      expect((await client.ask(question)).cached).toBe(false);
    }
  });

  test('the response of a client that disconnected', async () => {
    for (const stream of [false, true]) {
      const prompt = `Fourteen hold-here ${stream}`;
      const leaving = new AbortController();
      const left = client.open({ prompt, stream, control: 'default', signal: leaving.signal }).catch(() => null);
      await until('the upstream request arrives', () => bed.upstream.count(prompt) === 1);
      const before = bed.upstream.left;
      leaving.abort();
      await left;
      await until('the gateway has disconnected, too', () => bed.upstream.left === before + 1);
      const again = client.ask({ prompt, stream, control: 'default' });
      await until('the second upstream request arrives', () => bed.upstream.count(prompt) === 2);
      bed.upstream.release();
      expect((await again).cached).toBe(false);
    }
  });
});

describe('concurrent equal requests', () => {
  const together = (count: number, question: Question, by = client) =>
    Promise.all(Array.from({ length: count }, () => by.ask(question)));
  const underWay = (count: number) =>
    until(`${count} requests are in flight`, async () => {
      const metrics = await metricsOf(bed.serving);
      return metrics.find(({ name }) => name === 'switchyard_requests_in_flight')?.value === count;
    });
  const letGo = (prompt: string) =>
    until('an upstream request arrives', () => bed.upstream.count(prompt) > 0).then(() => bed.upstream.release());

  test.each([
    ['by the header', false, 'main', 'default; coalesce'],
    ['by the header, streamed', true, 'main', 'coalesce=true'],
    ['by the policy', false, 'together', undefined],
    ['by the policy, streamed', true, 'together', undefined],
  ])('reach the upstream once: %s', async (name, stream, key, control) => {
    const prompt = `Fifteen hold-here ${name}`;
    const by = bed.client(key);
    const all = together(20, { prompt, stream, ...(control === undefined ? {} : { control }) }, by);
    await letGo(prompt);
    const answers = await all;
    expect(bed.upstream.count(prompt)).toBe(1);
    expect(answers.filter(({ cached }) => cached)).toHaveLength(19);
    expect(new Set(answers.map(({ said }) => said)).size).toBe(1);
  });

  test('each reach the upstream if they do not ask to wait', async () => {
    const prompt = 'Sixteen hold-here';
    const all = together(4, { prompt, control: 'coalesce=false' }, bed.client('together'));
    await until('all upstream requests arrive', () => bed.upstream.count(prompt) === 4);
    bed.upstream.release();
    expect((await all).map(({ cached }) => cached)).toEqual([false, false, false, false]);
  });

  test.each(['status-400', 'refused-here', 'filtered-here'])(
    'get their own responses if the first response cannot be cached: %s',
    async (words) => {
      const prompt = `Seventeen ${words}`;
      const answers = await together(12, { prompt, control: 'coalesce' });
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => (words === 'status-400' ? 400 : 200)));
      expect(bed.upstream.count(prompt)).toBe(12);
    },
  );

  test('get one response if the first client disconnects', async () => {
    const prompt = 'Eighteen hold-here';
    const leaving = new AbortController();
    const left = client.open({ prompt, control: 'coalesce', signal: leaving.signal }).catch(() => null);
    await until('the first upstream request arrives', () => bed.upstream.count(prompt) === 1);
    const others = together(8, { prompt, control: 'coalesce' });
    await underWay(9);
    leaving.abort();
    await left;
    await until('another upstream request arrives', () => bed.upstream.count(prompt) === 2);
    bed.upstream.release();
    const answers = await others;
    expect(answers.filter(({ cached }) => cached)).toHaveLength(7);
    expect(bed.upstream.count(prompt)).toBe(2);
  });

  test('a client that disconnects while it waits delays no other client', async () => {
    const prompt = 'Nineteen hold-here';
    const first = client.ask({ prompt, control: 'coalesce' });
    await until('the first upstream request arrives', () => bed.upstream.count(prompt) === 1);
    const leaving = new AbortController();
    const left = client.open({ prompt, control: 'coalesce', signal: leaving.signal }).catch(() => null);
    await underWay(2);
    leaving.abort();
    await left;
    bed.upstream.release();
    expect((await first).cached).toBe(false);
    expect((await client.ask({ prompt, control: 'coalesce' })).cached).toBe(true);
    expect(bed.upstream.count(prompt)).toBe(1);
  });
});

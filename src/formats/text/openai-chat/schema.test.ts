import { describe, expect, test } from 'bun:test';
import { validateChatRequest } from './schema.ts';

type Body = Record<string, unknown>;

const BASE: Body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] };

function check(fields: Body) {
  const failure = validateChatRequest({ ...BASE, ...fields });
  return failure === null ? null : { code: failure.code, param: failure.details.param, message: failure.message };
}

function accepts(field: string, ...values: unknown[]) {
  const refused = values.flatMap((value) => check({ [field]: value })?.message ?? []);
  expect(refused).toEqual([]);
}

function refuses(field: string, code: string, ...values: unknown[]) {
  for (const value of values) {
    const found = check({ [field]: value });
    expect(`${JSON.stringify(value)}: ${found?.code} at ${found?.param}`).toBe(
      `${JSON.stringify(value)}: ${code} at ${field}`,
    );
    expect(found?.message.startsWith(field)).toBe(true);
  }
}

/** Returns the one wrong field of a single message, relative to that message. */
function checkMessage(message: unknown) {
  const found = check({ messages: [message] });
  return found === null ? null : `${found.param?.replace('messages[0]', '')} ${found.code}`;
}

const NOT_A_STRING = [1, true, [], {}];
const NOT_A_NUMBER = ['1', true, [], {}];
const NOT_A_BOOLEAN = ['true', 1, 0, [], {}];
const NOT_AN_OBJECT = ['{}', 1, true, []];

function boundedNumber(field: string, minimum: number, maximum: number) {
  accepts(field, minimum, maximum, (minimum + maximum) / 2, minimum + 0.25, null);
  refuses(field, 'invalid_value', minimum - 0.01, maximum + 0.01, -1e308, 1e308);
  refuses(field, 'invalid_type', ...NOT_A_NUMBER, Number.POSITIVE_INFINITY);
}

function boundedInteger(field: string, minimum: number, maximum: number | null) {
  accepts(field, minimum, minimum + 1, maximum ?? 2 ** 40, null);
  refuses(field, 'invalid_value', minimum - 1, ...(maximum === null ? [] : [maximum + 1]));
  refuses(field, 'invalid_type', minimum + 0.5, ...NOT_A_NUMBER);
}

describe("the contract's table of POST /v1/chat/completions", () => {
  test('model: string, required', () => {
    accepts('model', 'gpt-4o', 'openai/gpt-4o', 'm');
    refuses('model', 'missing_required_parameter', undefined);
    refuses('model', 'invalid_type', null, ...NOT_A_STRING);
    refuses('model', 'invalid_value', '');
  });

  test('messages: array of {role, content}, required', () => {
    refuses('messages', 'missing_required_parameter', undefined);
    refuses('messages', 'invalid_type', null, 'Hi', 1, {});
    refuses('messages', 'invalid_value', []);
    for (const item of ['Hi', 1, null, []]) expect(checkMessage(item)).toBe(' invalid_type');
  });

  test('messages: role in system, user, assistant, and what SDKs send: developer, tool, function', () => {
    for (const role of ['system', 'user', 'assistant', 'developer', 'tool', 'function']) {
      expect(checkMessage({ role, content: 'Hi', tool_call_id: 'call_1', name: 'f' })).toBeNull();
    }
    expect(checkMessage({ content: 'Hi' })).toBe('.role missing_required_parameter');
    expect(checkMessage({ role: 'robot', content: 'Hi' })).toBe('.role invalid_value');
    expect(checkMessage({ role: 1, content: 'Hi' })).toBe('.role invalid_type');
  });

  test("messages: content is a string or an array of blocks; an assistant's may be missing, a user's and a tool's null", () => {
    for (const content of ['', 'Hi', [], [{ type: 'text', text: '' }]]) {
      expect(checkMessage({ role: 'user', content })).toBeNull();
    }
    for (const content of [1, true, {}]) expect(checkMessage({ role: 'user', content })).toBe('.content invalid_type');
    for (const role of ['system', 'user', 'developer', 'tool']) {
      expect(checkMessage({ role, tool_call_id: 'c' })).toBe('.content missing_required_parameter');
    }
    for (const role of ['system', 'developer']) {
      expect(checkMessage({ role, content: null })).toBe('.content invalid_type');
    }
    for (const role of ['user', 'tool']) expect(checkMessage({ role, content: null })).toBeNull();
    expect(checkMessage({ role: 'assistant', content: null })).toBeNull();
    expect(checkMessage({ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f' } }] })).toBeNull();
    expect(checkMessage({ role: 'assistant', content: 1 })).toBe('.content invalid_type');
  });

  test('messages: tool_calls and tool_call_id', () => {
    expect(checkMessage({ role: 'assistant', tool_calls: null })).toBeNull();
    expect(checkMessage({ role: 'assistant', tool_calls: {} })).toBe('.tool_calls invalid_type');
    expect(checkMessage({ role: 'assistant', tool_calls: ['c'] })).toBe('.tool_calls[0] invalid_type');
    expect(checkMessage({ role: 'assistant', tool_calls: [{ function: { name: 1 } }] })).toBe(
      '.tool_calls[0].function.name invalid_type',
    );
    expect(checkMessage({ role: 'assistant', tool_calls: [{ type: 'custom', custom: { name: 'f' } }] })).toBeNull();
    expect(checkMessage({ role: 'tool', content: 'x', tool_call_id: 1 })).toBe('.tool_call_id invalid_type');
  });

  test('temperature: number, 0 to 2', () => boundedNumber('temperature', 0, 2));
  test('max_tokens: integer', () => boundedInteger('max_tokens', 1, null));
  test('max_completion_tokens: integer', () => boundedInteger('max_completion_tokens', 1, null));
  test('stream: boolean', () => {
    accepts('stream', true, false, null);
    refuses('stream', 'invalid_type', ...NOT_A_BOOLEAN);
  });
  test('stream_options: object with include_usage', () => {
    accepts('stream_options', {}, { include_usage: true }, { include_usage: null }, { other: 1 }, null);
    refuses('stream_options', 'invalid_type', ...NOT_AN_OBJECT);
    expect(check({ stream_options: { include_usage: 'yes' } })).toMatchObject({
      code: 'invalid_type',
      param: 'stream_options.include_usage',
    });
  });
  test('top_p: number, 0 to 1', () => boundedNumber('top_p', 0, 1));
  test('top_k: integer', () => {
    accepts('top_k', -1, 0, 40, null);
    refuses('top_k', 'invalid_type', 0.5, ...NOT_A_NUMBER);
  });
  test('frequency_penalty: number, -2 to 2', () => boundedNumber('frequency_penalty', -2, 2));
  test('presence_penalty: number, -2 to 2', () => boundedNumber('presence_penalty', -2, 2));
  test('stop: string or array of up to 4 sequences', () => {
    accepts('stop', '', '\n', [], ['a'], ['a', 'b', 'c', 'd'], null);
    refuses('stop', 'invalid_value', ['a', 'b', 'c', 'd', 'e']);
    refuses('stop', 'invalid_type', 1, true, {});
    expect(check({ stop: ['a', 1] })).toMatchObject({ code: 'invalid_type', param: 'stop[1]' });
    expect(check({ stop: [null] })).toMatchObject({ code: 'invalid_type', param: 'stop[0]' });
  });
  test('tools: array, each with a type; a function has a name', () => {
    accepts('tools', [], null, [{ type: 'function', function: { name: 'f', parameters: {} } }], [{ type: 'custom' }]);
    refuses('tools', 'invalid_type', {}, 'f', 1);
    const wrong: [unknown, string, string][] = [
      ['f', 'tools[0]', 'invalid_type'],
      [null, 'tools[0]', 'invalid_type'],
      [{}, 'tools[0].type', 'missing_required_parameter'],
      [{ type: 1 }, 'tools[0].type', 'invalid_type'],
      [{ type: 'function' }, 'tools[0].function', 'missing_required_parameter'],
      [{ type: 'function', function: 'f' }, 'tools[0].function', 'invalid_type'],
      [{ type: 'function', function: {} }, 'tools[0].function.name', 'missing_required_parameter'],
      [{ type: 'function', function: { name: '' } }, 'tools[0].function.name', 'invalid_value'],
      [{ type: 'function', function: { name: 1 } }, 'tools[0].function.name', 'invalid_type'],
    ];
    for (const [tool, param, code] of wrong) expect(check({ tools: [tool] })).toMatchObject({ param, code });
  });
  test('tool_choice: auto, none, required, or a specific tool object', () => {
    accepts('tool_choice', 'auto', 'none', 'required', 'any', { type: 'function', function: { name: 'f' } }, null);
    refuses('tool_choice', 'invalid_value', 'always', '');
    refuses('tool_choice', 'invalid_type', 1, true, []);
    expect(check({ tool_choice: {} })).toMatchObject({ code: 'missing_required_parameter', param: 'tool_choice.type' });
  });
  test('parallel_tool_calls: boolean', () => {
    accepts('parallel_tool_calls', true, false, null);
    refuses('parallel_tool_calls', 'invalid_type', ...NOT_A_BOOLEAN);
  });
  test('tools and choices in the form of other APIs and older clients', () => {
    accepts('tools', [{ function: { name: 'f' } }], [{ type: 'function', name: 'f', parameters: {} }]);
    accepts('tool_choice', { function: { name: 'f' } }, { type: 'function', name: 'f' }, { type: 'tool', name: 'f' });
    accepts(
      'response_format',
      { type: 'json_schema', schema: {} },
      { type: 'regex', pattern: 'a' },
      { type: 'grammar' },
      { type: 'python' },
    );
  });

  test('reasoning_effort: low, medium, high, and what SDKs send: none, minimal, xhigh, max, default', () => {
    accepts('reasoning_effort', 'low', 'medium', 'high', 'none', 'minimal', 'xhigh', 'max', 'default', null);
    refuses('reasoning_effort', 'invalid_value', 'extreme', 'LOW', '');
    refuses('reasoning_effort', 'invalid_type', ...NOT_A_STRING);
  });
  test('seed: integer', () => {
    accepts('seed', -1, 0, 42, 2 ** 63, null);
    refuses('seed', 'invalid_type', 1.5, ...NOT_A_NUMBER);
  });
  test('n: integer, 1 to 128', () => boundedInteger('n', 1, 128));
  test('logprobs: boolean', () => {
    accepts('logprobs', true, false, null);
    refuses('logprobs', 'invalid_type', ...NOT_A_BOOLEAN);
  });
  test('top_logprobs: integer, 0 to 20', () => {
    for (const top_logprobs of [0, 20]) expect(check({ logprobs: true, top_logprobs })).toBeNull();
    for (const top_logprobs of [-1, 21]) {
      expect(check({ logprobs: true, top_logprobs })).toMatchObject({ code: 'invalid_value', param: 'top_logprobs' });
    }
    refuses('top_logprobs', 'invalid_type', 0.5, ...NOT_A_NUMBER);
  });
  test('top_logprobs: requires logprobs: true', () => {
    accepts('top_logprobs', null);
    refuses('top_logprobs', 'invalid_value', 0, 5);
    expect(check({ top_logprobs: 5, logprobs: false })?.message).toBe('top_logprobs requires logprobs: true');
  });
  test('response_format: text, json_object, or json_schema with its schema', () => {
    const json_schema = { name: 'answer', schema: {} };
    accepts('response_format', { type: 'text' }, { type: 'json_object', schema: {} }, null);
    accepts('response_format', { type: 'json_schema', json_schema });
    refuses('response_format', 'invalid_type', ...NOT_AN_OBJECT);
    const wrong: [unknown, string, string][] = [
      [{}, 'response_format.type', 'missing_required_parameter'],
      [{ type: 'xml' }, 'response_format.type', 'invalid_value'],
      [{ type: 'json_schema' }, 'response_format.json_schema', 'missing_required_parameter'],
      [{ type: 'json_schema', json_schema: '{}' }, 'response_format.json_schema', 'invalid_type'],
    ];
    for (const [response_format, param, code] of wrong)
      expect(check({ response_format })).toMatchObject({ param, code });
  });
  test('logit_bias: object of token id to -100..100', () => {
    accepts('logit_bias', {}, { '50256': -100, '1': 100, '2': 0.5 }, null);
    refuses('logit_bias', 'invalid_type', ...NOT_AN_OBJECT);
    for (const bias of [-100.01, 101]) {
      expect(check({ logit_bias: { a: 1, '50256': bias } })).toMatchObject({
        code: 'invalid_value',
        param: 'logit_bias["50256"]',
      });
    }
    expect(check({ logit_bias: { a: '1' } })).toMatchObject({ code: 'invalid_type', param: 'logit_bias.a' });
    expect(check({ logit_bias: { a: null } })).toMatchObject({ code: 'invalid_type', param: 'logit_bias.a' });
  });
  test('user: string', () => {
    accepts('user', '', 'u-1', null);
    refuses('user', 'invalid_type', ...NOT_A_STRING);
  });
  test('cache_control: type, and max_age up to 86400 seconds', () => {
    for (const type of ['default', 'no_cache', 'no_store', 'response_only', 'semantic_only', 'ephemeral']) {
      accepts('cache_control', { type });
    }
    accepts('cache_control', {}, { max_age: 0 }, { max_age: 86_400 }, { type: null, max_age: null }, null);
    refuses('cache_control', 'invalid_type', ...NOT_AN_OBJECT);
    const wrong: [unknown, string, string][] = [
      [{ type: 'forever' }, 'cache_control.type', 'invalid_value'],
      [{ type: 1 }, 'cache_control.type', 'invalid_type'],
      [{ max_age: -1 }, 'cache_control.max_age', 'invalid_value'],
      [{ max_age: 86_401 }, 'cache_control.max_age', 'invalid_value'],
      [{ max_age: 0.5 }, 'cache_control.max_age', 'invalid_type'],
      [{ max_age: '60' }, 'cache_control.max_age', 'invalid_type'],
    ];
    for (const [cache_control, param, code] of wrong) expect(check({ cache_control })).toMatchObject({ param, code });
  });
});

describe('content blocks', () => {
  const url = 'https://example.com/a.png';
  const right: Body[] = [
    { type: 'text', text: '' },
    { type: 'image_url', image_url: { url, detail: 'low' } },
    { type: 'image_url', image_url: url },
    { type: 'video_url', video_url: { url } },
    { type: 'audio_url', audio_url: { url } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'input_audio', input_audio: 'AAAA' },
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'refusal', refusal: 'No.' },
    { type: 'document_url', document_url: url },
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
    { type: 'reference', reference_ids: [1] },
  ];
  for (const block of right) {
    test(`accepts ${JSON.stringify(block)}`, () => expect(checkMessage({ role: 'user', content: [block] })).toBeNull());
  }

  const wrong: [unknown, string][] = [
    ['Hi', ' invalid_type'],
    [null, ' invalid_type'],
    [{}, '.type missing_required_parameter'],
    [{ type: 1 }, '.type invalid_type'],
    [{ type: 'hologram' }, '.type invalid_value'],
    [{ type: 'text' }, '.text missing_required_parameter'],
    [{ type: 'text', text: null }, '.text invalid_type'],
    [{ type: 'text', text: ['Hi'] }, '.text invalid_type'],
    [{ type: 'image_url' }, '.image_url missing_required_parameter'],
    [{ type: 'image_url', image_url: 5 }, '.image_url invalid_type'],
    [{ type: 'image_url', image_url: {} }, '.image_url.url missing_required_parameter'],
    [{ type: 'video_url', video_url: url }, '.video_url invalid_type'],
    [{ type: 'audio_url', audio_url: { url: 5 } }, '.audio_url.url invalid_type'],
    [{ type: 'input_audio' }, '.input_audio missing_required_parameter'],
    [{ type: 'file', file: 'x' }, '.file invalid_type'],
  ];
  for (const [block, finding] of wrong) {
    test(`refuses ${JSON.stringify(block)} at ${finding}`, () => {
      const content = [{ type: 'text', text: 'Hi' }, block];
      expect(checkMessage({ role: 'user', content })).toBe(`.content[1]${finding}`);
    });
  }
});

describe('a refusal', () => {
  test('names the field, the allowed values, and the value sent', () => {
    const messages = [{ role: 'user', content: [{ type: 'hologram' }] }];
    expect(check({ messages })?.message).toBe(
      'messages[0].content[0].type must be one of "text", "image_url", "video_url", "audio_url", "input_audio", "file", ' +
        '"file_url", "refusal", "document_url", "thinking", "reference", "redacted_thinking", "input_text", "output_text", ' +
        '"input_image", "input_file", "input_video", "image", "video", "document"; got "hologram"',
    );
    expect(check({ temperature: 3 })?.message).toBe('temperature must be a number from 0 to 2; got 3');
    expect(check({ model: undefined })?.message).toBe('model is required and must be a non-empty string');
  });

  test('of a body that is not an object has no param', () => {
    for (const body of [null, [], 'x', 5]) {
      const failure = validateChatRequest(body);
      expect(failure?.code).toBe('invalid_type');
      expect(failure?.details.param).toBeUndefined();
    }
  });

  test('is always a 400 of type invalid_request_error without a retry', () => {
    for (const body of [[], {}, { ...BASE, n: 0 }, { ...BASE, stream: 'yes' }]) {
      expect(validateChatRequest(body)).toMatchObject({
        status: 400,
        type: 'invalid_request_error',
        side: 'client',
        retry: 'never',
      });
    }
  });

  test('of several invalid fields names the first in the table', () => {
    expect(check({ model: 1, messages: 1, temperature: 9 })?.param).toBe('model');
    expect(check({ cache_control: 1, temperature: 9, messages: [{ role: 'user' }] })?.param).toBe(
      'messages[0].content',
    );
    expect(check({ user: 5, top_logprobs: 3 })?.param).toBe('top_logprobs');
    expect(check({ temperature: 9, top_logprobs: 3 })?.param).toBe('temperature');
  });

  test('has long values and keys cut', () => {
    const long = 'x'.repeat(5_000);
    for (const fields of [{ reasoning_effort: long }, { logit_bias: { [long]: 'x' } }, { stop: { long } }]) {
      expect(check(fields)?.message.length).toBeLessThan(300);
    }
  });
});

test('unknown fields pass at every depth', () => {
  const extra = { x_new: { deep: [1, null] } };
  const body = {
    ...BASE,
    ...extra,
    messages: [
      {
        role: 'user',
        ...extra,
        content: [{ type: 'text', text: 'Hi', ...extra, cache_control: { type: 'ephemeral' } }],
      },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example', ...extra }, ...extra }] },
      { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}', ...extra }, ...extra }] },
    ],
    stream_options: { include_usage: true, ...extra },
    tools: [{ type: 'function', function: { name: 'f', ...extra }, ...extra }],
    tool_choice: { type: 'function', ...extra },
    response_format: { type: 'json_schema', json_schema: { name: 'n', ...extra }, ...extra },
    cache_control: { type: 'default', ...extra },
  };
  const before = structuredClone(body);
  expect(validateChatRequest(body)).toBeNull();
  expect(body).toEqual(before);
});

/** Returns the same value, with a count of how often its members are read. */
function counted<Value extends object>(value: Value): { readonly value: Value; readonly reads: () => number } {
  let reads = 0;
  const get = (target: Value, name: PropertyKey): unknown => {
    reads++;
    return Reflect.get(target, name);
  };
  return { value: new Proxy(value, { get }), reads: () => reads };
}

describe('an expensive body is read only up to the first invalid member', () => {
  const many = 300_000;
  const floods: Record<string, readonly [object, (flood: object) => Body]> = {
    messages: [new Array(many).fill(0), (messages) => ({ messages })],
    'content blocks': [
      new Array(many).fill({ type: 'hologram' }),
      (content) => ({ messages: [{ role: 'user', content }] }),
    ],
    tools: [new Array(many).fill({}), (tools) => ({ tools })],
    stop: [new Array(many).fill(1), (stop) => ({ stop })],
    logit_bias: [
      Object.fromEntries(Array.from({ length: many }, (_, id) => [id, 'x'])),
      (logit_bias) => ({ logit_bias }),
    ],
  };
  test.each(Object.entries(floods))(`of ${many} wrong %s`, (_, [flood, bodyWith]) => {
    const { value, reads } = counted(flood);
    expect(check(bodyWith(value))).not.toBeNull();
    expect(reads()).toBeLessThan(100);
  });
});

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { TUNING } from '../../domain/exchange/features.ts';
import type { Feature } from '../../domain/exchange/loss.ts';
import { clientFormats } from '../../formats/index.ts';
import { applyEdits } from '../../formats/shared/json/json-patch.ts';
import type { ParsedRequest } from '../../formats/text/client-request.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { providers } from '../../providers/index.ts';
import { geminiQuirks } from '../../providers/vertex/quirks.ts';
import { losesMembers, memberEdits, memberLosses, relayMembers } from './relay-members.ts';

const members = relayMembers([
  { kind: 'rename', from: 'seed', to: 'random_seed', isRefused: true, why: 'it is called so' },
  { kind: 'omit', field: 'stream_options', isServed: true, why: 'it is refused' },
  { kind: 'omit', field: 'a', isServed: true, why: 'it is refused, too' },
  { kind: 'omit', field: 'wrapper', why: 'it is not there' },
])!;

function patched(text: string): string {
  const request = { body: JSON.parse(text) } as ParsedRequest;
  return new TextDecoder().decode(
    applyEdits(new TextEncoder().encode(text), memberEdits(new TextEncoder().encode(text), request, members)),
  );
}

test('a member is renamed, and another is removed', () => {
  expect(patched('{ "model":"m", "seed" : 7, "stream_options":{} , "b":1.0}')).toBe(
    '{ "model":"m", "random_seed" : 7 , "b":1.0}',
  );
  expect(patched('{"model":"m","stream_options":{}}')).toBe('{"model":"m"}');
  expect(patched('{"model":"m","random_seed":1,"seed":2}')).toBe('{"model":"m","random_seed":1}');
});

test('the rest is unchanged, whatever surrounds the edited members', () => {
  const rest = fc.uniqueArray(
    fc.tuple(fc.constantFrom('seed', 'stream_options', 'a', 'b', 'messages'), fc.json({ maxDepth: 1 })),
    { selector: ([name]) => name },
  );
  fc.assert(
    fc.property(rest, fc.nat({ max: 5 }), fc.constantFrom('', ' ', '\n'), (list, at, space) => {
      const all: [string, string][] = [...list];
      all.splice(at, 0, ['model', '"m"']);
      const text = `{${all.map(([name, json]) => `${space}"${name}":${json}${space}`).join(',')}}`;
      const expected: Record<string, unknown> = {};
      for (const [name, json] of all) {
        if (name !== 'stream_options' && name !== 'a')
          expected[name === 'seed' ? 'random_seed' : name] = JSON.parse(json);
      }
      expect(JSON.parse(patched(text))).toEqual(expected);
    }),
  );
});

test('a deprecated name is not replaced', () => {
  expect(relayMembers([{ kind: 'rename', from: 'a', to: 'b', why: 'x' }])).toBeNull();
});

test('a provider without such differences needs no edits', () => {
  expect(relayMembers([{ kind: 'lacks', feature: 'top-k', verdict: 'dropped', why: 'x' }])).toBeNull();
});

test.each<[body: Record<string, unknown>, loses: boolean]>([
  [{ stream_options: { include_usage: true }, seed: 1 }, false],
  [{ wrapper: {} }, true],
  [{ seed: 1, random_seed: 1 }, false],
  [{ seed: 1, random_seed: 2 }, true],
  [{}, false],
])('members that a relay would silently lose are detected: %j', (body, loses) => {
  expect(losesMembers(body, members)).toBe(loses);
  expect(losesMembers(body, null)).toBe(false);
});

test('a token count that wraps its request is not relayed to Vertex AI, which would get an empty body', () => {
  const vertex = relayMembers(geminiQuirks);
  for (const wrapper of ['generateContentRequest', 'generate_content_request']) {
    expect(losesMembers({ [wrapper]: { contents: [] } }, vertex)).toBe(true);
  }
  expect(losesMembers({ contents: [] }, vertex)).toBe(false);
});

test('a member that the provider requires is added unless the body has it or its alternative', () => {
  const setting = relayMembers([
    { kind: 'set', field: 'reasoning_format', value: 'parsed', unless: 'include_reasoning', why: 'it must be there' },
    { kind: 'omit', field: 'b', isServed: true, why: 'it is refused' },
  ])!;
  const sent = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    const edits = memberEdits(bytes, { body: JSON.parse(text) } as ParsedRequest, setting);
    return new TextDecoder().decode(applyEdits(bytes, edits));
  };
  expect(sent('{"model":"m","b":1}')).toBe('{"model":"m","reasoning_format":"parsed"}');
  expect(sent('{"model":"m","reasoning_format":"raw"}')).toBe('{"model":"m","reasoning_format":"raw"}');
  expect(sent('{"include_reasoning":true}')).toBe('{"include_reasoning":true}');
});

describe('members that a model lacks', () => {
  const fields = openaiChat.fields;
  const why = 'The reference has no such parameter.';
  const lack = { kind: 'lacks', verdict: 'dropped', why } as const;
  const lacking = relayMembers(
    [
      { ...lack, feature: 'logprobs' },
      { ...lack, feature: 'seed' },
      { kind: 'has', feature: 'seed', why },
      { ...lack, feature: 'temperature', while: 'when-told-to' },
      { ...lack, feature: 'reasoning-effort' },
    ],
    fields,
  )!;

  test('are removed under all their names, and reported unless they have no effect', () => {
    const body = { logprobs: true, top_logprobs: 0, seed: 7, n: 1 };
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const edits = memberEdits(bytes, { body } as unknown as ParsedRequest, lacking);
    expect(JSON.parse(new TextDecoder().decode(applyEdits(bytes, edits)))).toEqual({ seed: 7, n: 1 });
    expect(memberLosses(body, lacking)).toEqual([{ field: 'logprobs', verdict: 'dropped', why }]);
  });

  test.each([
    [{ temperature: 0 }, []],
    [{ temperature: 0, reasoning_effort: 'none' }, []],
    [{ temperature: 0, reasoning_effort: 'low' }, ['temperature']],
    [{ temperature: 0, reasoning: { effort: 'low' } }, ['temperature']],
    [{ temperature: 1, reasoning_effort: 'low' }, []],
  ])('are lost only while the model reasons: %j', (body, lost) => {
    expect(memberLosses(body, lacking).map(({ field }) => field)).toEqual(lost);
  });

  test('are the same in both lanes, for every provider and client format', () => {
    for (const { name, formats } of providers.values()) {
      for (const { format, quirks = [] } of formats) {
        const client = clientFormats.get(format);
        if (client === undefined) continue;
        const dropped = new Set<string>();
        for (const quirk of quirks) {
          if (quirk.kind === 'has') dropped.delete(quirk.feature);
          else if (quirk.kind === 'lacks' && quirk.verdict === 'dropped') dropped.add(quirk.feature);
        }
        const asked = new Set<unknown>(
          Object.entries(client.fields).flatMap(([path, of]) => (/\W/.test(path) ? [] : [of])),
        );
        const expected = [...dropped].filter((feature) => asked.has(feature) && TUNING.has(feature as Feature));
        const found = [...(relayMembers(quirks, client.fields)?.lacks.values() ?? [])].map(({ feature }) => feature);
        expect({ name, format, features: [...new Set<string>(found)].toSorted() }).toEqual({
          ...{ name, format, features: expected.toSorted() },
        });
      }
    }
  });
});

const USER = { role: 'user', content: 'Hi' };
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const seen = (url: string) => ({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] });

describe('a body that the provider refuses unless it is translated', () => {
  const breaks = (provider: string, format: string, model: string, body: object): boolean => {
    const provided = providers.get(provider)?.formats.find((one) => one.format === format);
    const quirks = (provided?.quirks ?? []).filter(
      ({ models, isGuess }) => isGuess !== true && (models === undefined || models.test(model)),
    );
    return clientFormats.get(format)?.relayBreach?.(quirks)?.({ ...body }) ?? false;
  };

  test.each<[provider: string, model: string, body: object, expected: boolean]>([
    ['mistral', 'mistral-large-latest', { messages: [USER] }, false],
    [
      'mistral',
      'mistral-large-latest',
      { messages: [USER, { role: 'assistant', tool_calls: [call('call_1')] }] },
      true,
    ],
    [
      'mistral',
      'mistral-large-latest',
      { messages: [USER, { role: 'assistant', tool_calls: [call('abcdefghi')] }] },
      false,
    ],
    ['mistral', 'mistral-large-latest', { messages: [{ ...USER, name: 'ann' }] }, true],
    ['deepseek', 'deepseek-chat', { messages: [{ role: 'developer', content: 'Be brief.' }, USER] }, true],
    ['groq', 'openai/gpt-oss-120b', { messages: [USER], reasoning_effort: 'xhigh' }, true],
    ['groq', 'openai/gpt-oss-120b', { messages: [USER], reasoning_effort: 'high' }, false],
    ['ollama', 'llama3.2', { messages: [seen('https://a.example/cat.png')] }, true],
    ['ollama', 'llama3.2', { messages: [seen('data:image/png;base64,iVBORw0KGgo=')] }, false],
    ['openai', 'gpt-5.4', { messages: [USER], tools: [{ type: 'function' }], reasoning_effort: 'low' }, true],
    ['openai', 'gpt-5.4', { messages: [USER], tools: [{ type: 'function' }] }, false],
    ['openai', 'gpt-5.6', { messages: [USER], tools: [{ type: 'function' }] }, true],
    ['openai', 'gpt-4o', { messages: [USER], reasoning_effort: 'low' }, true],
    ['openai', 'gpt-5.1', { messages: [USER], reasoning_effort: null }, true],
    ['openai-compatible', 'llama', { messages: [{ role: 'developer', content: 'Be brief.' }, USER] }, false],
  ])('of chat completions at %s for %s: %j', (provider, model, body, expected) => {
    expect(breaks(provider, 'openai-chat', model, body)).toBe(expected);
  });

  test.each<[model: string, body: object, expected: boolean]>([
    ['gpt-4o', { input: 'Hi', include: ['reasoning.encrypted_content'] }, true],
    ['gpt-4o', { input: [{ type: 'reasoning', summary: [] }] }, true],
    ['gpt-4o', { input: 'Hi', text: { verbosity: 'low' } }, true],
    ['gpt-4o', { input: 'Hi', text: { verbosity: 'medium' }, reasoning: null }, false],
    ['gpt-5', { input: 'Hi', include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } }, false],
    ['o4-mini', { input: 'Hi', reasoning: { effort: 'minimal' } }, true],
    ['gpt-5', { input: 'Hi', include: ['message.output_text.logprobs'] }, true],
    ['gpt-5.1', { input: 'Hi', include: ['message.output_text.logprobs'] }, false],
  ])('of Responses at OpenAI for %s: %j', (model, body, expected) => {
    expect(breaks('openai', 'openai-responses', model, body)).toBe(expected);
  });

  test('of Messages and of Gemini, if a cloud lacks a feature of the maker', () => {
    const image = (source: object) => ({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
    const byUrl = image({ type: 'url', url: 'https://a.example/cat.png' });
    for (const provider of ['bedrock', 'vertex']) {
      expect(breaks(provider, 'anthropic-messages', 'claude-sonnet-4-6', byUrl)).toBe(true);
      expect(breaks(provider, 'anthropic-messages', 'claude-sonnet-4-6', image({ type: 'base64' }))).toBe(false);
    }
    expect(breaks('anthropic', 'anthropic-messages', 'claude-sonnet-4-6', byUrl)).toBe(false);
    const named = { contents: [{ role: 'model', parts: [{ functionCall: { id: '1', name: 'f', args: {} } }] }] };
    const gemini = providers.get('vertex')?.formats.find(({ format }) => format === 'gemini')?.quirks ?? [];
    const omitsIds = gemini.some((quirk) => quirk.kind === 'omit' && quirk.field === 'functionCall.id');
    expect(breaks('vertex', 'gemini', 'gemini-3.6-flash', named)).toBe(omitsIds);
    expect(breaks('google', 'gemini', 'gemini-3.6-flash', named)).toBe(false);
  });
});

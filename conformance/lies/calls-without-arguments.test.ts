import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import { eventsOf, FORMATS, type LieBed, type LieFormat, startLieBed } from './bed.ts';
import { CALLS } from './calls.ts';

/* The SDKs' tool runners parse the arguments of every call, so a call without arguments must have an empty object in every format. */

type Json = Readonly<Record<string, unknown>>;

let bed: LieBed;

beforeAll(async () => {
  bed = await startLieBed();
});
afterAll(async () => {
  await bed?.stop();
});

const TOOLS: Readonly<Record<string, object>> = {
  'openai-chat': { tools: [{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }] },
  'openai-responses': { tools: [{ type: 'function', name: 'now', parameters: { type: 'object' } }] },
  'anthropic-messages': { tools: [{ name: 'now', input_schema: { type: 'object' } }] },
  gemini: { tools: [{ functionDeclarations: [{ name: 'now' }] }] },
};

describe.each(FORMATS)('a client of %s', (client) => {
  test('gets an empty object as the arguments of a call without any', async () => {
    const asked = CALLS.flatMap(({ name, wire, whole, frames }) =>
      [false, true].map(async (stream) => {
        const first = stream ? { frames } : { body: whole };
        const { status, text } = await bed.ask({ client, wire, stream, first, extra: TOOLS[client] ?? {} });
        const called = stream ? streamedCall(client, eventsOf(text)) : wholeCall(client, asObject(parseJson(text)));
        return { name, wire, stream, status, called };
      }),
    );
    const expected = CALLS.flatMap(({ name, wire }) =>
      [false, true].map((stream) => ({ name, wire, stream, status: 200, called: { name: 'now', arguments: {} } })),
    );
    expect(await Promise.all(asked)).toEqual(expected);
  });
});

test('a truncated call gets no arguments, because a chat client would run it', async () => {
  const cutOff = (text: string) =>
    text
      .replace('"finish_reason":"tool_calls"', '"finish_reason":"length"')
      .replace('"stop_reason":"tool_use"', '"stop_reason":"max_tokens"');
  const cut = CALLS.flatMap(({ name, wire, whole, frames }) => {
    const all = frames.map(cutOff);
    return all.join() === frames.join()
      ? []
      : [{ name, wire, whole: parseJson(cutOff(JSON.stringify(whole))), frames: all }];
  });
  expect(cut.length).toBeGreaterThan(3);
  const asked = cut.flatMap(({ name, wire, whole, frames }) =>
    [false, true].map(async (stream) => {
      const first = stream ? { frames } : { body: asObject(whole) };
      const { text } = await bed.ask({ client: 'openai-chat', wire, stream, first, extra: TOOLS['openai-chat'] ?? {} });
      const isCalled = text.includes('"arguments":"{}"');
      // A whole Messages response has an object in any case.
      return { name, wire, stream, isCalled: wire === 'openai-chat' || stream ? isCalled : false };
    }),
  );
  expect((await Promise.all(asked)).filter(({ isCalled }) => isCalled)).toEqual([]);
});

interface Called {
  readonly name: unknown;
  /** Parsed as an SDK does; the text itself if it is not JSON. */
  readonly arguments: unknown;
}

const parsed = (text: unknown) => (typeof text === 'string' ? (parseJson(text) ?? text) : text);

function wholeCall(client: LieFormat, answer: Json): Called | null {
  switch (client) {
    case 'openai-chat': {
      const [choice] = asArray(answer.choices).map(asObject);
      const [call] = asArray(asObject(choice?.message).tool_calls).map(asObject);
      const { name, arguments: text } = asObject(call?.function);
      return { name, arguments: parsed(text) };
    }
    case 'openai-responses': {
      const call = asArray(answer.output)
        .map(asObject)
        .find(({ type }) => type === 'function_call');
      return call === undefined ? null : { name: call.name, arguments: parsed(call.arguments) };
    }
    case 'anthropic-messages': {
      const call = asArray(answer.content)
        .map(asObject)
        .find(({ type }) => type === 'tool_use');
      return call === undefined ? null : { name: call.name, arguments: call.input };
    }
    default: {
      const [candidate] = asArray(answer.candidates).map(asObject);
      const parts = asArray(asObject(candidate?.content).parts).map(asObject);
      const call = parts.map(({ functionCall }) => asObject(functionCall)).find(({ name }) => name !== undefined);
      // The official service also omits the arguments, and Google's SDKs handle that.
      return call === undefined ? null : { name: call.name, arguments: call.args ?? {} };
    }
  }
}

/** Returns the call as an SDK assembles it from the events. */
function streamedCall(client: LieFormat, events: readonly Json[]): Called | null {
  if (client === 'openai-chat') return chatCall(events);
  if (client === 'anthropic-messages') return messagesCall(events);
  const last = client === 'openai-responses' ? asObject(events.at(-1)?.response) : null;
  const done = events.findLast(({ type }) => type === 'response.function_call_arguments.done');
  if (last !== null && parsed(done?.arguments) !== undefined) {
    expect(done).toMatchObject({ arguments: '{}' });
    return wholeCall(client, last);
  }
  return events.map((event) => wholeCall(client, event)).find((call) => call !== null) ?? null;
}

function chatCall(events: readonly Json[]): Called {
  let name = '';
  let text = '';
  for (const { choices } of events) {
    for (const choice of asArray(choices).map(asObject)) {
      for (const call of asArray(asObject(choice.delta).tool_calls).map(asObject)) {
        const called = asObject(call.function);
        if (typeof called.name === 'string') name += called.name;
        if (typeof called.arguments === 'string') text += called.arguments;
      }
    }
  }
  return { name, arguments: parsed(text) };
}

function messagesCall(events: readonly Json[]): Called | null {
  const start = events.find(({ content_block }) => asObject(content_block).type === 'tool_use');
  const text = events.map(({ delta }) => asObject(delta).partial_json ?? '').join('');
  const { name, input } = asObject(start?.content_block);
  return start === undefined ? null : { name, arguments: text === '' ? input : parsed(text) };
}

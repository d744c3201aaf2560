import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { WIRES } from '../money/wire-answers.ts';
import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';
import { eventsOf, FORMATS, type LieBed, type LieFormat, startLieBed } from './bed.ts';
import { honestStream } from './wires.ts';

/* Upstreams that omit, or leave empty, what every client of their format needs in a response. */

type Json = Readonly<Record<string, unknown>>;

const ANSWER = { words: 3, usage: { input: 20, output: 3 } };
/** The members that upstreams omit, anywhere in a response or an event. */
const MEMBERS: Readonly<Record<(typeof FORMATS)[number], readonly string[]>> = {
  'openai-chat': ['id', 'object', 'created', 'model', 'index', 'finish_reason', 'role', 'delta'],
  'openai-responses': ['id', 'object', 'created_at', 'model', 'status', 'sequence_number'],
  'anthropic-messages': ['id', 'role', 'model', 'stop_reason', 'stop_sequence', 'usage'],
  gemini: ['index', 'finishReason', 'modelVersion', 'responseId', 'role'],
};

let bed: LieBed;

beforeAll(async () => {
  bed = await startLieBed();
});
afterAll(async () => {
  await bed?.stop();
});

const PAIRS = FORMATS.flatMap((client) => FORMATS.map((wire) => [client, wire] as const));

describe.each(PAIRS)('a client of %s over %s', (client, wire) => {
  // A stream without a finish reason has not ended, and only some formats have another mark.
  const inStreams = MEMBERS[wire].filter((name) => !['delta', 'finishReason', 'status'].includes(name));

  test('gets every required member of a whole response', async () => {
    const asked = MEMBERS[wire].flatMap((name) =>
      [undefined, null, ''].map(async (value) => {
        const body = withValue(WIRES[wire].whole(ANSWER), name, value);
        const { status, text } = await bed.ask({ client, wire, stream: false, first: { body: asObject(body) } });
        return { name, value, status, problems: wholeProblems(client, asObject(parseJson(text))) };
      }),
    );
    const expected = MEMBERS[wire].flatMap((name) =>
      [undefined, null, ''].map((value) => ({ name, value, status: 200, problems: [] })),
    );
    expect(await Promise.all(asked)).toEqual(expected);
  });

  test('gets every required member of a stream', async () => {
    const asked = inStreams.map(async (name) => {
      const frames = honestStream(wire, ANSWER).map((frame) => frameWithout(frame, name));
      const { status, text } = await bed.ask({ client, wire, stream: true, first: { frames } });
      return { name, status, problems: streamProblems(client, eventsOf(text)) };
    });
    expect(await Promise.all(asked)).toEqual(inStreams.map((name) => ({ name, status: 200, problems: [] })));
  });
});

/** Returns the value with every member of this name removed or replaced. Message content stays as it is. */
function withValue(value: unknown, name: string, instead: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withValue(item, name, instead));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, own]): (readonly [string, unknown])[] => {
    if (key !== name) return [[key, withValue(own, name, instead)]];
    return instead === undefined ? [] : [[key, instead]];
  });
  return Object.fromEntries(members);
}

function frameWithout(frame: string, name: string): string {
  return frame.replace(/\{.*\}/, (json) => JSON.stringify(withValue(parseJson(json), name, undefined)));
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';

function problemsOf(checks: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(checks).filter((name) => checks[name] === false);
}

function wholeProblems(format: LieFormat, answer: Json): string[] {
  switch (format) {
    case 'openai-chat': {
      const [choice = {}] = asArray(answer.choices).map(asObject);
      return problemsOf({
        ...{ id: isText(answer.id), object: answer.object === 'chat.completion', created: isCount(answer.created) },
        ...{ model: isText(answer.model), index: choice.index === 0, finish_reason: choice.finish_reason === 'stop' },
        role: asObject(choice.message).role === 'assistant',
      });
    }
    case 'openai-responses':
      return problemsOf({
        ...{ id: isText(answer.id), object: answer.object === 'response', created_at: isCount(answer.created_at) },
        created: answer.created === answer.created_at,
        ...{ model: isText(answer.model), status: answer.status === 'completed' },
      });
    case 'anthropic-messages':
      return problemsOf({
        ...{ id: isText(answer.id), type: answer.type === 'message', role: answer.role === 'assistant' },
        ...{ model: isText(answer.model), stop_reason: answer.stop_reason === 'end_turn' },
      });
    default: {
      const [candidate = {}] = asArray(answer.candidates).map(asObject);
      return problemsOf({ finishReason: candidate.finishReason === 'STOP' });
    }
  }
}

const isCount = (value: unknown) => typeof value === 'number' && value > 0;

function streamProblems(format: LieFormat, events: readonly Json[]): string[] {
  switch (format) {
    case 'openai-chat':
      return [...new Set(events.flatMap(chunkProblems))].concat(oneValue(events.map(({ id }) => id)));
    case 'openai-responses': {
      const responses = events.map(({ response }) => response).filter(isObject);
      const last = responses.at(-1) ?? {};
      const ids = responses.map(({ id }) => id);
      return [...wholeProblems(format, last), ...(ids.every(isText) ? oneValue(ids) : ['id'])];
    }
    case 'anthropic-messages': {
      const start = asObject(events.find(({ type }) => type === 'message_start')?.message);
      return problemsOf({
        ...{ id: isText(start.id), type: start.type === 'message', role: start.role === 'assistant' },
        ...{ model: isText(start.model), content: Array.isArray(start.content), usage: isObject(start.usage) },
        stop_reason: start.stop_reason === null,
      });
    }
    default:
      return wholeProblems(format, events.at(-1) ?? {});
  }
}

function chunkProblems(chunk: Json): string[] {
  const choices = asArray(chunk.choices).map(asObject);
  return problemsOf({
    ...{ id: isText(chunk.id), object: chunk.object === 'chat.completion.chunk', created: isCount(chunk.created) },
    ...{ model: isText(chunk.model), choices: Array.isArray(chunk.choices) },
    index: choices.every(({ index }) => index === 0),
    delta: choices.every(({ delta }) => isObject(delta)),
    finish_reason: choices.every((choice) => Object.hasOwn(choice, 'finish_reason')),
  });
}

function oneValue(values: readonly unknown[]): string[] {
  return new Set(values).size === 1 ? [] : ['one id'];
}

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../shared/until.ts';
import { ALL_FORMATS, costOf, eventsOf, FORMATS, type LieBed, type LieFormat, modelFor, startLieBed } from './bed.ts';
import { ERROR_EVENTS, honestFrames, honestStream } from './wires.ts';

/* Streams that open a response and fail before any content: another channel answers, or the request costs nothing (docs/routing.md). */

const USAGE = { input: 20, output: 3 };
const ANSWER = { words: 3, usage: USAGE };

let bed: LieBed;

beforeAll(async () => {
  bed = await startLieBed();
});
afterAll(async () => {
  await bed?.stop();
});

const ENDINGS: readonly (readonly [ending: string, frames: (wire: LieFormat) => readonly string[]])[] = [
  ['an error', (wire) => [ERROR_EVENTS[wire]]],
  ['the end of the stream', () => []],
];

const PAIRS = ALL_FORMATS.flatMap((client) =>
  (client === 'openai-completions' ? [client] : FORMATS).map((wire) => [client, wire] as const),
);

describe.each(PAIRS)('a client of %s over %s', (client, wire) => {
  const { head, word } = honestFrames(wire, ANSWER);
  const second = { frames: honestStream(wire, ANSWER) };
  const asked = { client, wire, stream: true };

  test.concurrent("gets the next channel's response if the first fails after its opening", async () => {
    const answers = ENDINGS.map(([ending, endingOf]) => {
      const first = { frames: [...head, ...endingOf(wire)] };
      return bed.ask({ ...asked, first, second }).then((answer) => ({ ending, ...answer }));
    });
    for (const { ending, status, text, row } of await Promise.all(answers)) {
      expect({ ending, status, words: text.split(' apple').length > USAGE.output }).toMatchObject({
        status: 200,
        words: true,
      });
      expect(row).toMatchObject({ channel_id: `second-${wire}`, failure_kind: null, usage_source: 'reported' });
      expect(row.cost_nano).toBe(costOf(20n, 3n));
    }
  });

  test.concurrent('pays nothing if the only channel fails after its opening', async () => {
    const answers = ENDINGS.map(([, endingOf]) =>
      bed.ask({ ...asked, first: { frames: [...head, ...endingOf(wire)] } }),
    );
    for (const { row } of await Promise.all(answers)) {
      expect(row).toMatchObject({ output_tokens: null, cost_nano: 0n });
      expect(row.failure_kind).not.toBeNull();
    }
  });

  test.concurrent('pays for the text before a failure', async () => {
    const { row } = await bed.ask({ ...asked, first: { frames: [...head, word, ERROR_EVENTS[wire]] }, second });
    expect(row).toMatchObject({ channel_id: `first-${wire}`, usage_source: 'estimated' });
    expect(row.output_tokens).toBeGreaterThan(0n);
  });
});

test("a client of Responses over WebSocket gets the next channel's response", async () => {
  const wire = 'openai-responses';
  const { head } = honestFrames(wire, ANSWER);
  const first = { frames: [...head, ERROR_EVENTS[wire]] };
  const input = bed.script({ first, second: { frames: honestStream(wire, ANSWER) } });
  const socket = new WebSocket(`${bed.serving.origin.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${bed.key}` },
  } as unknown as string[]); // Bun's own second argument.
  const events: string[] = [];
  socket.onmessage = ({ data }) => events.push(String(data));
  await until('the socket is open', () => socket.readyState === WebSocket.OPEN);
  socket.send(JSON.stringify({ type: 'response.create', model: modelFor(wire, true), input, store: false }));
  await until('the answer has ended', () => events.some((event) => /"type":"(response.completed|error)"/.test(event)));
  socket.close();
  const types = events.map((event) => eventsOf(`data: ${event}`)[0]?.type);
  expect(types.filter((type) => type === 'response.created')).toHaveLength(1);
  expect(types.at(-1)).toBe('response.completed');
});

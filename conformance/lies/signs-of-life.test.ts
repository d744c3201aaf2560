import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parseJson } from '../shared/json.ts';
import { ALL_FORMATS, costOf, FORMATS, type LieBed, startLieBed } from './bed.ts';
import { honestStream } from './wires.ts';

/* Upstreams that keep a stream open with data that is not an event of its format. */

const ANSWER = { words: 3, usage: { input: 20, output: 3 } };

const SIGNS = [
  'data:\n\n',
  'data: \n\n',
  'data: ping\n\n',
  'data: : keepalive\n\n',
  'data: keep-alive\r\n\r\n',
  'data: "ping"\n\n',
  'data: ping\ndata: pong\n\n',
  'event: ping\n\n',
  'event: ping\ndata:\n\n',
  'event: keepalive\ndata: keepalive\n\n',
  'id: 7\n\n',
  'retry: 3000\n\n',
  ': keepalive\n\n',
  ':\n\n',
  ': OPENROUTER PROCESSING\n: again\n\n',
];

const PAIRS = ALL_FORMATS.flatMap((client) =>
  (client === 'openai-completions' ? [client] : FORMATS).map((wire) => [client, wire] as const),
);

let bed: LieBed;

beforeAll(async () => {
  bed = await startLieBed();
});
afterAll(async () => {
  await bed?.stop();
});

describe.each(PAIRS)('a client of %s over %s', (client, wire) => {
  test('gets a stream in which its SDK can parse every event', async () => {
    const answers = SIGNS.map((sign) => {
      // Events with ids: OpenAI's Python SDK then treats each blank line as the end of an event.
      const events = honestStream(wire, ANSWER).map((event, index) => `id: ${index}\n${event}`);
      const frames = [sign, ...events.flatMap((event) => [event, sign])];
      return bed.ask({ client, wire, stream: true, first: { frames } }).then((answer) => ({ sign, ...answer }));
    });
    for (const { sign, status, text, row } of await Promise.all(answers)) {
      expect({ sign, status, problems: problemsOf(text) }).toEqual({ sign, status: 200, problems: [] });
      expect({ sign, failure: row.failure_kind, cost: row.cost_nano }).toEqual({
        ...{ sign, failure: null },
        cost: costOf(20n, 3n),
      });
    }
  });
});

/** Returns the events that an SDK's parser would reject. */
function problemsOf(stream: string): string[] {
  const blocks = stream.split(/\r?\n\r?\n/).slice(0, -1);
  return blocks.filter((block) => {
    const data = block.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
    const json = data.join('\n');
    return json !== '[DONE]' && parseJson(json) === undefined;
  });
}

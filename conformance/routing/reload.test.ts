import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Answering, channelTo, chatAnswer, chunk } from '../first-light/upstream.ts';
import type { ClientFormat } from '../readers/index.ts';
import { until } from '../shared/until.ts';
import { ACME, fileOf, type RoutingBed, startRoutingBed } from './bed.ts';
import { incomplete, inParallel } from './client.ts';
import { type RawStream, readRawStream } from './raw-streams.ts';
import { forgetAll, upstreamsNamed } from './upstreams.ts';

const STREAMS = 500;
/** Each stream starts with one piece and gets another after each change of the configuration. */
const PIECES = 4;
const LAST = 'That is all.';

const upstreams = upstreamsNamed('old', 'kept', 'added');
const { old, kept, added } = upstreams;
let bed: RoutingBed;

/** Resolves when the streams may send their next piece. */
let nextPiece = Promise.withResolvers<void>();

function goOn(): void {
  const { resolve } = nextPiece;
  nextPiece = Promise.withResolvers();
  resolve();
}

/** Responds with streams that last as long as the configuration changes. */
const paced: Answering = (request) => {
  if (!request.stream) return chatAnswer(request);
  async function* events() {
    for (let number = 0; number < PIECES; number++) {
      const next = nextPiece.promise;
      yield chunk(request.model, { content: `Piece ${number}. ` });
      await next;
    }
    yield `${chunk(request.model, { content: LAST })}${chunk(request.model, {}, 'stop')}data: [DONE]\n\n`;
  }
  return new Response(events(), { headers: { 'content-type': 'text/event-stream' } });
};
const oldChannel = (extra: object = {}) => channelTo(old, { id: 'old', models: ['lasting'], ...extra });
const keptChannel = channelTo(kept, { id: 'kept', models: ['lasting'] });
const addedChannel = (extra: object = {}) => channelTo(added, { id: 'added', models: ['lasting', 'new'], ...extra });

beforeAll(async () => {
  for (const upstream of Object.values(upstreams)) upstream.answer = paced;
  bed = await startRoutingBed({ channels: [oldChannel(), keptChannel] });
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

/**
 * Returns the problem of a stream that should hold every piece of the upstream's response, in order, and its
 * end; `null` if there is none.
 */
function faultOf({ status, body, isEnded }: RawStream, format: ClientFormat): string | null {
  if (status !== 200) return `status ${status}: ${body.slice(0, 200)}`;
  if (!isEnded) return `cut off: ${body.slice(-200)}`;
  const end = format === 'openai-chat' ? 'data: [DONE]' : '"type":"message_stop"';
  if (!body.includes(end)) return `no end: ${body.slice(-200)}`;
  if (/"error"/.test(body)) return `an error: ${body.slice(-300)}`;
  const pieces = [...body.matchAll(/Piece (\d+)\./g)].map(([, number]) => Number(number));
  const isWhole = pieces.length === PIECES && pieces.every((number, index) => number === index);
  return isWhole && body.includes(LAST) ? null : `pieces ${pieces}: ${body.slice(-200)}`;
}

test('500 streams run on undisturbed while channels are removed, added and changed', async () => {
  const { port } = bed.serving;
  const formats = Array.from(
    { length: STREAMS },
    (_, index): ClientFormat => (index % 2 ? 'openai-chat' : 'anthropic-messages'),
  );
  let begun = 0;
  let over = 0;
  const streams = formats.map(async (format) => {
    const onHead = () => begun++;
    const stream = await readRawStream({ port, key: ACME, model: 'lasting', format, onHead });
    over++;
    return stream;
  });
  await until('all streams have begun', () => begun === STREAMS);
  expect(old.count).toBeGreaterThan(0);
  forgetAll(upstreams);

  const isFound = async (model: string) => (await bed.ask({ model })).status === 200;
  const changes: readonly { readonly channels: readonly object[]; readonly isInForce: () => Promise<boolean> }[] = [
    {
      // The channel of half of the streams is removed, and another one is added.
      channels: [keptChannel, addedChannel()],
      isInForce: () => isFound('new'),
    },
    {
      // It returns with another key, and with its model renamed.
      channels: [oldChannel({ api_key: 'another-upstream-key', models: ['renamed'] }), keptChannel],
      isInForce: () => isFound('renamed'),
    },
    { channels: [addedChannel({ weight: 3 })], isInForce: async () => !(await isFound('renamed')) },
  ];
  const refused: string[] = [];
  let isChanged = false;
  // Other requests run meanwhile; some channel serves the model at any time.
  const others = (async () => {
    while (!isChanged) {
      refused.push(...incomplete([await bed.ask({ model: 'lasting' })]));
      // Real time: gives the streams, their upstreams and the gateway, all in this process, a turn.
      await Bun.sleep(5);
    }
  })();
  for (const { channels, isInForce } of changes) {
    await bed.apply(fileOf({ channels }));
    await until('the gateway applies the new configuration', isInForce);
    // All of this happened while the streams were open.
    expect(over).toBe(0);
    goOn();
  }
  isChanged = true;
  await others;
  expect(refused.slice(0, 3)).toEqual([]);
  goOn();

  const ended = await Promise.all(streams);
  const faults = ended.flatMap((stream, index) => faultOf(stream, formats[index]!) ?? []);
  expect(faults.slice(0, 3)).toEqual([]);
  const channels = ended.map(({ channel }) => channel);
  expect(channels.filter((channel) => channel === 'old').length).toBe(STREAMS / 2);
  expect(channels.filter((channel) => channel === 'kept').length).toBe(STREAMS / 2);

  forgetAll(upstreams);
  const answers = await inParallel(50, 10, () => bed.ask({ model: 'lasting' }));
  expect(incomplete(answers)).toEqual([]);
  expect(new Set(answers.map(({ channel }) => channel))).toEqual(new Set(['added']));
  expect([old.count, kept.count]).toEqual([0, 0]);
  expect((await bed.ask({ model: 'renamed' })).status).toBe(404);
});

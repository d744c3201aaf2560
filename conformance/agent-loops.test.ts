import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hasRedis, RedisServer, redisTest } from '../src/stores/redis/testing/redis-server.ts';
import { type LoopBed, type LoopCase, startLoopBed } from './agent-loops/bed.ts';
import { CLIENTS, type Client } from './agent-loops/clients/index.ts';
import { STEPS } from './agent-loops/script.ts';
import { CHANNELS, SHARED_MODELS } from './agent-loops/upstreams/index.ts';

let bed: LoopBed;
let loops = 0;

beforeAll(async () => {
  bed = await startLoopBed();
}, 60_000);

afterAll(async () => {
  await bed?.stop();
});

/** Plays the loop in every form that the client has; what went wrong, by form. */
async function played(
  client: Client,
  loop: Pick<LoopCase, 'model' | 'answeredBy'>,
  over: LoopBed = bed,
): Promise<Record<string, unknown>> {
  const entries = client.forms.map(
    async (form) => [form, await over.play({ ...loop, client, form, asks: true, name: `loop-${loops++}` })] as const,
  );
  return Object.fromEntries((await Promise.all(entries)).filter(([, problems]) => problems.length > 0));
}

describe.each(CHANNELS.map((channel) => [channel.id, channel] as const))(
  'three turns of tools over %s',
  (id, channel) => {
    const clients = CLIENTS.filter((client) => client.keepsAll || client.format !== channel.format);

    test.each(clients.map((client) => [client.format, client.style, client] as const))(
      'a client of %s that %s',
      async (_format, _style, client) => {
        expect(await played(client, { model: id, answeredBy: STEPS.map(() => id) })).toEqual({});
      },
      20_000,
    );
  },
);

describe.each(SHARED_MODELS.map((shared) => [shared.model, shared] as const))(
  'the first channel of %s fails for one turn',
  (model, { channels }) => {
    const [first = '', second = ''] = channels.map(({ id }) => id);
    // Relayed state that a client throws away is the client's own affair.
    const clients = CLIENTS.filter(
      (client) => client.keepsAll || channels.every(({ format }) => format !== client.format),
    );

    describe.each([
      ['first', [second, first, first]],
      ['second', [first, second, first]],
      ['third', [first, first, second]],
      ['second and third', [first, second, second]],
    ])('the %s', (_turn, answeredBy) => {
      for (const client of clients) {
        test(`a client of ${client.format} that ${client.style}`, async () => {
          expect(await played(client, { model, answeredBy })).toEqual({});
        }, 60_000);
      }
    });
  },
);

describe('two gateways that take turns, so that all of the state is in what the client sends back', () => {
  let nodes: LoopBed;
  beforeAll(async () => {
    nodes = await startLoopBed(2);
  }, 30_000);
  afterAll(async () => {
    await nodes?.stop();
  });

  // A stored response is at one of them.
  const clients = CLIENTS.filter(({ keepsAll, style }) => keepsAll && !style.startsWith('previous_response_id'));
  // A chat message has one list of thoughts: only the gateway's memory knows which of OpenAI's stood between two calls.
  const loses = (client: Client, format: string) => client.format === 'openai-chat' && format === 'openai-responses';
  const pairs = CHANNELS.flatMap(({ id, format }) =>
    clients.flatMap((client) => (client.format === format || loses(client, format) ? [] : [[id, client] as const])),
  );

  test.each(pairs.map(([id, client]) => [id, client.format, client.style, client] as const))(
    'over %s a client of %s that %s, thinking asked for and not',
    async (id, _format, _style, client) => {
      const answeredBy = STEPS.map(() => id);
      const entries = client.forms.flatMap((form) =>
        [true, false].map(async (asks) => {
          const loop = { name: `nodes-${loops++}`, client, form, asks, model: id, answeredBy };
          return [`${form}, asked: ${asks}`, await nodes.play(loop)] as const;
        }),
      );
      const problems = (await Promise.all(entries)).filter(([, found]) => found.length > 0);
      expect(Object.fromEntries(problems)).toEqual({});
    },
    20_000,
  );
});

describe('two gateways that take turns and share a Redis, so that a client may lose all of the state', () => {
  let redis: RedisServer | undefined;
  let nodes: LoopBed | undefined;
  beforeAll(async () => {
    if (!hasRedis) return;
    redis = await RedisServer.start();
    nodes = await startLoopBed(2, { REDIS_URL: redis.url, SWITCHYARD_SECRET: 'the secret that both nodes have' });
  }, 30_000);
  afterAll(async () => {
    await nodes?.stop();
    await redis?.stop();
  });

  // A stored response is at one of them.
  const clients = CLIENTS.filter(({ style }) => !style.startsWith('previous_response_id'));
  const play = (client: Client, loop: Pick<LoopCase, 'model' | 'answeredBy'>) =>
    played(client, loop, nodes ?? expect.unreachable());

  for (const { id, format } of CHANNELS) {
    for (const client of clients.filter((one) => one.keepsAll || one.format !== format)) {
      redisTest(`over ${id} a client of ${client.format} that ${client.style}`, async () => {
        expect(await play(client, { model: id, answeredBy: STEPS.map(() => id) })).toEqual({});
      });
    }
  }

  // The state of OpenAI's reasoning goes back to the channel that issued it, whichever node asks.
  for (const { model, channels } of SHARED_MODELS) {
    const [first = '', second = ''] = channels.map(({ id }) => id);
    for (const client of clients.filter(
      (one) => one.keepsAll || channels.every(({ format }) => format !== one.format),
    )) {
      redisTest(
        `the first channel of ${model} fails for a turn of a client of ${client.format} that ${client.style}`,
        async () => {
          expect(await play(client, { model, answeredBy: [first, second, first] })).toEqual({});
        },
      );
    }
  }
});

import { describe, expect, test } from 'bun:test';
import type { LoopBed, LoopCase } from './bed.ts';
import type { Client } from './clients/index.ts';
import { STEPS } from './script.ts';
import type { ScriptedChannel, SharedModel } from './upstreams/index.ts';

/* Loops as tests: conformance plays some of them, acceptance/agents all, acceptance/redis those over nodes that share a Redis. */

/** Returns the bed, which exists once the tests run. */
type Bed = () => LoopBed;
type PlayedLoop = Pick<LoopCase, 'model' | 'answeredBy'>;

let loops = 0;

/** Plays the loop in every form that the client has. Resolves to the problems by form. */
async function played(bed: LoopBed, client: Client, loop: PlayedLoop): Promise<Record<string, unknown>> {
  const entries = client.forms.map(
    async (form) => [form, await bed.play({ ...loop, client, form, asks: true, name: `loop-${loops++}` })] as const,
  );
  return Object.fromEntries((await Promise.all(entries)).filter(([, problems]) => problems.length > 0));
}

/** Returns the clients that keep state. Relayed state that a client discards is not the gateway's concern. */
function keepingState(clients: readonly Client[], channels: readonly ScriptedChannel[]): readonly Client[] {
  return clients.filter((client) => client.keepsAll || channels.every(({ format }) => format !== client.format));
}

export function describeLoops(bed: Bed, channels: readonly ScriptedChannel[], clients: readonly Client[]): void {
  describe.each(channels.map((channel) => [channel.id, channel] as const))(
    'three tool turns over %s',
    (id, channel) => {
      test.each(keepingState(clients, [channel]).map((client) => [client.format, client.style, client] as const))(
        'a client of %s that %s',
        async (_format, _style, client) => {
          expect(await played(bed(), client, { model: id, answeredBy: STEPS.map(() => id) })).toEqual({});
        },
      );
    },
  );
}

/** The turns in which the first channel of a model fails, as the positions of the channels that answer. */
export type Failures = readonly (readonly [turns: string, answeredBy: readonly (0 | 1)[]])[];

export const FAILURES = [
  ['first', [1, 0, 0]],
  ['second', [0, 1, 0]],
  ['third', [0, 0, 1]],
  ['second and third', [0, 1, 1]],
] as const satisfies Failures;

export function describeFailures(
  bed: Bed,
  models: readonly SharedModel[],
  failures: Failures,
  clients: readonly Client[],
): void {
  describe.each(models.map((shared) => [shared.model, shared] as const))(
    'the first channel of %s fails',
    (model, { channels }) => {
      describe.each([...failures])('in the %s turn', (_turns, answeredBy) => {
        const ids = answeredBy.map((index) => channels[index]?.id ?? '');
        for (const client of keepingState(clients, channels)) {
          test(`a client of ${client.format} that ${client.style}`, async () => {
            expect(await played(bed(), client, { model, answeredBy: ids })).toEqual({});
          });
        }
      });
    },
  );
}

/** Loops over nodes that share nothing, so that all of the state is in the client's requests. */
export function describeLoopsOfNodes(nodes: Bed, channels: readonly ScriptedChannel[], all: readonly Client[]): void {
  const clients = withoutStoredResponses(all).filter(({ keepsAll }) => keepsAll);
  // A chat message has one list of reasoning: only the gateway's memory knows which of OpenAI's items stood between two calls.
  const loses = (client: Client, format: string) => client.format === 'openai-chat' && format === 'openai-responses';
  const pairs = channels.flatMap(({ id, format }) =>
    clients.flatMap((client) => (client.format === format || loses(client, format) ? [] : [[id, client] as const])),
  );
  test.each(pairs.map(([id, client]) => [id, client.format, client.style, client] as const))(
    'over %s a client of %s that %s, with and without reasoning',
    async (id, _format, _style, client) => {
      const answeredBy = STEPS.map(() => id);
      const entries = client.forms.flatMap((form) =>
        [true, false].map(async (asks) => {
          const loop = { name: `nodes-${loops++}`, client, form, asks, model: id, answeredBy };
          return [`${form}, asked: ${asks}`, await nodes().play(loop)] as const;
        }),
      );
      const problems = (await Promise.all(entries)).filter(([, found]) => found.length > 0);
      expect(Object.fromEntries(problems)).toEqual({});
    },
  );
}

/** Leaves out clients of stored responses, because only one of the nodes has the response. */
export function withoutStoredResponses(clients: readonly Client[]): readonly Client[] {
  return clients.filter(({ style }) => !style.startsWith('previous_response_id'));
}

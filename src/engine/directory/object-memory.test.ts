import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { fakePorts } from '../call/testing/fake-ports.ts';
import { channelOf, directoryOf, MODEL } from '../call/testing/sample-routes.ts';
import { ObjectMemory } from './object-memory.ts';

const channels = [
  channelOf('a', 'keeping'),
  channelOf('b', 'keeping'),
  channelOf('own', 'keeping', { owner: 'acme', priority: 1 }),
];
const routes = directoryOf(channels.slice(0, 2)).routesTo(MODEL, 'acme', 'openai-responses')!;
const withOwn = directoryOf(channels).routesTo(MODEL, 'acme', 'openai-responses')!;
const file = (id: string) => ({ id, path: `input[0].${id}` });

function remembering() {
  const fakes = fakePorts();
  const memory = new ObjectMemory(fakes.ports);
  const given = (accountId: string, id: string, place: string | null) =>
    memory.given({ accountId, ids: [id], place, responseId: null });
  const reached = async (...[ids, all = routes]: [readonly string[], typeof routes?]) => {
    const named = await memory.namedBy('acme', all, ids.map(file));
    return named instanceof Failure ? named : named.routes.targets.map(({ channel }) => channel.id);
  };
  return { ...fakes, memory, given, reached };
}

describe('an object in a request', () => {
  test('leads to the channel that created it for the account', async () => {
    const { given, reached } = remembering();
    await given('acme', 'f1', 'b');
    expect(await reached(['f1'])).toEqual(['b']);
  });

  test('is missing if it is unknown, too old or belongs to another account', async () => {
    const { given, reached, clock } = remembering();
    await given('other', 'f1', 'a');
    await given('acme', 'f2', 'a');
    clock.advance(30 * 24 * 60 * 60 * 1000);
    for (const id of ['f0', 'f1', 'f2']) {
      expect(await reached([id])).toMatchObject({ code: 'object_not_found', details: { param: `input[0].${id}` } });
    }
  });

  test("may still exist at the account's own channel", async () => {
    expect(await remembering().reached(['f0'], withOwn)).toEqual(['own']);
  });

  test('is missing beside an object of another channel', async () => {
    const { given, reached } = remembering();
    await given('acme', 'f1', 'a');
    await given('acme', 'f2', 'b');
    expect(await reached(['f1', 'f2'])).toMatchObject({ code: 'object_not_found' });
  });

  test('is not looked up if there is none', () => {
    const named = remembering().memory.namedBy('acme', routes, []);
    expect(named).toMatchObject({ routes, missing: null });
  });
});

test('a store that cannot be written costs no response, and is logged', async () => {
  const { given, ports, lines } = remembering();
  ports.objects.write = () => Promise.reject(new Error('the disk is full'));
  await given('acme', 'f1', 'a');
  expect(lines).toMatchObject([{ level: 'warn', objects: 1 }]);
});

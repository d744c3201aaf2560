import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { upstreamFormats } from '../../src/formats/index.ts';
import { providers } from '../../src/providers/index.ts';
import { asArray, asObject, isObject } from '../shared/json.ts';
import { exampleRequest } from './basic-requests.ts';
import { strictUpstreams } from './index.ts';
import { isOfFamily, type ReceivedRequest, type Refusal, refusalOf, type StrictUpstream } from './rule.ts';
import { startStrictServer } from './server.ts';

const idOf = (refusal: Refusal | null): string | null => refusal?.rule.id ?? null;

test('each strict upstream has a unique name', () => {
  const names = strictUpstreams.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
});

describe.each(strictUpstreams.map((upstream) => [upstream.name, upstream] as const))('%s', (_, upstream) => {
  test('has a format or wire of the manifest', () => {
    const manifest = providers.get(upstream.provider);
    const wires = [
      ...(manifest?.formats ?? []).map(({ format }) => format),
      ...(manifest?.wires ?? []).map(({ wire }) => wire),
    ];
    expect(wires).toContain(upstream.wire);
  });

  test('each rule has a unique id, a statement and a source with a date', () => {
    const ids = upstream.rules.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    for (const { id, statement, source } of upstream.rules) {
      expect({ id, statement }).toEqual({ id, statement: expect.stringMatching(/^[A-Z`].*\.$/) });
      expect({ id, ...source }).toEqual({
        id,
        url: expect.stringMatching(/^(https:\/\/|recordings\/|specs\/)\S+$/),
        checked: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      });
    }
  });

  test('each model accepts the basic request', async () => {
    for (const model of upstream.models) {
      const refusal = refusalOf(upstream, await exampleRequest(upstream, { model }));
      expect({ model, refusal: refusal?.message ?? null }).toEqual({ model, refusal: null });
    }
  });

  test.each(upstream.rules.map((rule) => [rule.id, rule] as const))('%s refuses its examples', async (id, rule) => {
    for (const example of rule.examples.refused) {
      const request = await exampleRequest(upstream, example, rule);
      expect(isOfFamily(rule, request.model)).toBe(true);
      expect({ example, refusedBy: idOf(refusalOf(upstream, request)) }).toEqual({ example, refusedBy: id });
    }
    for (const example of rule.examples.accepted ?? []) {
      const refusal = refusalOf(upstream, await exampleRequest(upstream, example, rule));
      expect({ example, refusedBy: idOf(refusal) }).toEqual({ example, refusedBy: null });
    }
  });
});

describe('the server', () => {
  const server = startStrictServer();
  afterAll(() => server.stop());
  beforeEach(() => server.clear());

  const send = ({ path, query, text, headers }: ReceivedRequest, { name }: StrictUpstream, more: object = {}) => {
    const body = JSON.stringify({ ...asObject(JSON.parse(text)), ...more });
    return fetch(`${server.baseUrlOf(name)}${path}?${query}`, { method: 'POST', headers, body });
  };

  test.each(strictUpstreams.filter(({ wire }) => upstreamFormats.has(wire)).map((one) => [one.name, one] as const))(
    '%s answers a basic request, and refuses with its own envelope',
    async (_, upstream) => {
      const answer = await send(await exampleRequest(upstream, {}), upstream);
      expect(answer.status).toBe(200);
      const [rule] = upstream.rules;
      if (rule === undefined) throw new Error('an upstream without rules is not strict');
      const refused = await exampleRequest(upstream, rule.examples.refused[0], rule);
      const refusal = await send(refused, upstream);
      expect(refusal.status).toBe(rule.status ?? 400);
      const [told] = server.refusals;
      expect<unknown>(await refusal.json()).toEqual(upstream.envelope(told?.message ?? '', rule));
      expect(server.journal.map((entry) => idOf(entry.refusal))).toEqual([null, rule.id]);
    },
  );

  test('returns scripted responses first, and streams on request', async () => {
    const [upstream] = strictUpstreams;
    if (upstream === undefined) throw new Error('there is no strict upstream');
    server.script(upstream.name, { text: 'Scripted.' }, () => new Response('mine', { status: 503 }));
    const request = await exampleRequest(upstream, {});
    const whole: unknown = await (await send(request, upstream)).json();
    const [choice] = asArray(isObject(whole) ? whole.choices : []);
    expect(asObject(asObject(choice).message).content).toBe('Scripted.');
    expect((await send(request, upstream)).status).toBe(503);
    const stream = await send(request, upstream, { stream: true });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(await stream.text()).toEndWith('data: [DONE]\n\n');
    expect(server.requestsTo(upstream.name).length).toBe(3);
  });
});

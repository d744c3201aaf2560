import { expect, test } from 'bun:test';
import { ClosingConnections } from './closing-connections.ts';
import type { Connections } from './route.ts';

const connections: Connections = { timeout: () => {}, requestIP: () => null, upgrade: () => false };
const request = new Request('http://gateway.example/');
const connectionOf = async (answer: Response | Promise<Response>) => (await answer).headers.get('connection');

test('answers close their connections from then on, also those that were waited for', async () => {
  const closing = new ClosingConnections();
  const waited = Promise.withResolvers<Response>();
  const handler = closing.around(({ url }) => (url.endsWith('/late') ? waited.promise : new Response('now')));
  expect(await connectionOf(handler(request, connections))).toBeNull();
  const late = handler(new Request('http://gateway.example/late'), connections);
  closing.begin('shutting down');
  waited.resolve(new Response('late'));
  expect([await connectionOf(late), await connectionOf(handler(request, connections))]).toEqual(['close', 'close']);
});

test('an error outside of any route closes its connection, too', () => {
  const closing = new ClosingConnections();
  closing.begin('shutting down');
  expect(closing.mark(Response.json({}, { status: 500 })).headers.get('connection')).toBe('close');
});

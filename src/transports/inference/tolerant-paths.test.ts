import { expect, test } from 'bun:test';
import type { Routes } from './route.ts';
import { canonicalPaths, TolerantPaths } from './tolerant-paths.ts';

const handler = (name: string) => (request: { url: string; modelInPath?: string }) =>
  Response.json([name, request.url, request.modelInPath ?? null]);
const ROUTES: Routes = Object.fromEntries(
  ['/v1/chat/completions', '/v1/models', '/v1/models/*', '/v1beta/models/*', '/v1/responses/:id', '/v1/responses'].map(
    (path) => [path, handler(path)],
  ),
);
const paths = new TolerantPaths(ROUTES);
const connections = { timeout: () => undefined, upgrade: () => false, requestIP: () => null };

test.each<[string, [string, string, string | null] | null]>([
  ['/v1/chat/completions', null],
  ['/v1/models/a', null],
  ['/v1/chat/completions/?a=b//#c', ['/v1/chat/completions', '/v1/chat/completions?a=b//', null]],
  ['/v1/v1/v1/v1/models', ['/v1/models', '/v1/models', null]],
  ['/v1/v1/v1/v1/v1/models', null],
  ['/responses/resp_1', ['/v1/responses/:id', '/v1/responses/resp_1', null]],
  ['/v1/responses/resp_1/more', null],
  ['/v1beta/chat/completions', ['/v1/chat/completions', '/v1/chat/completions', null]],
  ['/v1alpha/models/a/b:c', ['/v1beta/models/*', '/v1beta/models/a/b:c', null]],
  ['/openai/deployments/a%2Fb/chat/completions', ['/v1/chat/completions', '/v1/chat/completions', 'a/b']],
  ['/openai/deployments/%zz/models', ['/v1/models', '/v1/models', '%zz']],
  ['/openai/deployments/chat', null],
  ['/deployments/a/chat/completions', null],
  ['/v1/..;/chat/completions', null],
  ['/', null],
  ['/v1', null],
  [`/v1/${'a/'.repeat(3_000)}`, null],
])('%s', async (path, found) => {
  const answer = await paths.answer(new Request(`http://gateway${path}`), connections);
  expect(answer === null ? null : await answer.json()).toEqual(found);
});

test('of two roots the innermost comes first', () => {
  expect(canonicalPaths('/v1/v1beta/x').map(({ path }) => path)).toEqual(['/v1beta/x', '/v1/x']);
  expect(canonicalPaths('/v1beta/openai/x').map(({ path }) => path)).toEqual(['/v1/x', '/v1beta/x']);
});

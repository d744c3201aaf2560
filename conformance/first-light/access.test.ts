import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Answer, answerOf, chatBody, verdict } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './upstream.ts';

describe('access', () => {
  const upstream = startUpstream();
  let space: Workspace;
  let serving: Serving;

  beforeAll(async () => {
    space = await Workspace.create();
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      channels: [
        channelTo(upstream, { models: ['alpha', 'beta-one', 'beta-two', 'gamma'] }),
        channelTo(upstream, { id: 'own', owner: 'acme', models: ['vault-of-acme', 'gamma'] }),
      ],
      accounts: [
        accountWith('acme', [keyNamed('main'), keyNamed('limited', { models: ['alpha', 'beta-*'] }), keyNamed('old')], {
          management_tokens: [{ id: 'ops', name: 'Ops', secret: 'mt-first-light-token' }],
        }),
        accountWith('globex', [keyNamed('globex')]),
      ],
    });
    serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  });

  afterAll(async () => {
    await space.remove();
    await upstream.stop();
  });

  const ask = (key: string, model = 'alpha') => serving.chat(key, chatBody(model));

  async function withHeaders(headers: Record<string, string>, body: string = JSON.stringify(chatBody('alpha'))) {
    const url = `${serving.baseUrl}/chat/completions`;
    return answerOf(await fetch(url, { method: 'POST', body, headers }));
  }

  /** Checks that the envelope is complete JSON and does not contain the credential. */
  function expectRefusal(answer: Answer, expected: string, secret = 'sk-'): void {
    expect(verdict(answer)).toBe(expected);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(Object.keys(answer.error)).toEqual(expect.arrayContaining(['message', 'type', 'code', 'param']));
    expect(String(answer.error.message).length).toBeGreaterThan(10);
    if (secret.length > 8) expect(answer.text).not.toContain(secret);
  }

  const INVALID = '401 invalid_api_key invalid_api_key';

  test.each([
    ['no header at all', {}],
    ['an empty header', { authorization: '' }],
    ['a Bearer without a key', { authorization: 'Bearer' }],
    ['a Bearer with spaces for a key', { authorization: 'Bearer    ' }],
    ['another scheme', { authorization: `Basic ${btoa(`user:${clientKey('main')}`)}` }],
    ['a wrong key before a right one', { authorization: 'Bearer sk-wrong', 'x-api-key': clientKey('main') }],
    ['an unknown key', { authorization: 'Bearer sk-0123456789abcdef0123456789abcdef' }],
    ['a key of another format', { authorization: 'Bearer hello-hello-hello' }],
    ['a truncated key', { authorization: `Bearer ${clientKey('main').slice(0, -1)}` }],
    ['a key with a suffix', { authorization: `Bearer ${clientKey('main')}x` }],
    ['two keys', { authorization: `Bearer ${clientKey('main')} ${clientKey('old')}` }],
    ['a key in upper case', { authorization: `Bearer ${clientKey('main').toUpperCase()}` }],
    ['a management token', { authorization: 'Bearer mt-first-light-token' }],
    ['an unknown management token', { authorization: 'Bearer mt-0123456789abcdef' }],
  ])('%s is a 401', async (_what, headers) => {
    const plain: Record<string, string> = { ...headers };
    const answer = await withHeaders({ 'content-type': 'application/json', ...plain });
    expectRefusal(answer, INVALID, plain.authorization?.replace(/^Bearer\s*/, ''));
  });

  test.each(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])(
    'a key only in %s is accepted',
    async (name) => {
      const answer = await withHeaders({ 'content-type': 'application/json', [name]: clientKey('main') });
      expect(answer.status).toBe(200);
    },
  );

  test('the scheme of a proxy in front does not hide the key', async () => {
    const authorization = `Basic ${btoa('user:password')}`;
    const headers = { 'content-type': 'application/json', authorization, 'x-api-key': clientKey('main') };
    expect((await withHeaders(headers)).status).toBe(200);
  });

  test('the case of the scheme and spaces around the key do not matter', async () => {
    for (const authorization of [`bearer ${clientKey('main')}`, `BEARER  ${clientKey('main')} `]) {
      expect((await withHeaders({ authorization, 'content-type': 'application/json' })).status).toBe(200);
    }
  });

  test('without a key the body does not matter', async () => {
    expectRefusal(await withHeaders({ 'content-type': 'text/plain' }, '{'), INVALID);
  });

  test('a refused request never reaches the upstream', async () => {
    const before = upstream.requests.length;
    await ask('sk-nobody-knows-this-one');
    await ask(clientKey('limited'), 'gamma');
    expect(upstream.requests).toHaveLength(before);
  });

  test('a key that is revoked while the gateway runs is refused within a second', async () => {
    expect((await ask(clientKey('old'))).status).toBe(200);
    const { exitCode, stderr } = await space.run(['keys', 'revoke', 'acme/old']);
    expect([exitCode, stderr]).toEqual([0, '']);
    const refused = async () => (await ask(clientKey('old'))).status === 401;
    await until('the revoked key is refused', refused);
    expectRefusal(await ask(clientKey('old')), '401 expired_api_key expired_api_key', clientKey('old'));
    expect((await ask(clientKey('main'))).status).toBe(200);
  });

  test('a key that is created while the gateway runs works within a second, for the models of its allow-list', async () => {
    const { stdout } = await space.run(['keys', 'create', '--account', 'acme', '--models', 'beta-*, gamma']);
    const key = stdout.trim();
    expect(key).toMatch(/^sk-\w+$/);
    const known = async () => (await ask(key, 'gamma')).status === 200;
    await until('the new key works', known);
    expect((await ask(key, 'beta-two')).status).toBe(200);
    expectRefusal(await ask(key, 'alpha'), '403 access_denied model_not_allowed');
  });

  test.each([
    ['alpha', 200],
    ['beta-one', 200],
    ['beta-two', 200],
    ['gamma', 403],
    ['vault-of-acme', 403],
    ['beta-three', 404],
  ])('a key for alpha and beta-* requests %s: %d', async (model, status) => {
    const answer = await ask(clientKey('limited'), model);
    expect(answer.status).toBe(status);
    if (status !== 403) return;
    expectRefusal(answer, '403 access_denied model_not_allowed');
    expect(answer.error.param).toBe('model');
  });

  test('a misspelled model gets suggestions that the key may use', async () => {
    expect((await ask(clientKey('limited'), 'betaone')).error).toMatchObject({
      did_you_mean: 'beta-one',
      suggestions: [{ id: 'beta-one' }],
    });
    const gama = (await ask(clientKey('limited'), 'gama')).text;
    expect(gama).not.toContain('gamma');
    expect((await ask(clientKey('main'), 'gama')).error.did_you_mean).toBe('gamma');
  });

  test('a private channel serves its account, and the response says that it is private', async () => {
    const answer = await ask(clientKey('main'), 'vault-of-acme');
    expect(answer.json._routing).toMatchObject({ channel: { id: 'own', channelType: 'PRIVATE' } });
    expect((await ask(clientKey('main'), 'alpha')).json._routing).toMatchObject({
      channel: { id: 'main', channelType: 'PLATFORM' },
    });
  });

  test('other accounts get the same body as for an unknown model', async () => {
    const hidden = await ask(clientKey('globex'), 'vault-of-acme');
    const absent = await ask(clientKey('globex'), 'never-was-here');
    expectRefusal(hidden, '404 invalid_request_error model_not_found');
    expect(hidden.text.replaceAll('vault-of-acme', 'X')).toBe(absent.text.replaceAll('never-was-here', 'X'));
    expect((await ask(clientKey('globex'), 'vault-of-acmee')).text).not.toContain('"vault-of-acme"');
  });

  test('other accounts never reach the private channel for a model of both channels', async () => {
    for (let round = 0; round < 10; round++) {
      const { json } = await ask(clientKey('globex'), 'gamma');
      expect(json._routing).toMatchObject({ channel: { id: 'main' } });
    }
  });

  test('a management token that is created by command is not an inference key', async () => {
    const { stdout } = await space.run(['keys', 'create', '--account', 'acme', '--management']);
    expect(stdout).toMatch(/^mt-/);
    const later = await space.run(['keys', 'create', '--account', 'acme']);
    await until('a newer key works', async () => (await ask(later.stdout.trim())).status === 200);
    expectRefusal(await ask(stdout.trim()), INVALID, stdout.trim());
  });
});

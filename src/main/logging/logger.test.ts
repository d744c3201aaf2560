import { describe, expect, test } from 'bun:test';
import { parseLevels } from '../../domain/logs/component-levels.ts';
import type { LogFields } from '../../domain/logs/fields.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import { DEFAULT_LOGS, type LogSettings } from '../../engine/settings/logs.ts';
import { membersOf } from './line.ts';
import { createLogger, LineLogger } from './logger.ts';
import { requestMembers } from './request-line.ts';

type Line = Readonly<Record<string, unknown>>;

function collected(levels = 'info') {
  const lines: string[] = [];
  const logger = createLogger(levels, { write: (line) => void lines.push(line) });
  return { logger, lines, parsed: () => lines.map((line): Line => JSON.parse(line)) };
}

const settings = (changes: Partial<LogSettings>): LogSettings => ({ ...DEFAULT_LOGS, ...changes });

describe('a line', () => {
  test('names its level, component and event, and its fields in snake case', () => {
    const { logger, lines, parsed } = collected();
    logger.warn({ requestId: 'req_1', channelId: 'a', retryCount: 0, clientGone: true }, 'request failed');
    expect(lines[0]).toMatch(/^\{"time":"\d{4}-\d\d-\d\dT[\d:.]+Z","level":"warn",.*\}\n$/);
    expect(parsed()[0]).toEqual({
      ...{ time: expect.any(String), level: 'warn', component: 'requests', event: 'request_failed' },
      ...{ msg: 'request failed', request_id: 'req_1', channel_id: 'a', retry_count: 0, client_gone: true },
    });
  });

  test('leaves out fields without a value', () => {
    const { logger, lines } = collected();
    logger.info({ requestId: 'req_1', keyId: null, costUsd: undefined }, 'request');
    expect(lines[0]).toEndWith('"msg":"request","request_id":"req_1"}\n');
  });

  test('is one line, whatever its texts contain', () => {
    const { logger, lines, parsed } = collected();
    const text = 'a "quote", \\, \r\n next, \u0000, \u2028, é, 😀';
    logger.error({ requestId: `req\n${text}`, error: text, problems: [text], most: { [text]: 1 } }, 'internal error');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toMatch(/[\n\r]/);
    expect(parsed()[0]).toMatchObject({ request_id: `req\n${text}`, error: expect.stringContaining('"quote"') });
  });

  test('has bounded texts and lists', () => {
    const { logger, lines } = collected();
    const long = 'word '.repeat(100_000);
    logger.error({ error: long, problems: Array.from({ length: 10_000 }, () => 'word') }, 'internal error');
    expect(lines[0]?.length).toBeLessThan(3_000);
  });

  test('has numbers that JSON can represent', () => {
    const { logger, parsed } = collected();
    logger.info({ latencyMs: Number.NaN, firstByteMs: 1.5 }, 'request');
    expect(parsed()[0]).toMatchObject({ latency_ms: null, first_byte_ms: 1.5 });
  });

  test('has a stack trace only at the level debug, otherwise the place of the error', () => {
    const [error, frame] = [new Error('broken'), '    at read (/srv/b.ts:2:3)'];
    error.stack = `Error: broken\n    at parse (/srv/a.ts:1:2)\n${frame}`;
    const thrown = describeError(error);
    const usual = collected();
    usual.logger.error(thrown, 'internal error');
    expect(usual.parsed()[0]).toMatchObject({ error: 'Error: broken', at: 'parse (/srv/a.ts:1:2)' });
    expect(usual.parsed()[0]).not.toHaveProperty('stack');
    const verbose = collected('debug');
    verbose.logger.error(thrown, 'internal error');
    expect(verbose.parsed()[0]?.stack).toBe('at parse (/srv/a.ts:1:2)\nat read (/srv/b.ts:2:3)');
  });
});

describe('secrets in texts are masked', () => {
  const canary = 'Zq7CANARY4xK9vB2mN5p';
  const texts: Readonly<Record<string, string>> = {
    'a key in a header': `headers {"authorization":"Bearer sk-${canary}"}`,
    'another header with a key': `x-api-key: ${canary}`,
    'a key in the query of a URL': `GET https://upstream.example/v1/models?key=${canary}&alt=sse failed`,
    'a cookie': `cookie: switchyard.session_token=${canary}; theme=dark`,
    'a set cookie': `Set-Cookie: session=${canary}; Path=/`,
    'basic credentials': `Authorization: Basic ${btoa(`me:${canary}`)}`,
    'a password': `password=${canary}`,
    'a password in JSON': `{"password":"${canary}"}`,
    'an OIDC code': `callback ?code=${canary}&state=${canary} was refused`,
    'the URL of PostgreSQL': `cannot connect to postgres://gateway:${canary}@db.example:5432/switchyard`,
    'the URL of Redis': `ECONNREFUSED rediss://:${canary}@cache.example:6380/0`,
    'the URL of a mail server': `smtps://mailer:${canary}@mail.example:465`,
    'a client secret': `client_secret=${canary}`,
    'a management token': `the token mt-${canary} is unknown`,
  };
  test.each(Object.entries(texts))('%s', (_what, text) => {
    const { logger, lines } = collected('debug');
    logger.error({ error: text, stack: `at a\nat ${text}` }, 'internal error');
    logger.warn({ notice: text }, 'a notice about the configuration');
    logger.error({ problems: [text] }, 'the configuration could not be reloaded; the previous one stays in effect');
    logger.error({ reason: text, path: text, server: text }, 'files cannot be stored');
    expect(lines).toHaveLength(4);
    expect(lines.filter((line) => line.includes(canary) || line.includes(btoa(`me:${canary}`)))).toEqual([]);
  });
});

describe('levels', () => {
  test('are those of the component, else the general one', () => {
    const { logger, parsed } = collected('error,routing=warn,requests=debug');
    logger.warn({}, 'a channel fails for all accounts');
    logger.warn({}, 'files cannot be stored' as never);
    logger.warn({}, 'usage could not be rolled up; retrying');
    logger.debug({}, 'request without a valid API key');
    expect(parsed().map(({ component }) => component)).toEqual(['routing', 'media', 'requests']);
  });

  test('silent writes nothing', () => {
    const { logger, lines } = collected('silent,routing=silent');
    logger.error({}, 'internal error');
    expect(lines).toEqual([]);
  });

  test('can change while lines are written', () => {
    const { logger, lines } = collected('error');
    logger.info({}, 'request');
    logger.set(settings({}));
    logger.info({}, 'request');
    expect(lines).toHaveLength(1);
  });

  test.each([
    ['loud', 'one of trace, debug, info'],
    ['', 'one of trace, debug, info'],
    ['info,routing=loud', 'for "routing"'],
    ['info,rooting=debug', 'has no component "rooting". The components are access, alerts, billing'],
  ])('%p is refused with what is possible', (text, problem) => {
    expect(parseLevels(text)).toContain(problem);
  });
});

describe('a sample of successes', () => {
  test('has one line of N, which says so, and all failed, retried and slow requests', () => {
    const { logger, parsed } = collected();
    logger.set(settings({ sampleSuccesses: 10, slowMs: 1_000 }));
    for (let number = 0; number < 100; number++) logger.info({ latencyMs: 5, retryCount: 0 }, 'request');
    expect(parsed().map((line) => line.sample_rate)).toEqual(Array.from({ length: 10 }, () => 10));
    logger.info({ latencyMs: 1_000, retryCount: 0 }, 'request');
    logger.info({ latencyMs: 5, retryCount: 1 }, 'request');
    logger.info({ latencyMs: 5, retryCount: 0, clientGone: true }, 'request');
    logger.warn({ latencyMs: 5, retryCount: 0 }, 'request failed');
    expect(
      parsed()
        .slice(10)
        .map((line) => line.sample_rate),
    ).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('lines for people', () => {
  test('have the fields after the message, without control characters, and the stack below', () => {
    const lines: string[] = [];
    const output = { write: (line: string) => void lines.push(line) };
    const logger = new LineLogger({
      ...{ settings: DEFAULT_LOGS, usualFormat: 'pretty', style: 'plain', base: { worker: 2 }, output },
    });
    logger.warn({ channelId: 'a', reason: 'no "room" here', requestId: 'x\u001b[31m\u{e0001}' }, 'attempt failed');
    expect(lines[0]?.slice(13)).toBe(
      'WARN  requests      attempt failed worker=2 channel_id=a reason="no \\"room\\" here" request_id="x\\u001b[31m\\udb40\\udc01"\n',
    );
  });
});

test('lists and maps of a line are cut', () => {
  const list = Array.from({ length: 80 }, (_, number) => `${number}`);
  const most = Object.fromEntries(list.map((name) => [`address-${name}`, 1]));
  const line = JSON.parse(`{${membersOf({ problems: list, most }, false).slice(1)}}`);
  expect([line.problems.length, Object.keys(line.most).length]).toEqual([50, 50]);
});

test('the line of a request has the same members as if it were any other line', () => {
  const fields: LogFields = {
    ...{ requestId: 'req_1', clientRequestId: 'c-1', traceId: 'a', spanId: 'b', clientAddress: '::1', method: 'POST' },
    ...{ path: '/v1/messages', format: 'anthropic', stream: true, accountId: 'acme', keyId: 'ci', modelId: 'm' },
    ...{ channelId: 'a', provider: 'p', upstreamModel: 'u', status: 499, errorCode: 'c' },
    ...{ failureKind: 'k', errorSide: 'client', latencyMs: 5, firstByteMs: 1, upstreamMs: 0, retryCount: 2 },
    ...{ inputTokens: 1, cachedInputTokens: 1, outputTokens: 0, costUsd: '0.1', upstreamRequestId: 'u-1' },
    ...{ cached: 'exact', cacheEntryId: 'e', clientGone: true },
  };
  expect(JSON.parse(`{${requestMembers(fields).slice(1)}}`)).toEqual(
    JSON.parse(`{${membersOf(fields, false).slice(1)}}`),
  );
  expect(requestMembers({ path: null, latencyMs: undefined })).toBe('');
  expect(requestMembers({ path: '/v1/x?key=abc' })).not.toContain('abc');
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DEFAULT_TELEMETRY } from '../../../engine/settings/telemetry.ts';
import { checkCollectors } from './check-collectors.ts';

let collector: ReturnType<typeof Bun.serve>;
let at: string;
const heard: string[] = [];

beforeAll(() => {
  collector = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      heard.push(`${pathname} ${request.headers.get('authorization')} ${(await request.bytes()).length}`);
      if (pathname === '/moved') return Response.redirect(`${at}/v1/traces`, 307);
      return new Response('canary', { status: pathname === '/closed' ? 401 : 200, statusText: 'canary' });
    },
  });
  at = `http://127.0.0.1:${collector.port}`;
});
afterAll(() => collector.stop(true));

const { otlp: usual, traces, metrics, logs } = DEFAULT_TELEMETRY;
const settingsFor = (endpoint: string, own: object = {}) => ({
  ...DEFAULT_TELEMETRY,
  otlp: { ...usual, endpoint, headers: [['authorization', 'Bearer secret']] as const },
  traces: { ...traces, isOn: true, otlp: { ...traces.otlp, ...own } },
});

test('nothing is checked while nothing is exported', async () => {
  expect(await checkCollectors(DEFAULT_TELEMETRY)).toEqual([]);
  expect(await checkCollectors({ ...settingsFor('http://127.0.0.1:1'), isOn: false })).toEqual([]);
});

test('a collector that accepts an export without items is fine, for each signal', async () => {
  heard.length = 0;
  const found = await checkCollectors({
    ...settingsFor(at),
    ...{ metrics: { ...metrics, isOn: true }, logs: { ...logs, isOn: true } },
  });
  expect(found.map(({ level, subject }) => `${level} ${subject}`)).toEqual([
    ...['ok otlp traces', 'ok otlp metrics', 'ok otlp logs'],
  ]);
  expect(heard.sort()).toEqual(['logs', 'metrics', 'traces'].map((signal) => `/v1/${signal} Bearer secret 2`));
});

test.each([
  ['/closed', /\/closed does not accept exports \(HTTP 401\): check the credentials in telemetry\.otlp\.headers$/],
  ['/moved', /\(HTTP 307\): redirects are not followed: set telemetry\.traces\.otlp\.endpoint to where it leads$/],
])('a refusal at %s names the setting', async (path, message) => {
  const [finding] = await checkCollectors(settingsFor(at, { endpoint: at + path }));
  expect(finding).toEqual({ level: 'FAIL', subject: 'otlp traces', message: expect.stringMatching(message) });
  expect(JSON.stringify(finding)).not.toMatch(/canary|secret/);
});

test('a collector that is away, and a file that is missing, name their settings', async () => {
  const [away] = await checkCollectors(settingsFor('http://127.0.0.1:1'));
  expect([away?.level, away?.message]).toEqual(['FAIL', expect.stringContaining('check telemetry.otlp.endpoint, and')]);
  const [file] = await checkCollectors(settingsFor(at, { caFile: '/nowhere/ca.pem' }));
  expect(file?.message).toContain('telemetry.traces.otlp.ca_file: /nowhere/ca.pem cannot be read');
});

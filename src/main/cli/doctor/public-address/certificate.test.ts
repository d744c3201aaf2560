import { afterAll, expect, test } from 'bun:test';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../../upstream/testing/self-signed-certificate.ts';
import { systemClock } from '../../../system.ts';
import { checkCertificate, judgeCertificate } from './certificate.ts';

const NOW_MS = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY },
  fetch: () => new Response('here'),
});

afterAll(() => server.stop(true));

test.each([
  [90, null, 'ok'],
  [13, null, 'warn'],
  [-1, null, 'FAIL'],
  [90, 'DEPTH_ZERO_SELF_SIGNED_CERT', 'FAIL'],
  [-1, 'CERT_HAS_EXPIRED', 'FAIL'],
])('%d days left and the problem %p are %s', (days, problem, level) => {
  expect(judgeCertificate({ validToMs: NOW_MS + days * DAY_MS, problem }, NOW_MS).level).toBe(level as 'ok');
});

test('an expired certificate is called expired rather than refused', () => {
  const finding = judgeCertificate({ validToMs: NOW_MS - DAY_MS, problem: 'CERT_HAS_EXPIRED' }, NOW_MS);
  expect(finding.message).toStartWith('expired on 2026-05-31');
});

test('the certificate of a server is read although it is not trusted', async () => {
  const found = await checkCertificate(`https://127.0.0.1:${server.port}/llm`, systemClock, 60_000);
  expect(found).toMatchObject([{ level: 'FAIL', message: expect.stringMatching(/do not accept it \(\w+\)/) }]);
});

test('an address without TLS, and one without a server, have none', async () => {
  expect(await checkCertificate('http://127.0.0.1:1', systemClock, 60_000)).toEqual([]);
  expect(await checkCertificate('https://127.0.0.1:1', systemClock, 60_000)).toEqual([]);
});

import { afterAll, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { CERTIFICATE, CERTIFICATE_KEY } from '../upstream/testing/self-signed-certificate.ts';
import { PublicCertificate } from './public-certificate.ts';

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY },
  fetch: () => new Response('here'),
});
afterAll(() => server.stop(true));

const HOST = `127.0.0.1:${server.port}`;
const HOUR_MS = 3_600_000;

/** Returns the certificate of an address, and the clock by which it is looked at. */
function certificateAtTime(url: string | null) {
  const clock = { now: 0, monotonicMs: () => clock.now };
  return { clock, certificate: new PublicCertificate(url, clock) };
}

test('the expiry is known once the first look is over', async () => {
  const { certificate } = certificateAtTime(`https://${HOST}/llm`);
  expect(certificate.read()).toBeNull();
  await certificate.settled();
  const expiresAtMs = Date.parse(new X509Certificate(CERTIFICATE).validTo);
  expect(certificate.read()).toEqual({ host: HOST, expiresAtMs });
});

test('it is looked at again after an hour, and is gone if nothing answers', async () => {
  const gone = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY },
    fetch: () => new Response('here'),
  });
  const { clock, certificate } = certificateAtTime(`https://127.0.0.1:${gone.port}`);
  certificate.read();
  await certificate.settled();
  expect(certificate.read()).not.toBeNull();
  await gone.stop(true);
  clock.now = HOUR_MS - 1;
  certificate.read();
  await certificate.settled();
  expect(certificate.read()).not.toBeNull();
  clock.now = HOUR_MS;
  certificate.read();
  await certificate.settled();
  expect(certificate.read()).toBeNull();
});

test.each([null, `http://${HOST}`])('the address %p has no certificate', async (url) => {
  const { certificate } = certificateAtTime(url);
  certificate.read();
  await certificate.settled();
  expect(certificate.read()).toBeNull();
});

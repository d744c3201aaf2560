import { afterAll, describe, expect, test } from 'bun:test';
import net from 'node:net';
import tls from 'node:tls';
import type { RetryVerdict } from '../domain/failure/error-codes.ts';
import type { Failure } from '../domain/failure/failure.ts';
import { healthEffectOf } from '../domain/routing/health-effect.ts';
import { pause } from '../domain/testing/until.ts';
import { EXPIRED_CERTIFICATE, EXPIRED_CERTIFICATE_KEY } from './testing/expired-certificate.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './testing/self-signed-certificate.ts';
import { timeoutFailure, transportFailure } from './transport-failure.ts';

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

type OnSocket = (socket: net.Socket) => void;

async function listening(server: net.Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closers.push(() => server.close());
  return (server.address() as net.AddressInfo).port;
}

/** Starts a server that does this at the first bytes of a request, or at once on connection. */
function rawServer(act: OnSocket, when: 'request' | 'connection' = 'request'): Promise<number> {
  return listening(
    net.createServer((socket) => {
      socket.on('error', () => {});
      if (when === 'connection') act(socket);
      else socket.on('data', () => act(socket));
    }),
  );
}

function tlsServer(options: tls.TlsOptions): Promise<number> {
  const server = tls.createServer(options, (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'));
  });
  server.on('tlsClientError', () => {});
  return listening(server);
}

/** Resolves to the failure for an error of `fetch`, or of reading its body. */
async function failureOf(url: string, init: BunFetchRequestInit = {}): Promise<Failure> {
  try {
    const answer = await fetch(url, { method: 'POST', body: '{}', redirect: 'manual', ...init });
    await answer.bytes();
  } catch (error) {
    return transportFailure(error);
  }
  throw new Error('no failure');
}

async function expectFailure(
  kind: string,
  retry: RetryVerdict,
  url: string,
  init?: BunFetchRequestInit,
): Promise<void> {
  const failure = await failureOf(url, init);
  expect({ kind: failure.kind, retry: failure.retry }).toEqual({ kind, retry });
  expect(failure).toMatchObject({ code: 'upstream_error', side: 'upstream' });
  expect(healthEffectOf(failure)).toBe('failure');
  expect(failure.message).not.toMatch(/127\.0|localhost|https?:/);
}

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const LENGTH = `${HEAD}content-length: 100\r\n\r\n{"a"`;
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n`;
/** Acts once the written bytes have been read. */
const later = async (socket: net.Socket, act: () => void) => {
  await pause();
  await pause();
  if (!socket.destroyed) act();
};

describe('a cut connection is a reset, and the same target may be retried', () => {
  const ways: readonly (readonly [string, OnSocket, ('request' | 'connection')?])[] = [
    ['by a reset, before anything', (socket) => socket.resetAndDestroy(), 'connection'],
    ['by a close, before anything', (socket) => socket.end(), 'connection'],
    ['by a reset, after the request', (socket) => socket.resetAndDestroy()],
    ['by a close, after the request', (socket) => socket.end()],
    ['in the middle of the head', (socket) => socket.end('HTTP/1.1 200 O')],
    [
      'by a close, in a body of known length',
      (socket) => socket.write(LENGTH, () => later(socket, () => socket.end())),
    ],
    [
      'by a reset, in a body of known length',
      (socket) => socket.write(LENGTH, () => later(socket, () => socket.resetAndDestroy())),
    ],
    ['by a close, in a body of pieces', (socket) => socket.write(CHUNKED, () => later(socket, () => socket.end()))],
    [
      'by a reset, in a body of pieces',
      (socket) => socket.write(CHUNKED, () => later(socket, () => socket.resetAndDestroy())),
    ],
  ];
  for (const [name, act, when] of ways) {
    test(name, async () => {
      await expectFailure('reset', 'same-target', `http://127.0.0.1:${await rawServer(act, when)}/`);
    });
  }

  test('in the middle of a TLS handshake', async () => {
    for (const act of [(socket: net.Socket) => socket.resetAndDestroy(), (socket: net.Socket) => socket.end()]) {
      await expectFailure('reset', 'same-target', `https://127.0.0.1:${await rawServer(act)}/`);
    }
  });
});

describe('every other failure is for another target', () => {
  test('a refused connection', async () => {
    await expectFailure('connect_refused', 'other-target', 'http://127.0.0.1:1/');
    await expectFailure('connect_refused', 'other-target', 'https://127.0.0.1:1/');
  });

  test('an unknown or impossible name', async () => {
    for (const host of ['no-such-host.invalid', `${'a'.repeat(70)}.invalid`, 'a..invalid']) {
      await expectFailure('dns', 'other-target', `http://${host}/`);
    }
  });

  test('an unreachable network', async () => {
    await expectFailure('unreachable', 'other-target', 'http://255.255.255.255/');
  });

  test('a response that is not HTTP, or contradicts its head', async () => {
    const answers = [
      'SSH-2.0-OpenSSH_9.9\r\n',
      `${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n{"a"\r\n`,
      ...['gzip', 'br', 'zstd'].map((coding) => `${HEAD}content-encoding: ${coding}\r\ncontent-length: 4\r\n\r\nabcd`),
    ];
    for (const answer of answers) {
      const port = await rawServer((socket) => socket.end(answer));
      await expectFailure('garbage', 'other-target', `http://127.0.0.1:${port}/`);
    }
  });

  test('a proxy that opens no tunnel', async () => {
    const refusal = 'HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n';
    const proxy = `http://127.0.0.1:${await rawServer((socket) => socket.end(refusal))}`;
    await expectFailure('proxy', 'other-target', 'https://example.invalid/', { proxy });
  });

  describe('TLS', () => {
    const own = { cert: CERTIFICATE, key: CERTIFICATE_KEY };
    const ca = { tls: { ca: CERTIFICATE } };
    const failures: readonly (readonly [string, string, tls.TlsOptions, string, BunFetchRequestInit?])[] = [
      ['a certificate that nobody has signed', 'tls_certificate_self_signed', own, '127.0.0.1'],
      ['a certificate for another name', 'tls_certificate_name', own, 'localhost', ca],
      [
        'a certificate that has expired',
        'tls_certificate_expired',
        { cert: EXPIRED_CERTIFICATE, key: EXPIRED_CERTIFICATE_KEY },
        '127.0.0.1',
        { tls: { ca: EXPIRED_CERTIFICATE } },
      ],
      [
        'a version that is too old',
        'tls_handshake',
        { ...own, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' },
        '127.0.0.1',
        ca,
      ],
      [
        'a certificate wanted of the client',
        'tls_handshake',
        { ...own, requestCert: true, rejectUnauthorized: true },
        '127.0.0.1',
        ca,
      ],
    ];
    for (const [name, kind, options, host, init] of failures) {
      test(name, async () => {
        await expectFailure(kind, 'other-target', `https://${host}:${await tlsServer(options)}/`, init);
      });
    }

    test('a server without TLS', async () => {
      const port = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
      await expectFailure('tls_handshake', 'other-target', `https://127.0.0.1:${port}/`);
    });

    test('the same certificate is valid for its own name', async () => {
      const answer = await fetch(`https://127.0.0.1:${await tlsServer(own)}/`, ca);
      expect(answer.status).toBe(200);
    });
  });

  test('failures that cannot be provoked are classified by code', () => {
    const kinds = {
      EAI_AGAIN: 'dns',
      ENODATA: 'dns',
      ESERVFAIL: 'dns',
      ETIMEDOUT: 'connect_timeout',
      EHOSTUNREACH: 'unreachable',
      UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_certificate_untrusted',
      UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_certificate_untrusted',
      SELF_SIGNED_CERT_IN_CHAIN: 'tls_certificate_untrusted',
      CERT_NOT_YET_VALID: 'tls_certificate_not_yet_valid',
      CERT_REVOKED: 'tls_certificate_revoked',
      UNABLE_TO_GET_CRL: 'tls',
      ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'tls',
      SomethingNew: 'transport',
    };
    for (const [code, kind] of Object.entries(kinds)) {
      expect(transportFailure(Object.assign(new Error('x'), { code }))).toMatchObject({ kind, retry: 'other-target' });
    }
    expect(transportFailure('no error at all')).toMatchObject({ kind: 'transport', retry: 'other-target' });
  });

  test('timeouts', () => {
    for (const kind of ['connect_timeout', 'first_byte_timeout', 'idle_timeout', 'total_timeout'] as const) {
      const failure = timeoutFailure(kind, 250);
      expect(failure).toMatchObject({ code: 'timeout_error', status: 504, kind, retry: 'other-target' });
      expect(failure.message).toEndWith('250 ms.');
      expect(healthEffectOf(failure)).toBe('failure');
    }
  });
});

test('a gateway out of sockets does not blame the upstream', () => {
  const failure = transportFailure(Object.assign(new Error('x'), { code: 'EMFILE' }));
  expect(failure).toMatchObject({ code: 'internal_error', side: 'gateway', kind: 'no_sockets', retry: 'other-target' });
  expect(healthEffectOf(failure)).toBe('none');
});

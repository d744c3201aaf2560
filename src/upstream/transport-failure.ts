import { Failure } from '../domain/failure/failure.ts';

/** What Bun's fetch reports by `code`, in the words of our failures. */
const KINDS: Readonly<Record<string, { kind: string; message: string }>> = {
  ECONNREFUSED: { kind: 'connect_refused', message: 'The upstream refused the connection.' },
  ConnectionRefused: { kind: 'connect_refused', message: 'The upstream refused the connection.' },
  ENOTFOUND: { kind: 'dns', message: "The upstream's host name could not be resolved." },
  EAI_AGAIN: { kind: 'dns', message: "The upstream's host name could not be resolved." },
  ECONNRESET: { kind: 'reset', message: 'The upstream cut the connection.' },
  ConnectionClosed: { kind: 'reset', message: 'The upstream cut the connection.' },
  EPIPE: { kind: 'reset', message: 'The upstream cut the connection.' },
  ETIMEDOUT: { kind: 'connect_timeout', message: 'The upstream could not be reached in time.' },
  EHOSTUNREACH: { kind: 'unreachable', message: 'The upstream cannot be reached from here.' },
  ENETUNREACH: { kind: 'unreachable', message: 'The upstream cannot be reached from here.' },
};

/** Turns what `fetch` or a body reader threw into a failure; addresses and causes stay out of the client's message. */
export function transportFailure(error: unknown): Failure {
  const code = codeOf(error);
  const known = KINDS[code];
  if (known) return new Failure('upstream_error', { ...known });
  if (/CERT|TLS|SSL|SELF_SIGNED|EPROTO|ALTNAME/i.test(code)) {
    return new Failure('upstream_error', { kind: 'tls', message: 'The TLS handshake with the upstream failed.' });
  }
  return new Failure('upstream_error', { kind: 'transport', message: 'The connection to the upstream failed.' });
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

export function timeoutFailure(
  kind: 'connect_timeout' | 'first_byte_timeout' | 'idle_timeout' | 'total_timeout',
  limitMs: number,
): Failure {
  const what = {
    connect_timeout: 'could not be reached within',
    first_byte_timeout: 'did not begin to answer within',
    idle_timeout: 'fell silent in the middle of its answer for',
    total_timeout: 'did not finish its answer within',
  }[kind];
  return new Failure('timeout_error', { kind, message: `The upstream ${what} ${limitMs} ms.` });
}

import { Failure, type FailureDetails } from '../domain/failure/failure.ts';
import { WrongLength } from './http1/passing-exchange.ts';
import { ProxyError } from './http1/tunnel.ts';
import { UnreadableUpload } from './pieced-stream.ts';
import { tlsProblem } from './tls-problem.ts';

interface Known extends Pick<FailureDetails, 'message' | 'retry'> {
  readonly kind: string;
  readonly codes: readonly string[];
}

/** The error codes of Bun's `fetch` and body readers (each provoked in the tests), with our failures. */
const KNOWN: readonly Known[] = [
  {
    kind: 'connect_refused',
    message: 'The upstream refused the connection.',
    codes: ['ECONNREFUSED', 'ConnectionRefused'],
  },
  {
    kind: 'dns',
    message: "The upstream's host name could not be resolved.",
    // After the first two: codes of c-ares, for look-ups that bypass the system's resolver.
    codes: [
      'ENOTFOUND',
      'EAI_AGAIN',
      'ENODATA',
      'ESERVFAIL',
      'ETIMEOUT',
      'EBADNAME',
      'EREFUSED',
      'EAI_FAIL',
      'EAI_NODATA',
    ],
  },
  {
    kind: 'reset',
    message: 'The upstream dropped the connection.',
    // The upstream may close a kept connection just as a request is sent; a new connection works.
    retry: 'same-target',
    codes: ['ECONNRESET', 'ConnectionClosed', 'EPIPE', 'ECONNABORTED', 'ENETRESET'],
  },
  { kind: 'connect_timeout', message: 'The upstream could not be reached in time.', codes: ['ETIMEDOUT'] },
  {
    kind: 'unreachable',
    message: 'The upstream cannot be reached from here.',
    codes: ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EACCES', 'EPERM', 'EAFNOSUPPORT'],
  },
  { kind: 'proxy', message: 'The proxy to the upstream refused the connection.', codes: ['ERR_PROXY_TUNNEL'] },
  {
    kind: 'garbage',
    message: 'The upstream did not return valid HTTP.',
    codes: [
      'Malformed_HTTP_Response',
      'InvalidHTTPResponse',
      'ZlibError',
      'BrotliDecompressionError',
      'ZstdDecompressionError',
    ],
  },
];

const BY_CODE: ReadonlyMap<string, Known> = new Map(
  KNOWN.flatMap((known) => known.codes.map((code): [string, Known] => [code, known])),
);

/** The gateway itself has no socket left; the upstream is not the cause. */
const OWN_CODES: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']);

/** Converts an error of `fetch` or a body reader into a failure; addresses and causes stay out of the client's message. */
export function transportFailure(error: unknown): Failure {
  if (error instanceof UnreadableUpload || error instanceof WrongLength) {
    const message = 'The gateway can no longer read the uploaded file. Send the request again.';
    return new Failure('internal_error', { kind: 'upload_unreadable', message });
  }
  if (error instanceof ProxyError) {
    return new Failure('upstream_error', { kind: 'proxy', message: proxyProblem(error) });
  }
  const code = codeOf(error);
  const known = BY_CODE.get(code);
  if (known) {
    const { kind, message, retry } = known;
    return new Failure('upstream_error', { kind, message, ...(retry === undefined ? {} : { retry }) });
  }
  if (OWN_CODES.has(code)) {
    const message = 'The gateway has no free sockets for another request.';
    return new Failure('internal_error', { kind: 'no_sockets', message, retry: 'other-target' });
  }
  const tls = tlsProblem(code);
  if (tls !== null) return new Failure('upstream_error', tls);
  return new Failure('upstream_error', { kind: 'transport', message: 'The connection to the upstream failed.' });
}

/** Returns the message for a proxy's failure, without the proxy's own words. */
function proxyProblem({ problem, status }: ProxyError): string {
  const proxy = 'The proxy to the upstream';
  if (problem === 'unreachable') return `${proxy} cannot be reached or dropped the connection.`;
  if (problem === 'garbage') return `${proxy} did not return valid HTTP.`;
  const why = status === 407 ? ': check the credentials in HTTP_PROXY or HTTPS_PROXY' : '';
  return `${proxy} refused with status ${status}${why}.`;
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
    first_byte_timeout: 'did not begin to respond within',
    idle_timeout: 'sent no data in the middle of its response for',
    total_timeout: 'did not finish its response within',
  }[kind];
  return new Failure('timeout_error', { kind, message: `The upstream ${what} ${limitMs} ms.` });
}

import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import type { RelayedCall } from './relayed-call.ts';
import { uploadBase } from './upstream-place.ts';

/** What the APIs themselves read of a request, beside what the gateway sends for every one. All else is between the client and the gateway. */
const SENT: readonly string[] = [
  'accept',
  'range',
  'idempotency-key',
  'openai-beta',
  'openai-safety-identifier',
  'anthropic-version',
  'anthropic-beta',
  'api-revision',
  'last-event-id',
  'x-goog-upload-protocol',
  'x-goog-upload-command',
  'x-goog-upload-offset',
  'x-goog-upload-file-name',
  'x-goog-upload-header-content-length',
  'x-goog-upload-header-content-type',
];
/** What says of a body how it is to be read. One that was read here has been decoded for that, and goes up as it is then. */
const OF_BODY = { none: [], read: ['content-type'], passing: ['content-type', 'content-encoding'] } as const;

/** What an answer says of its body, and of an upload. Cookies, names of organisations and limits of the channel's owner stay here. */
const GIVEN: readonly string[] = [
  'content-type',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'retry-after',
  'x-goog-upload-status',
  'x-goog-upload-size-received',
  'x-goog-upload-chunk-granularity',
  'x-goog-upload-control-url',
];
const PRINTABLE = /^[\x20-\x7e]{0,4096}$/;

/** The channel's own headers win: they are its credentials. */
export function sentHeaders(
  call: Pick<RelayedCall, 'header'>,
  own: Readonly<Record<string, string>>,
  body: keyof typeof OF_BODY,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of [...SENT, ...OF_BODY[body]]) {
    const value = call.header(name);
    if (value !== null && PRINTABLE.test(value)) headers[name] = value;
  }
  const version = headers['anthropic-version'];
  // Else the length that an answer says would be that of other bytes than those that go down.
  const sent = { ...headers, ...own, 'accept-encoding': 'identity' };
  return version === undefined ? sent : { ...sent, 'anthropic-version': version };
}

/** Of the answer's headers those that are the client's. A page of HTML that somebody has stored is not to run at the gateway's address. */
export function givenHeaders(headers: AnswerHeaders): Record<string, string> {
  const given: Record<string, string> = {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  };
  for (const name of GIVEN) {
    const value = headers.get(name);
    if (value !== null && PRINTABLE.test(value)) given[name] = value;
  }
  return given;
}

/** Google's address for the rest of a file, at the gateway; `null` where it is not below the API that was asked. */
export function uploadUrlHere(url: string, baseUrl: string, origin: string): string | null {
  const there = URL.parse(url);
  const uploads = URL.parse(uploadBase(baseUrl));
  if (there === null || uploads === null || there.origin !== uploads.origin) return null;
  if (!there.pathname.startsWith(`${uploads.pathname}/`)) return null;
  there.searchParams.delete('key');
  return `${origin}/upload/v1beta${there.pathname.slice(uploads.pathname.length)}?${there.searchParams}`;
}

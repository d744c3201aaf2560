import type { ErrorCode } from '../domain/failure/error-codes.ts';
import { Failure } from '../domain/failure/failure.ts';
import { openaiChat } from '../formats/text/openai-chat/index.ts';

export const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Renders a failure in the contract's envelope. */
export function failureAnswer(failure: Failure, requestId: string): Response {
  const { status, body, headers } = openaiChat.encodeFailure(failure, requestId);
  return new Response(body, { status, headers: { ...headers, ...HEADERS, 'x-request-id': requestId } });
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_value',
  401: 'invalid_api_key',
  403: 'access_denied',
  404: 'not_found',
  409: 'conflict',
  422: 'invalid_value',
  429: 'rate_limit_exceeded',
};

/** The member of the body that an error code of the library refers to. */
const PARAMS: Readonly<Record<string, string>> = {
  INVALID_EMAIL: 'email',
  PASSWORD_TOO_SHORT: 'newPassword',
  PASSWORD_TOO_LONG: 'newPassword',
  PROVIDER_NOT_FOUND: 'provider',
  INVALID_CODE: 'code',
  INVALID_CALLBACK_URL: 'callbackURL',
  INVALID_ERROR_CALLBACK_URL: 'errorCallbackURL',
  INVALID_NEW_USER_CALLBACK_URL: 'newUserCallbackURL',
};

/** Messages that replace the library's own. */
const MESSAGES: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'Wrong email or password.',
};

/** Converts an answer of the library: errors get the contract's envelope, and no body contains a session token. */
export async function ownAnswer(answer: Response, requestId: string): Promise<Response> {
  const headers = new Headers(HEADERS);
  for (const cookie of answer.headers.getSetCookie()) headers.append('set-cookie', cookie);
  headers.set('x-request-id', requestId);
  const location = answer.headers.get('location');
  if (location !== null && answer.status >= 300 && answer.status < 400) {
    headers.set('location', location);
    return new Response(null, { status: answer.status, headers });
  }
  const body = parsed(await answer.text());
  if (answer.status >= 400) {
    const failure = failureAnswer(failureOf(answer.status, body), requestId);
    for (const cookie of answer.headers.getSetCookie()) failure.headers.append('set-cookie', cookie);
    return failure;
  }
  headers.set('content-type', 'application/json');
  return new Response(JSON.stringify(withoutTokens(body)), { status: answer.status, headers });
}

function failureOf(status: number, body: unknown): Failure {
  const { code, message } = body !== null && typeof body === 'object' ? (body as Record<string, unknown>) : {};
  const kind = typeof code === 'string' ? { kind: code.toLowerCase().slice(0, 64) } : {};
  const own = typeof message === 'string' && status < 500 ? message.slice(0, 300) : 'The sign-in failed.';
  const text = MESSAGES[String(code)] ?? own;
  // The library's message for an invalid body: `[body.email] Invalid input: …; [body.password] …`.
  const param = /^\[body\.([A-Za-z]+)/.exec(text)?.[1] ?? PARAMS[String(code)];
  const said = text.replace(/\[body\.([A-Za-z.]+)\] /g, '$1: ');
  return new Failure(CODES[status] ?? 'internal_error', {
    message: /[.?!]$/.test(said) ? said : `${said}.`,
    ...kind,
    ...(param === undefined ? {} : { param }),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function withoutTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTokens);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'token' && name !== 'session')
      .map(([name, member]) => [name, withoutTokens(member)]),
  );
}

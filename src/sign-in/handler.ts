import { canonicalEmail } from '../domain/access/user.ts';
import { Failure } from '../domain/failure/failure.ts';
import { hashSecret } from '../engine/access/secrets.ts';
import { hasRecentFactor } from '../engine/admin/require-second-factor.ts';
import { name as personName } from '../engine/admin/schema/fields.ts';
import type { NewAuditEntry } from '../engine/ports/audit-log.ts';
import { ANYONES_BODY, readInput } from '../formats/shared/request/read-input.ts';
import { requestTarget } from '../formats/shared/request/request-target.ts';
import { failureAnswer, ownAnswer } from './answers.ts';
import type { TakenAttempt } from './attempts.ts';
import { ADDRESS_HEADER, createAuth } from './auth.ts';
import { cookieOf, isSameOrigin, isSecureOrigin, libraryCookieName, libraryCookies, signedValueOf } from './cookies.ts';
import { crossOriginFailure } from './cross-origin.ts';
import { findEndpoint, SIGN_IN_ENDPOINTS, type SignInEndpoint } from './endpoints.ts';
import { type RequestNotes, requestNotes } from './notes.ts';
import { personOf } from './sessions.ts';
import { libraryKey, SIGN_IN_PATH, type SignedIn, type SignInFacts, type SignInOptions } from './shape.ts';

type Auth = ReturnType<typeof createAuth>;

/** No password, code or callback address is longer. */
const LONGEST_FIELD = 2_000;

/** A gateway has one or two addresses; a client that invents others makes the library be created again. */
const MOST_ORIGINS = 8;

/** A signed-in person may send the attestation of a new passkey, with its maker's certificates. */
const PERSONS_BODY = { mostBytes: 64 * 1024 };

const DEVICE_COOKIE = 'switchyard.device';
const DEVICE_SECONDS = 365 * 86_400;
/** Headers that are passed to the library unchanged; cookies are rebuilt. */
const PASSED_HEADERS = ['origin', 'user-agent', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'];

interface Asked {
  readonly endpoint: SignInEndpoint;
  readonly path: string;
  readonly search: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly request: Request;
  readonly facts: SignInFacts;
  /** The signed-in person, or `null`. */
  readonly person: SignedIn | null;
}

/** Wraps the sign-in library in our own limits, checks and audit log. */
export class SignInHandler {
  private readonly auths = new Map<string, Auth>();

  constructor(private readonly options: SignInOptions) {}

  async handle(request: Request, facts: SignInFacts): Promise<Response> {
    const { path, query } = requestTarget(request.url);
    const below = path.slice(SIGN_IN_PATH.length);
    const endpoint = findEndpoint(request.method, below);
    if (endpoint === null) return failureAnswer(unknownEndpoint(request.method, below), facts.requestId);
    if (!isSameOrigin(request, facts.publicOrigin)) {
      const otherClients = 'other clients must set it to the address of the gateway';
      const { headers } = request;
      const failure = crossOriginFailure({ headers, publicOrigin: facts.publicOrigin, otherClients });
      return failureAnswer(failure, facts.requestId);
    }
    const person = await personOf(this.options, request.headers, facts.publicOrigin);
    const bounds = { isOptional: true, ...(person === null ? ANYONES_BODY : PERSONS_BODY) };
    const input = endpoint.method === 'POST' ? await readInput(request, bounds) : {};
    if (input instanceof Failure) return failureAnswer(input, facts.requestId);
    const body = { ...input };
    const search = query.size === 0 ? '' : `?${query}`;
    const asked: Asked = { endpoint, path: below, search, body, request, facts, person };
    const refused = (await this.refusalOf(asked)) ?? refusalOfFields(asked);
    if (refused !== null) return failureAnswer(refused, facts.requestId);
    const attempt = endpoint.guesses === undefined ? null : await this.takeAttempt(asked);
    if (attempt !== null && attempt.waitMs !== null) return failureAnswer(tooMany(attempt.waitMs), facts.requestId);
    return await this.ask(asked, attempt);
  }

  private authFor(publicOrigin: string): Auth {
    const known = this.auths.get(publicOrigin);
    if (known !== undefined) return known;
    const [oldest] = this.auths.keys();
    if (this.auths.size >= MOST_ORIGINS && oldest !== undefined) this.auths.delete(oldest);
    const made = createAuth(this.options, publicOrigin);
    this.auths.set(publicOrigin, made);
    return made;
  }

  /**
   * Returns why the request is refused. Changes and enrolments require a signed-in person; only the second factor is checked before that. A
   * session without the second factor that its user has, or must have, changes nothing until it was used or set up.
   */
  private async refusalOf({ endpoint, path, person }: Asked): Promise<Failure | null> {
    if (path.startsWith('/two-factor/verify-')) return null;
    if (endpoint.changes === undefined && endpoint.enrols !== true) return null;
    if (person === null) return notSignedIn();
    const needsRecent = endpoint.needsRecentFactor === true && !this.isRecent(person);
    if (!person.needsSecondFactor && !needsRecent) return null;
    const hasOne = person.user.twoFactorEnabled || (await this.hasPasskey(person.user.id));
    if (endpoint.enrols === true && !hasOne) return null;
    return new Failure('access_denied', {
      kind: 'second_factor_required',
      message: 'Use your second factor first.',
      hint: `Send a code to POST ${SIGN_IN_PATH}/two-factor/verify-totp, or sign in with a passkey.`,
    });
  }

  /**
   * Returns whether the second factor was used recently: a session alone, which may be stolen, must not add a passkey, which would count as
   * a factor.
   */
  private isRecent(signedIn: SignedIn): boolean {
    return hasRecentFactor(signedIn, this.options.clock.nowMs());
  }

  private async hasPasskey(userId: string): Promise<boolean> {
    const mark = this.options.database.dialect === 'sqlite' ? '?1' : '$1';
    const { rows } = await this.options.database.run(
      `SELECT 1 AS found FROM sign_in_passkeys WHERE user_id = ${mark} LIMIT 1`,
      [userId],
    );
    return rows.length > 0;
  }

  private async takeAttempt({ endpoint, body, request, facts, person }: Asked): Promise<TakenAttempt> {
    const { headers } = request;
    const { address } = facts;
    if (endpoint.guesses === 'password') {
      const email = typeof body.email === 'string' ? canonicalEmail(body.email).slice(0, 254) : '';
      return await this.options.attempts.take({ address, email, device: cookieOf(headers, DEVICE_COOKIE) });
    }
    if (endpoint.guesses === 'session') return await this.options.attempts.take({ address });
    const challenge = signedValueOf(
      headers,
      libraryCookieName(facts.publicOrigin, 'two_factor'),
      libraryKey(this.options),
    );
    const session = person?.sessionId ?? (challenge === null ? undefined : hashSecret(challenge));
    return await this.options.attempts.take({ address, ...(session === undefined ? {} : { session }) });
  }

  private async ask(asked: Asked, attempt: TakenAttempt | null): Promise<Response> {
    const { facts, endpoint, path, search, request, person } = asked;
    const notes: RequestNotes = { personId: person?.user.id ?? null };
    const headers = new Headers();
    const key = libraryKey(this.options);
    headers.set('cookie', libraryCookies(request.headers, facts.publicOrigin, key, person !== null));
    for (const name of PASSED_HEADERS) {
      const value = request.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    if (facts.address !== null) headers.set(ADDRESS_HEADER, facts.address);
    const url = `${facts.publicOrigin}${SIGN_IN_PATH}${path}${search}`;
    const init: RequestInit = { method: endpoint.method, headers };
    if (endpoint.method === 'POST') {
      headers.set('content-type', 'application/json');
      init.body = JSON.stringify(picked(asked));
    }
    const auth = this.authFor(facts.publicOrigin);
    const answer = await requestNotes.run(notes, () => auth.handler(new Request(url, init)));
    // The surrounding guard answers and logs the error.
    if (answer.status >= 500 && notes.broken !== undefined) throw notes.broken;
    const isRight = answer.status < 400 && !isErrorRedirect(answer);
    if (isRight) await attempt?.forgive();
    await this.record(asked, notes, isRight);
    const own = await ownAnswer(await withVerification(path, answer), facts.requestId);
    if (isRight && endpoint.guesses === 'password') own.headers.append('set-cookie', this.deviceCookie(asked));
    return own;
  }

  private deviceCookie({ body, facts }: Asked): string {
    const email = canonicalEmail(String(body.email));
    const secure = isSecureOrigin(facts.publicOrigin) ? '; Secure' : '';
    const device = this.options.attempts.newDevice(email);
    return `${DEVICE_COOKIE}=${device}; Path=/; Max-Age=${DEVICE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
  }

  /** Writes the audit log, and marks a session that was confirmed by a second factor. */
  private async record({ endpoint, path, facts, person }: Asked, notes: RequestNotes, isRight: boolean): Promise<void> {
    const isVerifying = path.startsWith('/two-factor/verify-');
    if (isRight && isVerifying && person !== null) {
      await this.options.people.markSecondFactor(person.sessionId, this.options.clock.nowMs());
      if (!person.user.twoFactorEnabled) await this.note(facts, person.user.id, 'two_factor.enable', {});
      return;
    }
    if (isRight && notes.linked !== undefined) {
      await this.note(facts, notes.linked.userId, 'credential.link', { provider: notes.linked.provider });
    }
    const userId = person?.user.id ?? notes.userId ?? null;
    const isSignIn = endpoint.guesses !== undefined && endpoint.changes === undefined;
    if (isRight && isSignIn && notes.created !== undefined) {
      if (path === '/sign-in/email' && (await this.options.people.user(notes.created.userId))?.twoFactorEnabled) return;
      const { method, secondFactor } = notes.created;
      await this.note(facts, notes.created.userId, 'session.create', { method, second_factor: secondFactor });
    } else if (isRight && path === '/sign-out' && userId !== null) {
      await this.note(facts, userId, 'session.end', {});
    } else if (isRight && endpoint.changes !== undefined && userId !== null) {
      await this.note(facts, userId, endpoint.changes, {});
    } else if (!isRight && endpoint.guesses !== undefined) {
      await this.note(facts, userId, 'session.refuse', { method: path });
    }
  }

  private async note(
    { address, requestId }: SignInFacts,
    userId: string | null,
    action: string,
    after: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const user = userId === null ? null : await this.options.people.user(userId);
    const actor: NewAuditEntry['actor'] =
      user === null ? { kind: 'gateway', id: null, name: 'anyone' } : { kind: 'person', id: user.id, name: user.email };
    const objectId = user?.id ?? 'unknown';
    const entry = { atMs: this.options.clock.nowMs(), actor, address, requestId, action, objectId };
    await this.options.audit.append([{ ...entry, accountId: null, before: null, after }]);
  }
}

/**
 * Validates members, since the library stores some unchecked and crashes on others that are not text. Only a passkey's response is an
 * object.
 */
function refusalOfFields({ endpoint, body }: Asked): Failure | null {
  for (const param of endpoint.fields) {
    const value = body[param];
    if (value === undefined || param === 'response') continue;
    if (typeof value !== 'string') return new Failure('invalid_type', { param, message: `${param} must be a string.` });
    if (value.length > LONGEST_FIELD) {
      const message = `${param} has ${value.length} characters; it must have at most ${LONGEST_FIELD}.`;
      return new Failure('invalid_value', { param, message });
    }
    const problem = param === 'name' ? personName.safeParse(value).error?.issues[0]?.message : undefined;
    if (problem !== undefined) return new Failure('invalid_value', { param, message: `${param} ${problem}.` });
  }
  return null;
}

/** Returns the allowed members only: no trusted devices, no tokens of issuers, no extended sessions. */
function picked({ endpoint, body, path }: Asked): Readonly<Record<string, unknown>> {
  const own = Object.fromEntries(Object.entries(body).filter(([name]) => endpoint.fields.includes(name)));
  if (path === '/change-password') return { ...own, revokeOtherSessions: true };
  return typeof own.email === 'string' ? { ...own, email: canonicalEmail(own.email) } : own;
}

/** Requires user verification, since a passkey counts as two factors. */
async function withVerification(path: string, answer: Response): Promise<Response> {
  if (path !== '/passkey/generate-authenticate-options' || !answer.ok) return answer;
  const options = (await answer.json()) as Readonly<Record<string, unknown>>;
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  return new Response(JSON.stringify({ ...options, userVerification: 'required' }), { status: answer.status, headers });
}

/** Returns whether the answer redirects to an error page, as the library does for failures at an issuer. */
function isErrorRedirect(answer: Response): boolean {
  const location = answer.headers.get('location');
  return answer.status >= 300 && location !== null && /[?&]error=/.test(location);
}

function unknownEndpoint(method: string, path: string): Failure {
  const methods = SIGN_IN_ENDPOINTS.filter((one) => one.path === path).map((one) => one.method);
  const shown = `${SIGN_IN_PATH}${path.slice(0, 100)}`;
  if (methods.length > 0) {
    return new Failure('method_not_allowed', {
      message: `${method} is not allowed on ${shown}. Use ${methods.join(' or ')}.`,
    });
  }
  return new Failure('unknown_url', { message: `There is no endpoint ${method} ${shown}.` });
}

function notSignedIn(): Failure {
  return new Failure('invalid_api_key', {
    kind: 'unauthorized',
    message: 'The request has no valid session cookie.',
    hint: `Sign in first: POST ${SIGN_IN_PATH}/sign-in/email.`,
  });
}

function tooMany(waitMs: number): Failure {
  return new Failure('rate_limit_exceeded', {
    kind: 'too_many_attempts',
    message: 'Too many sign-in attempts.',
    retryAfterMs: waitMs,
  });
}

import type { PersonActor } from '../domain/access/actor.ts';
import { Failure } from '../domain/failure/failure.ts';
import type { Configuration } from '../engine/admin/configuration/configuration.ts';
import type { AcceptPorts } from '../engine/admin/people/accept.ts';
import type { LiveBranding } from '../engine/admin/settings/live-branding.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Mailer } from '../engine/ports/mailer.ts';
import type { Store } from '../engine/ports/store.ts';
import { requestTarget } from '../formats/shared/request/request-target.ts';
import { SignInAttempts } from '../sign-in/attempts.ts';
import { isSameOrigin } from '../sign-in/cookies.ts';
import { crossOriginFailure } from '../sign-in/cross-origin.ts';
import { ArgonPasswords } from '../sign-in/passwords.ts';
import { SIGN_IN_PATH } from '../sign-in/shape.ts';
import { createSignIn, type SignIn } from '../sign-in/sign-in.ts';
import { MANAGEMENT_PATH } from '../transports/management/base-path.ts';
import type { RequestFacts } from '../transports/management/management.ts';
import type { OwnRoutesOptions } from '../transports/management/routes/own.ts';
import { VERSION } from './build.ts';
import { derivedKey, newRequestId } from './system.ts';

export interface PeopleOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly configuration: Pick<Configuration, 'signIn' | 'mail' | 'quotas' | 'server'>;
  /** Sends the links of invitations and password resets; `null` if they are only displayed. */
  readonly linkMailer: Mailer | null;
  readonly branding: Pick<LiveBranding, 'current'>;
  /** The name of the service at the start, for authenticator apps and passkeys. */
  readonly serviceName: string;
  /** The master secret. */
  readonly secret: string;
  readonly logger: Logger;
}

/** The services for people who sign in. */
export interface People {
  readonly ports: AcceptPorts;
  /** The services behind the routes of a person's own data. */
  readonly own: OwnRoutesOptions;
  /** Resolves to the person who sends a request to the management API; `null` without a session. */
  requesterOf(request: Request, facts: RequestFacts): Promise<PersonActor | Failure | null>;
  /** Answers a request for which `isSignIn` is true. */
  answer(request: Request, facts: RequestFacts): Promise<Response>;
}

export function createPeople({
  clock,
  store,
  configuration,
  linkMailer: mailer,
  branding: brand,
  serviceName,
  secret,
  logger,
}: PeopleOptions): People {
  const settings = configuration.signIn;
  if (configuration.mail && mailer === null) {
    logger.warn(
      {},
      'invitation and password reset links are not sent by email: set server.public_url, since requests can name any address',
    );
  }
  const { people, directory, signIn: database, audit } = store;
  const passwords = new ArgonPasswords();
  const attempts = new SignInAttempts(people, clock, derivedKey(secret, 'sign-in attempts'));
  const key = derivedKey(secret, 'sign-in');
  const signIn = createSignIn({
    ...{ people, database, audit, passwords, attempts, settings },
    ...{ serviceName, clock, logger, key },
  });
  const { quotas } = configuration;
  const branding = () => brand.current();
  const ports: AcceptPorts = { people, directory, clock, settings, mailer, branding, passwords, quotas };
  const own: OwnRoutesOptions = {
    ...ports,
    version: VERSION,
    publicUrl: configuration.server.publicUrl,
    providers: signIn.providers,
    signedInFrom: async ({ headers, publicOrigin }) => {
      if (!isSameOrigin({ method: 'POST', headers }, publicOrigin)) return null;
      const signedIn = await signIn.personOf(headers, publicOrigin);
      // Without the second factor the identity is not certain.
      return signedIn === null || signedIn.needsSecondFactor ? null : signedIn.user;
    },
    needsSecondFactor: async ({ headers, publicOrigin }) =>
      (await signIn.personOf(headers, publicOrigin))?.needsSecondFactor ?? null,
    takeAttempt: async (address) => (await attempts.take({ address, isLink: true })).waitMs,
    later: (work) => {
      work.catch((error) => logger.error({ error: String(error).slice(0, 300) }, 'an email could not be sent'));
    },
  };
  return {
    ports,
    own,
    requesterOf: (request, facts) => personFrom(signIn, request, facts),
    answer: (request, { address, publicOrigin }) =>
      signIn.handle(request, { address, publicOrigin, requestId: newRequestId() }),
  };
}

/** Returns whether a request is for the sign-in library. */
export function isSignIn(request: Request): boolean {
  return requestTarget(request.url).path.startsWith(`${SIGN_IN_PATH}/`);
}

/** The paths that a session without its second factor may use: to see who it is, and to end sessions. */
const WITHOUT_SECOND_FACTOR = [`${MANAGEMENT_PATH}/me`, `${MANAGEMENT_PATH}/sessions`];

async function personFrom(
  signIn: SignIn,
  request: Request,
  { publicOrigin }: RequestFacts,
): Promise<PersonActor | Failure | null> {
  const signedIn = await signIn.personOf(request.headers, publicOrigin);
  if (signedIn === null) return null;
  if (!isSameOrigin(request, publicOrigin)) {
    const otherClients = 'other clients should use a management token';
    return crossOriginFailure({ headers: request.headers, publicOrigin, otherClients });
  }
  const { path } = requestTarget(request.url);
  const isOwn = WITHOUT_SECOND_FACTOR.some((one) => path === one || path.startsWith(`${one}/`));
  if (signedIn.needsSecondFactor && !isOwn) {
    return new Failure('access_denied', {
      kind: 'second_factor_required',
      message: 'This session needs a second factor first.',
      hint: `Use it (POST ${SIGN_IN_PATH}/two-factor/verify-totp), or set one up (POST ${SIGN_IN_PATH}/two-factor/enable).`,
    });
  }
  const { user, sessionId, secondFactorAtMs } = signedIn;
  const { id: userId, email, name, operator: isOperator, memberships } = user;
  return { kind: 'person', userId, email, name, isOperator, memberships, sessionId, secondFactorAtMs };
}

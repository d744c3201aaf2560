import { z } from 'zod';
import type { PersonActor } from '../../../domain/access/actor.ts';
import { MEMBER_ROLES, type User, type UserWithMemberships } from '../../../domain/access/user.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  type AcceptPorts,
  acceptInvitation,
  lookAtInvitation,
  resetPassword,
} from '../../../engine/admin/people/accept.ts';
import { askForReset, register } from '../../../engine/admin/people/invite.ts';
import { sessionView, userView } from '../../../engine/admin/people/person-view.ts';
import { existingUser, listSessions, revokeSession, revokeSessions } from '../../../engine/admin/people/users.ts';
import {
  acceptanceSchema,
  emailSchema,
  invitationTokenSchema,
  passwordResetSchema,
} from '../../../engine/admin/schema/people.ts';
import { openaiChat } from '../../../formats/text/openai-chat/index.ts';
import { baseUrlsAt } from '../../shared/base-urls.ts';
import { listSchema, pageAnswer } from '../list.ts';
import { doerOf, SESSION_SCHEMA, USER_SCHEMA } from '../people.ts';
import { type ManagementAnswer, type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';
import { NAMED } from './named-answers.ts';

const TAG = 'People';

/** The session facts that sign-in provides, and the other ports of these routes. */
export interface OwnRoutesOptions extends AcceptPorts {
  /** Resolves to the person who sends a request from a page of this gateway; `null` without a session. */
  readonly signedInFrom: (call: Pick<ManagementCall, 'headers' | 'publicOrigin'>) => Promise<User | null>;
  /** Resolves to whether the request's session still needs a second factor; `null` without a session. */
  readonly needsSecondFactor: (call: Pick<ManagementCall, 'headers' | 'publicOrigin'>) => Promise<boolean | null>;
  /** Counts an attempt to open or request a link; resolves to the milliseconds to wait, or `null` if it is allowed. */
  readonly takeAttempt: (address: string | null) => Promise<number | null>;
  /** The gateway's version. */
  readonly version: string;
  /** The configured address of the gateway; `null` without one. */
  readonly publicUrl: string | null;
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** Runs work after the answer was sent, so that the response time reveals nothing. */
  readonly later: (work: Promise<void>) => void;
}

/** Facts about the gateway that need no operator. */
const GATEWAY = {
  version: z.string().meta({ description: 'The version of the gateway.' }),
  base_urls: z
    .object({ openai: z.string(), anthropic: z.string(), gemini: z.string() })
    .meta({ description: 'The base URL for each vendor’s SDKs, based on the address of this request.' }),
  public_url: z
    .string()
    .nullable()
    .meta({
      description:
        '`server.public_url`, which `base_urls` and links begin with. `null`: they begin with the address of this request. A page that knows its own ' +
        'address better, such as below a path that a proxy does not name, may use that instead.',
    }),
};

const ME = USER_SCHEMA.extend({
  memberships: z.array(
    z.object({
      account: z.string(),
      role: z.enum(MEMBER_ROLES),
      name: z.string().meta({ description: 'The name of the account.' }),
      archived: z.boolean().meta({ description: 'Whether the account is archived. If so, it cannot send requests.' }),
    }),
  ),
  ...GATEWAY,
  session: z.string().meta({ description: 'The id of this request’s session.' }),
  needs_second_factor: z.boolean().meta({
    description: 'Whether the session can do nothing else until a second factor is used or set up.',
  }),
}).meta({ id: 'Me' });

const OPTIONS = z
  .object({
    object: z.literal('sign_in_options'),
    registration: z.enum(['closed', 'open']),
    ...GATEWAY,
    signed_in: z.boolean().meta({
      description: 'Whether the request has a session. Saves a page the call of `/me` if it has none.',
    }),
    needs_first_operator: z.boolean().meta({
      description: 'Whether there are no users yet. The gateway prints a link for the first one when it starts.',
    }),
    password_reset: z.boolean().meta({ description: 'Whether a password reset link can be requested by mail.' }),
    providers: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  .meta({ id: 'SignInOptions' });

const LINK = z
  .looseObject({
    object: z.literal('invitation'),
    purpose: z.enum(['join', 'first_operator', 'registration', 'reset']),
    email: z.string().nullable(),
    account: z.string().nullable(),
    ...NAMED.account,
    role: z.enum(MEMBER_ROLES).nullable(),
    operator: z.boolean(),
    expires_at: z.string(),
  })
  .meta({ id: 'InvitationLink' });

const MAIL_REQUEST = z
  .object({ object: z.literal('mail_request'), accepted: z.literal(true) })
  .meta({ id: 'MailRequest' });

/** Returns the routes for a person's own data, and for people who are not signed in yet. */
export function ownRoutes(options: OwnRoutesOptions): readonly ManagementRoute[] {
  return [...meRoutes(options), ...linkRoutes(options), ...mailRoutes(options)];
}

function meRoutes(options: OwnRoutesOptions): readonly ManagementRoute[] {
  const access = { who: 'person' } as const;
  return [
    route({
      ...{ method: 'get', path: '/me', operationId: 'getMe', tag: TAG, access },
      summary: 'Read the signed-in person',
      answer: { description: 'The person', schema: ME },
      handle: async (call) => {
        const { userId, sessionId } = personIn(call);
        const user = await existingUser(options, userId);
        return {
          body: {
            ...userView(user),
            memberships: await namedMemberships(options, user),
            session: sessionId,
            needs_second_factor: (await options.needsSecondFactor(call)) ?? false,
            ...gatewayView(options, call),
          },
        };
      },
    }),
    route({
      ...{ method: 'get', path: '/sessions', operationId: 'listSessions', tag: TAG, access },
      summary: 'List your own sessions',
      description: 'Newest first.',
      answer: { description: 'The newest sessions, at most 1,000', schema: listSchema(SESSION_SCHEMA) },
      handle: async (call) => {
        const { userId, sessionId } = personIn(call);
        const items = await listSessions(options, userId);
        return pageAnswer({ items, next: null }, (session) => sessionView(session, sessionId));
      },
    }),
    route({
      ...{ method: 'delete', path: '/sessions', operationId: 'revokeSessions', tag: TAG, access },
      summary: 'End your other sessions',
      answer: { description: 'The number of ended sessions', schema: z.object({ revoked: z.number() }) },
      handle: async (call) => {
        const { userId, sessionId } = personIn(call);
        return { body: { revoked: await revokeSessions(options, call, userId, sessionId) } };
      },
    }),
    route({
      ...{ method: 'delete', path: '/sessions/{id}', operationId: 'revokeSession', tag: TAG, access },
      summary: 'End one of your own sessions',
      answer: { status: 204, description: 'Done' },
      handle: async (call) => {
        await revokeSession(options, call, personIn(call).userId, paramOf(call, 'id'));
        return {};
      },
    }),
  ];
}

function linkRoutes(options: OwnRoutesOptions): readonly ManagementRoute[] {
  const access = { who: 'anyone' } as const;
  return [
    route({
      ...{ method: 'post', path: '/invitations/lookup', operationId: 'lookUpInvitation', tag: TAG, access },
      summary: 'Look up a one-time link',
      body: { schema: invitationTokenSchema },
      answer: { description: 'The purpose of the link', schema: LINK },
      errors: ['not_found', 'rate_limit_exceeded'],
      handle: (call) => limited(options, call, async () => ({ body: await lookAtInvitation(options, call.input) })),
    }),
    route({
      ...{ method: 'post', path: '/invitations/accept', operationId: 'acceptInvitation', tag: TAG, access },
      summary: 'Accept an invitation',
      description:
        'With `name` and `password` (and `email` if the invitation has none), creates a user, who can then sign in. Without them, the signed-in ' +
        'person joins. A user whose address was never verified cannot accept an invitation. A link that proves this address takes such a user over ' +
        'with the new name and password, and removes all other sign-in methods.',
      body: { schema: acceptanceSchema },
      answer: { status: 201, description: 'The user', schema: USER_SCHEMA },
      errors: ['not_found', 'already_exists', 'conflict', 'rate_limit_exceeded'],
      handle: (call) =>
        limited(options, call, async () => {
          const signedIn = await options.signedInFrom(call);
          return { body: userView(await acceptInvitation(options, call, signedIn, call.input)) };
        }),
    }),
    route({
      ...{ method: 'post', path: '/password-resets/accept', operationId: 'resetPassword', tag: TAG, access },
      summary: 'Set a new password with a one-time link',
      description:
        'Ends all sessions of the user. If the address was not verified before, all other sign-in methods are removed, too.',
      body: { schema: passwordResetSchema },
      answer: { status: 204, description: 'Done' },
      errors: ['not_found', 'conflict', 'rate_limit_exceeded'],
      handle: (call) =>
        limited(options, call, async () => {
          await resetPassword(options, call, call.input);
          return {};
        }),
    }),
  ];
}

function mailRoutes(options: OwnRoutesOptions): readonly ManagementRoute[] {
  const access = { who: 'anyone' } as const;
  const email = { schema: emailSchema };
  /** Neither the answer nor its timing reveals whether the address is registered. */
  const asked = (begin: typeof register) => (call: ManagementCall) =>
    limited(options, call, async () => {
      const work = await begin(options, doerOf(call), call.input);
      options.later(work());
      return { body: { object: 'mail_request' as const, accepted: true as const } };
    });
  return [
    route({
      ...{ method: 'get', path: '/sign-in-options', operationId: 'getSignInOptions', tag: TAG, access },
      summary: 'List the ways to sign in',
      answer: { description: 'The ways besides email and password', schema: OPTIONS },
      handle: async (call) => ({
        body: {
          object: 'sign_in_options' as const,
          ...gatewayView(options, call),
          signed_in: (await options.needsSecondFactor(call)) !== null,
          needs_first_operator: (await options.people.users({ limit: 1, after: null })).length === 0,
          registration: options.settings.registration,
          password_reset: options.mailer !== null,
          providers: options.providers,
        },
      }),
    }),
    route({
      ...{ method: 'post', path: '/password-resets', operationId: 'askForPasswordReset', tag: TAG, access },
      summary: 'Request a password reset link by mail',
      body: email,
      answer: {
        status: 202,
        description: 'Accepted, whether or not a user has the address',
        schema: MAIL_REQUEST,
      },
      errors: ['conflict', 'rate_limit_exceeded'],
      handle: asked(askForReset),
    }),
    route({
      ...{ method: 'post', path: '/registrations', operationId: 'register', tag: TAG, access },
      summary: 'Request a registration link by mail',
      body: email,
      answer: {
        status: 202,
        description: 'Accepted, whether or not a user has the address',
        schema: MAIL_REQUEST,
      },
      errors: ['access_denied', 'rate_limit_exceeded'],
      handle: asked(register),
    }),
  ];
}

async function namedMemberships({ directory }: OwnRoutesOptions, { memberships }: UserWithMemberships) {
  if (memberships.length === 0) return [];
  const ids = memberships.map(({ accountId }) => accountId);
  const { accounts } = await directory.read({ accounts: ids, serving: false });
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return memberships.map(({ accountId, role }) => {
    const account = byId.get(accountId);
    const archived = account !== undefined && account.archivedAtMs !== null;
    return { account: accountId, role, name: account?.name ?? accountId, archived };
  });
}

function gatewayView({ version, publicUrl }: OwnRoutesOptions, { publicOrigin }: Pick<ManagementCall, 'publicOrigin'>) {
  return { version, base_urls: baseUrlsAt(publicOrigin), public_url: publicUrl };
}

function personIn({ requester }: ManagementCall): PersonActor {
  if (requester?.kind !== 'person') throw new Error('Only people may use this route.');
  return requester;
}

/** Limits attempts: links cannot be guessed, but guessing must not load the gateway. */
async function limited<Body>(
  { takeAttempt }: OwnRoutesOptions,
  { address, requestId }: ManagementCall,
  work: () => Promise<ManagementAnswer<Body>>,
): Promise<ManagementAnswer<Body>> {
  const waitMs = await takeAttempt(address);
  if (waitMs === null) return await work();
  const message = 'Too many attempts.';
  const failure = new Failure('rate_limit_exceeded', { kind: 'too_many_attempts', message, retryAfterMs: waitMs });
  const { status, body, headers } = openaiChat.encodeFailure(failure, requestId);
  return { status, body, headers };
}

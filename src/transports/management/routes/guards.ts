import { z } from 'zod';
import { Failure } from '../../../domain/failure/failure.ts';
import { FAILURE_MODES, PII_CLASSES, UNGUARDED_MODES } from '../../../domain/guards/guard.ts';
import { GUARD_ACTIONS, GUARD_STAGES } from '../../../domain/verdicts/guard-verdict.ts';
import { AdminError } from '../../../engine/admin/admin-error.ts';
import { etagOf, guardState } from '../../../engine/admin/audit/object-states.ts';
import { changeGuard, createGuard, deleteGuard } from '../../../engine/admin/guards/change-guards.ts';
import { guardView, listGuards, namedGuardView, showGuard } from '../../../engine/admin/guards/read-guards.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import { guardSchema, guardWebhookSchema } from '../../../engine/admin/schema/guard.ts';
import type { ChannelTestSlots } from '../../../engine/channel-tests/test-channel.ts';
import type { GuardChecks } from '../../../engine/guards/guard-check.ts';
import { tryGuard } from '../../../engine/guards/try-guard.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { DirectoryStore } from '../../../engine/ports/directory-store.ts';
import { oneOf, text } from '../../../providers/shared/file-fields.ts';
import { listSchema, pageAnswer } from '../list.ts';
import { type ManagementRoute, paramOf, route } from '../route.ts';
import { inSlot } from './channel-tests.ts';

export interface GuardRoutesOptions {
  readonly store: { readonly directory: DirectoryStore };
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly checks: GuardChecks;
  /** Bounds the tests that run at the same time. */
  readonly slots: ChannelTestSlots;
}

const TAG = 'Guards';
const READING = { who: 'account', role: 'viewer', scope: 'keys:read', orAll: true } as const;
const WRITING = { who: 'operator', scope: 'settings:write' } as const;
const ACTION = z.enum(GUARD_ACTIONS);

const GUARD = z
  .looseObject({
    object: z.literal('guard'),
    id: z.string(),
    name: z.string(),
    stages: z.array(z.enum(GUARD_STAGES)),
    patterns: z
      .array(z.looseObject({ name: z.string(), pattern: z.string(), ignore_case: z.boolean(), action: ACTION }))
      .optional()
      .meta({ description: 'Operators only, like all rules.' }),
    pii: z.array(z.looseObject({ class: z.enum(PII_CLASSES), action: ACTION })).optional(),
    terms: z
      .array(
        z.looseObject({
          name: z.string(),
          terms: z.array(z.string()),
          within_words: z.boolean(),
          leetspeak: z.boolean(),
          action: ACTION,
        }),
      )
      .optional(),
    moderation: z
      .looseObject({
        model: z.string(),
        thresholds: z.record(z.string(), z.number()),
        action: z.enum(['refuse', 'flag']),
        images: z.boolean(),
        on_failure: z.enum(FAILURE_MODES),
        timeout_ms: z.number(),
      })
      .nullable()
      .optional(),
    webhook: z
      .looseObject({ url_preview: z.string(), on_failure: z.enum(FAILURE_MODES), timeout_ms: z.number() })
      .nullable()
      .optional()
      .meta({ description: 'Its address without path, and no secret.' }),
    hold_characters: z.number().nullable().optional(),
    unguarded: z.enum(UNGUARDED_MODES).optional().meta({
      description: 'Operators only: whether endpoints whose content cannot be checked are refused.',
    }),
    managed_by: z.enum(['file', 'environment', 'api']).optional().meta({ description: 'Operators only.' }),
    created_at: z.string().optional().meta({ description: 'Operators only.' }),
  })
  .meta({ id: 'Guard' });

const { id: _id, ...CHANGEABLE } = guardSchema.shape;
const CHANGE = z.strictObject({ ...CHANGEABLE, webhook: guardWebhookSchema.partial().nullish() });

/** Returns `guards`: the operator's rules about the content of requests, and their names for accounts. */
export function guardRoutes(options: GuardRoutesOptions): readonly ManagementRoute[] {
  return [...readingRoutes(options), ...writingRoutes(options), testRoute(options)];
}

const LONGEST_TEXT = 20_000;

const TRIAL = z.strictObject({
  text: text(`must be a text of 1 to ${LONGEST_TEXT} characters`, new RegExp(`^[\\s\\S]{1,${LONGEST_TEXT}}$`)),
  stage: oneOf(GUARD_STAGES).nullish().meta({
    description: 'As which part of a call it is checked. The default is the first stage of the guard.',
  }),
});

const TEST = z
  .looseObject({
    object: z.literal('guard_test'),
    guard: z.string(),
    stage: z.enum(GUARD_STAGES),
    refused: z.boolean(),
    text: z.string().nullable().meta({
      description:
        'The text as an upstream would get it, with placeholders; as a client would get it, with asterisks, for `output`. `null` if it is refused.',
    }),
    verdicts: z.array(z.looseObject({ rule: z.string(), action: ACTION, count: z.number() })),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable().meta({
      description: 'The error that a client would get.',
    }),
    failed: z.array(z.looseObject({ check: z.enum(['moderation', 'webhook']), problem: z.string() })).meta({
      description: 'The checks that could not decide.',
    }),
  })
  .meta({ id: 'GuardTest' });

/** Returns `guards/{id}/test`, which shows what a guard finds in a text. */
function testRoute({ store, checks, slots }: GuardRoutesOptions): ManagementRoute {
  return route({
    ...{ method: 'post', path: '/guards/{id}/test', operationId: 'testGuard', tag: TAG, access: WRITING },
    summary: 'Test a guard',
    description:
      'Returns what the guard finds in a text. The moderation model and the webhook are asked, for the account `guard-test`. Neither the text nor the result is logged.',
    body: {
      schema: TRIAL,
      examples: { email: { summary: 'An email address', value: { text: 'Ask ada@example.com' } } },
    },
    answer: { description: 'The verdicts', schema: TEST },
    errors: ['conflict'],
    handle: (call) =>
      inSlot(slots, null, async () => {
        const asked = checkInput(TRIAL, ['test'], call.input);
        const guard = await showGuard(store.directory, paramOf(call, 'id'));
        const stage = asked.stage ?? guard.stages[0] ?? 'input';
        if (!guard.stages.includes(stage)) {
          throw new AdminError(
            'invalid_value',
            'stage',
            `must be one that the guard checks: ${guard.stages.join(', ')}`,
          );
        }
        const { text: given } = asked;
        const { requestId } = call;
        const { result, verdicts, failed } = await tryGuard(guard, { text: given, stage, requestId }, checks);
        const isRefused = result instanceof Failure;
        return {
          body: {
            ...{ object: 'guard_test' as const, guard: guard.id, stage, refused: isRefused, failed },
            text: isRefused ? null : result,
            verdicts: verdicts.map(({ rule, action, count }) => ({ rule, action, count })),
            error: isRefused ? { code: result.details.publicCode ?? result.code, message: result.message } : null,
          },
        };
      }),
  });
}

function readingRoutes({ store }: GuardRoutesOptions): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'get', path: '/guards', operationId: 'listGuards', tag: TAG, isList: true, access: READING },
      summary: 'List guards',
      description: 'Ordered by id. Members of an account see only the names, to add guards to their keys.',
      answer: { description: 'A page of guards', schema: listSchema(GUARD) },
      handle: async ({ accountId, query }) =>
        pageAnswer(await listGuards(store.directory, query), (guard) =>
          accountId === null ? guardView(guard) : namedGuardView(guard),
        ),
    }),
    route({
      ...{ method: 'get', path: '/guards/{id}', operationId: 'getGuard', tag: TAG, access: READING },
      summary: 'Read a guard',
      answer: { description: 'The guard', schema: GUARD },
      handle: async (call) => {
        const guard = await showGuard(store.directory, paramOf(call, 'id'));
        if (call.accountId !== null) return { body: namedGuardView(guard) };
        return { body: guardView(guard), etag: etagOf(guardState(guard)) };
      },
    }),
  ];
}

function writingRoutes({ clock, checks }: GuardRoutesOptions): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'post', path: '/guards', operationId: 'createGuard', tag: TAG, access: WRITING },
      summary: 'Create a guard',
      description: 'Accounts, keys and models name the guard by its id.',
      body: {
        schema: guardSchema,
        examples: {
          privacy: {
            summary: 'Masks email addresses and card numbers',
            value: { id: 'privacy', pii: [{ class: 'email' }, { class: 'card' }] },
          },
        },
      },
      answer: { status: 201, description: 'The guard', schema: GUARD },
      errors: ['already_exists'],
      handle: async (call) => {
        const { guard, alreadyThere } = await createGuard(call.directory, clock, call.input, checks);
        const answer = { body: guardView(guard), etag: etagOf(guardState(guard)) };
        return alreadyThere ? { ...answer, status: 200 } : answer;
      },
    }),
    route({
      ...{ method: 'patch', path: '/guards/{id}', operationId: 'updateGuard', tag: TAG, access: WRITING },
      summary: 'Change a guard',
      description:
        'Omitted members keep their values, also those of `webhook`; `null` resets one to its default, and a list replaces the whole list.',
      body: { schema: CHANGE },
      answer: { description: 'The guard', schema: GUARD },
      handle: async (call) => {
        const { guard } = await changeGuard(call.directory, paramOf(call, 'id'), call.input, checks);
        return { body: guardView(guard), etag: etagOf(guardState(guard)) };
      },
    }),
    route({
      ...{ method: 'delete', path: '/guards/{id}', operationId: 'deleteGuard', tag: TAG, access: WRITING },
      summary: 'Delete a guard',
      description: 'Refused while a model, an account or a key that is not revoked names it.',
      answer: { status: 204, description: 'The guard is deleted' },
      errors: ['conflict'],
      handle: async (call) => {
        await deleteGuard(call.directory, paramOf(call, 'id'));
        return {};
      },
    }),
  ];
}

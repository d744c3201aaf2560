import { z } from 'zod';
import type { Principal } from '../../../domain/access/principal.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { STRATEGIES } from '../../../domain/routing/order.ts';
import { AdminError, TooManyError } from '../../../engine/admin/admin-error.ts';
import { namedKey, playgroundReader } from '../../../engine/admin/keys/playground-key.ts';
import { checkInput } from '../../../engine/admin/schema/check-input.ts';
import { identifier } from '../../../engine/admin/schema/fields.ts';
import type { ChannelTestSlots } from '../../../engine/channel-tests/test-channel.ts';
import { type EndpointExplainer, EXPLAINED_ENDPOINTS } from '../../../engine/explanation/endpoint-explainer.ts';
import { explanationView } from '../../../engine/explanation/explanation-view.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import { mapOf, text, time } from '../../../providers/shared/file-fields.ts';
import { accountOf, type ManagementCall, type ManagementRoute, route } from '../route.ts';

export interface RoutingRoutesOptions {
  readonly explainer: Pick<EndpointExplainer, 'explain'>;
  readonly clock: Clock;
  readonly slots: Pick<ChannelTestSlots, 'take'>;
}

const MOST_HEADERS = 32;
const RETRY_MS = 1_000;

const headerName = text('must be the name of a header in lower case', /^[a-z0-9-]{1,64}$/);
const headerValue = text('must be a header’s value of at most 4096 characters', /^[^\p{Cc}]{0,4096}$/u);

const ASKED = z.strictObject({
  endpoint: text('must be the path of an endpoint, such as "/v1/chat/completions"', /^\/[^\s\p{Cc}]{1,400}$/u).meta({
    description: `The path to which a client would send the request: ${EXPLAINED_ENDPOINTS.map((path) => `\`${path}\``).join(', ')}.`,
  }),
  body: z.record(z.string(), z.unknown(), { error: 'must be the body of the request, a JSON object' }),
  headers: mapOf(headerName, headerValue, 'must be a map from names to values', MOST_HEADERS).nullish().meta({
    description: 'The headers that matter for routing, such as `x-switchyard-tags` and `x-session-id`.',
  }),
  key_id: identifier.nullish().meta({
    description: 'The API key that the client would use. The default is one without limits of its own.',
  }),
  at: time.nullish().meta({ description: 'When the request is assumed to arrive. The default is now.' }),
});

const ERROR = z
  .object({
    code: z.string(),
    kind: z.string().nullable(),
    message: z.string(),
    param: z.string().nullable(),
    hint: z.string().nullable(),
  })
  .nullable();

const CHECK = z.object({ condition: z.string(), wanted: z.string(), value: z.string(), holds: z.boolean() });

const RULE = z.object({
  number: z.number(),
  name: z.string().nullable(),
  model: z.string(),
  checks: z.array(CHECK).meta({ description: 'Each condition with the value that it was compared with.' }),
  verdict: z.enum(['taken', 'conditions', 'skipped', 'not-reached']).meta({
    description:
      '`taken`; `conditions`: one does not hold; `skipped`: no channel serves its model for the account; `not-reached`: an earlier rule was taken.',
  }),
});

const CHANNEL = z.looseObject({
  channel: z.string(),
  name: z.string(),
  provider: z.string(),
  private: z.boolean(),
  upstream_key: z.string().nullable().meta({ description: 'The name of the channel’s key, if it has several.' }),
  format: z.string().meta({ description: 'The wire format in which the channel would get the request.' }),
  upstream_model: z.string(),
  position: z.number().nullable().meta({ description: 'The rank, from 1. `null`: it would not be asked.' }),
  reasons: z.array(z.string()),
  lane: z.enum(['relay', 'translate']).nullable(),
  losses: z.array(z.object({ field: z.string(), verdict: z.string(), why: z.string() })),
  error: ERROR.meta({ description: 'Why the channel could not carry the request.' }),
  state: z.enum(['closed', 'half-open', 'open', 'blocked']),
  available_in_ms: z.number().nullable(),
  load: z
    .object({ running: z.number(), waiting: z.number() })
    .nullable()
    .meta({ description: 'Requests that run and wait at a channel with limits. `null`: it has none.' }),
  priority: z.number(),
  weight: z.number(),
  affinity: z.number().nullable().meta({ description: 'Its rank by affinity, lower first.' }),
  score: z.number().nullable().meta({
    description: 'The value that the strategy compares: nano-USD, milliseconds, or requests in flight per weight.',
  }),
});

const EXPLANATION = z
  .looseObject({
    object: z.literal('routing_explanation'),
    requested_model: z.string().nullable(),
    model: z.string().nullable().meta({ description: 'The model that would be asked.' }),
    format: z.string(),
    stream: z.boolean(),
    rules: z
      .array(z.object({ model: z.string(), rules: z.array(RULE) }))
      .nullable()
      .meta({ description: 'Operators only: the rules of each virtual model on the way.' }),
    steps: z.array(z.object({ kind: z.string(), from: z.string(), to: z.string(), reason: z.string() })),
    fallbacks: z.array(z.string()).meta({ description: 'The models that would be asked if all channels fail.' }),
    error: ERROR.meta({ description: 'Why the request would be refused; `null` if it would be sent.' }),
    strategy: z.object({ name: z.enum(STRATEGIES), from: z.enum(['account', 'model', 'default']) }).nullable(),
    channels: z.array(CHANNEL).meta({
      description:
        'Those that would be asked first, in their order, then the others. Members of an account see only the account’s own.',
    }),
    shared_channels: z.number().meta({ description: 'The number of PLATFORM channels among the candidates.' }),
    reservation: z
      .object({
        most_usd: z.string().nullable().meta({ description: 'The most that the request may cost. `null`: unknown.' }),
        reserved: z.boolean().meta({
          description:
            'Whether it is reserved, because the account or key is limited. Otherwise the cost is only recorded.',
        }),
      })
      .nullable()
      .meta({ description: '`null` if the request is free or refused.' }),
  })
  .meta({ id: 'RoutingExplanation' });

/** Returns `routing/explain`, a dry run of a request. */
export function routingRoutes({ explainer, clock, slots }: RoutingRoutesOptions): readonly ManagementRoute[] {
  const run = async (call: ManagementCall) => {
    const { endpoint, body, headers, key_id: keyId, at } = checkInput(ASKED, ['explain'], call.input);
    const principal = await principalOf(call, accountOf(call), keyId ?? null, clock);
    const explanation = await explainer.explain({
      endpoint,
      body,
      headers: headers ?? {},
      principal,
      atMs: at ?? null,
    });
    if (explanation instanceof Failure) throw new AdminError('invalid_value', 'endpoint', unquoted(explanation));
    return { body: explanationView(explanation, { isOperator: call.requester?.isOperator === true }) };
  };
  return [
    route({
      ...{ method: 'post', path: '/routing/explain', operationId: 'explainRouting', tag: 'Requests' },
      summary: 'Explain how a request would be routed',
      description:
        'A dry run: says which model and channels a request would get, and why. Nothing is sent, reserved, charged or counted. Files behind URLs are not fetched.',
      access: { who: 'account', role: 'member', scope: 'requests:read' },
      body: {
        schema: ASKED,
        examples: {
          chat: {
            summary: 'A chat',
            value: {
              endpoint: '/v1/chat/completions',
              body: { model: 'auto', messages: [{ role: 'user', content: 'Hello!' }] },
              headers: { 'x-switchyard-tags': 'team=search' },
            },
          },
        },
      },
      answer: { description: 'What would happen', schema: EXPLANATION },
      handle: (call) => inSlot(slots, call.accountId, () => run(call)),
    }),
  ];
}

/** Resolves to the account with the named key, or with one that is not stored. Throws `AdminError` for a key that cannot be used. */
async function principalOf(
  { directory }: ManagementCall,
  accountId: string,
  keyId: string | null,
  clock: Clock,
): Promise<Principal> {
  const reader = await playgroundReader({ directory, clock }, accountId);
  if (keyId === null) return reader;
  return { account: reader.account, credential: await namedKey({ directory, clock }, accountId, keyId) };
}

function unquoted({ message, details: { hint } }: Failure): string {
  const text = hint === undefined ? message : `${message} ${hint}`;
  return text.replaceAll('`', '"');
}

/** Bounds how many explanations run at once, because each may translate a request for many channels. */
async function inSlot<Answer>(
  slots: RoutingRoutesOptions['slots'],
  accountId: string | null,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const release = slots.take(accountId);
  if (release === null) {
    throw new TooManyError('routing', 'too many requests are being explained; try again in a second', RETRY_MS);
  }
  try {
    return await run();
  } finally {
    release();
  }
}

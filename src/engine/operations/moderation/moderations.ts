import { allowsModel } from '../../../domain/access/allow-list.ts';
import type { Principal } from '../../../domain/access/principal.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import { publicContractSummaryOf } from '../../../domain/catalog/public-contract.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { promptTokensOf } from '../../../domain/money/quantity.ts';
import { orderTargets, type Weighted } from '../../../domain/routing/order.ts';
import type { ClientFormat } from '../../../formats/format.ts';
import { entryOf } from '../../../formats/shared/record.ts';
import type { Caller } from '../../access/caller.ts';
import { type AdmitPorts, admit } from '../../call/admit.ts';
import { internalError, recordFailure, toldHeaders } from '../../call/answered-call.ts';
import { Outcome, type RecordPorts } from '../../call/outcome.ts';
import { type AttemptPorts, RunningAttempt } from '../../call/running-attempt.ts';
import { upstreamRequestIdOf } from '../../call/upstream-request-id.ts';
import type { Directory, RelayRoutes } from '../../directory/directory.ts';
import { ifUsable, usableModels } from '../../directory/find-model.ts';
import type { RelayChannel } from '../../directory/relay-channel.ts';
import type { AskedTarget } from '../../directory/target.ts';
import type { Billing, RequestBounds } from '../../ports/billing.ts';
import type { Upstream, WaitingClient } from '../../ports/upstream.ts';
import type { RoutingSettings } from '../../settings/routing-settings.ts';
import {
  answerWith,
  billableModeration,
  bytesFor,
  type ModerationRequest,
  parseModeration,
} from './moderation-request.ts';

const DEFAULT_MODEL = 'omni-moderation-latest';
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const ERROR_BOUNDS = { limitBytes: 256 * 1024, withinMs: 10_000 };

type Bytes = Uint8Array<ArrayBuffer>;
type Recorded = Outcome<AskedTarget>;

export interface ModerationPorts extends RecordPorts, AttemptPorts, AdmitPorts {
  readonly directory: () => Directory;
  readonly upstream: Upstream;
  readonly billing: Billing;
  readonly routing: RoutingSettings;
  readonly random: () => number;
  readonly newRequestId: () => string;
}

export interface ModerationCall extends WaitingClient, Caller {
  readonly format: ClientFormat;
  readBody(accountId: string): Promise<Bytes | Failure>;
}

export interface ModerationAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Bytes | string;
}

/** A channel of the model that has the endpoint. */
interface ModerationTarget extends AskedTarget, Weighted {
  readonly relay: RelayChannel;
  readonly upstreamModel: string;
}

interface Admitted {
  readonly call: ModerationCall;
  readonly outcome: Recorded;
  readonly principal: Principal;
  readonly request: ModerationRequest;
}

/** POST /v1/moderations in OpenAI's shape: relayed to a channel of the model whose provider has the endpoint, one after the other. */
export class Moderations {
  private running = 0;

  constructor(private readonly ports: ModerationPorts) {}

  get inFlight(): number {
    return this.running;
  }

  async run(call: ModerationCall): Promise<ModerationAnswer> {
    const outcome: Recorded = new Outcome(this.ports, this.ports.newRequestId(), call.format.name);
    this.running++;
    outcome.whenOver(() => this.running--);
    try {
      const answer = await this.walk(call, outcome);
      return answer instanceof Failure ? this.answerFailure(call, outcome, answer) : answer;
    } catch (error) {
      return this.answerFailure(call, outcome, internalError(this.ports.logger, outcome.requestId, error));
    }
  }

  private async walk(call: ModerationCall, outcome: Recorded): Promise<ModerationAnswer | Failure> {
    const directory = this.ports.directory();
    const principal = await admit(this.ports, call, outcome);
    if (principal instanceof Failure) return principal;
    const bytes = await call.readBody(principal.account.id);
    const parsed = bytes instanceof Failure ? bytes : parseModeration(bytes);
    if (parsed instanceof Failure) return parsed;
    const request = { ...parsed, model: parsed.model ?? defaultModel(directory, principal) };
    const routes = routesOf(directory, principal, request.model);
    if (routes instanceof Failure) return routes;
    outcome.modelId = request.model;
    const targets = routes.relays.map((relay) => targetOf(relay, request.model));
    outcome.mayUsePlatform = targets.some(({ isPrivate }) => !isPrivate);
    const reservation = await this.ports.billing.reserve({
      requestId: outcome.requestId,
      principal,
      modelId: request.model,
      prices: routes.prices,
      mayUsePlatform: outcome.mayUsePlatform,
      mayUseOwn: targets.some(({ isPrivate }) => isPrivate),
      bounds: boundsOf(request),
    });
    if (reservation instanceof Failure) return reservation;
    outcome.reservation = reservation;
    return this.askAll({ call, outcome, principal, request }, this.ordered(routes, targets, principal));
  }

  private ordered(
    { model, rotation, costs }: RelayRoutes,
    targets: readonly ModerationTarget[],
    { account }: Principal,
  ) {
    const { clock, random, routing } = this.ports;
    const nowMs = clock.monotonicMs();
    const usable = targets.filter(({ health }) => health.admits(account.id, nowMs));
    return orderTargets(usable, {
      strategy: account.strategy ?? model.strategy ?? routing.strategy,
      rotation,
      random,
      affinity: null,
      keyOf: ({ channel }) => channel.id,
      costOf: ({ channel }) => costs.get(channel.id)?.(nowMs) ?? null,
      firstByteMsOf: ({ health }) => health.firstByteMs.whole.valueAt(nowMs),
      inFlightOf: ({ health }) => health.channel.inFlight,
    });
  }

  private async askAll(admitted: Admitted, targets: readonly ModerationTarget[]): Promise<ModerationAnswer | Failure> {
    const { outcome, principal } = admitted;
    const { clock, routing } = this.ports;
    const startedMs = clock.monotonicMs();
    let last: Failure | null = null;
    let asked = 0;
    for (const target of targets) {
      const isLate = asked > 0 && clock.monotonicMs() - startedMs >= routing.deadlineMs;
      if (asked >= routing.maxAttempts || isLate) break;
      const running = RunningAttempt.begin(this.ports, target, principal.account.id, false);
      if (running === null) continue;
      outcome.target = target;
      outcome.retryCount = asked++;
      const answer = await this.ask(admitted, target, running);
      if (!(answer instanceof Failure)) return answer;
      last = target.relay.secrets.cleaned(answer);
      running.failed(last);
      if (last.side === 'client') return last;
      const { id: channelId } = target.channel;
      outcome.failedAttempts.push({ channelId, kind: last.kind, latencyMs: running.latencyMs });
      if (last.retry === 'never') return last;
    }
    return asked === 1 && targets.length === 1 && last !== null ? last : noneAnswered(admitted.request.model, last);
  }

  private async ask(
    { call, outcome, request }: Admitted,
    { relay, upstreamModel }: ModerationTarget,
    running: RunningAttempt,
  ): Promise<ModerationAnswer | Failure> {
    const address = relay.addressOf('moderations');
    if (address === null) throw new Error(`the channel ${relay.channel.id} has no moderations`);
    const answer = await this.ports.upstream.send({
      url: `${address.baseUrl}/moderations`,
      method: 'POST',
      headers: { ...address.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: bytesFor(request, upstreamModel),
      timeouts: relay.timeouts.whole,
      local: relay.local,
      client: call,
    });
    if (answer instanceof Failure) return answer;
    outcome.upstreamRequestId = upstreamRequestIdOf(answer.headers);
    if (answer.status < 200 || answer.status > 299) {
      const bytes = await answer.body.readAll(ERROR_BOUNDS);
      if (bytes instanceof Failure && bytes.side !== 'upstream') return bytes;
      const said = bytes instanceof Failure ? new Uint8Array(0) : bytes;
      return call.format.decodeFailure(answer.status, answer.headers, said);
    }
    running.answering();
    const bytes = await answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES });
    if (bytes instanceof Failure) return bytes;
    const routing = relay.routing.withRetries(outcome.retryCount);
    const body = answerWith(bytes, request.model, routing);
    if (body === null) {
      return new Failure('upstream_error', { kind: 'garbage', message: "The upstream's answer is no moderation." });
    }
    running.answered();
    try {
      await outcome.charge(billableModeration(bytes, request));
    } catch (error) {
      outcome.notCharged(error);
      return new Failure('internal_error', {
        message:
          'The answer is complete, but its cost could not be recorded, so it is withheld. Send the request again later.',
        kind: 'not_charged',
      });
    }
    outcome.status = 200;
    outcome.firstByteSent();
    outcome.record();
    const headers = {
      'content-type': 'application/json',
      'x-routing': routing.json,
      ...toldHeaders(call.format, outcome),
    };
    return { status: 200, headers, body };
  }

  private answerFailure(call: ModerationCall, outcome: Recorded, failure: Failure): ModerationAnswer {
    const { status, headers, body } = recordFailure(call.format, outcome, failure);
    return { status, headers: { ...headers, ...toldHeaders(call.format, outcome) }, body };
  }
}

/** OpenAI's own default (its published document, `CreateModerationRequest`), else the first model that the key may use here. */
function defaultModel(directory: Directory, principal: Principal): string {
  const { account, credential } = principal;
  const hasChannel = (id: string) => (directory.relaysTo(id, account.id, 'moderations')?.relays.length ?? 0) > 0;
  if (allowsModel(credential.models, DEFAULT_MODEL) && hasChannel(DEFAULT_MODEL)) return DEFAULT_MODEL;
  const other = usableModels(directory, principal).find((model) => serves(model) && hasChannel(model.id));
  return other?.id ?? DEFAULT_MODEL;
}

const serves = ({ operations }: Model) => operations.includes('moderations');

function routesOf(directory: Directory, principal: Principal, modelId: string): RelayRoutes | Failure {
  const found = directory.relaysTo(modelId, principal.account.id, 'moderations');
  const routes = ifUsable(found, { directory, principal, modelId, serves });
  if (routes instanceof Failure || (serves(routes.model) && routes.relays.length > 0)) return routes;
  const { request_endpoint: endpoint } = publicContractSummaryOf(routes.model.operations);
  return new Failure('model_not_found', {
    status: 400,
    message: `The model \`${modelId}\` is not available at this endpoint${serves(routes.model) ? ': no channel of it has moderations' : ''}.`,
    kind: 'wrong_endpoint',
    param: 'model',
    hint: serves(routes.model)
      ? 'Use a model of a provider that has moderations (OpenAI, Mistral).'
      : `Send it to POST ${endpoint}, or use a model whose operations hold \`moderations\`.`,
  });
}

function targetOf(relay: RelayChannel, modelId: string): ModerationTarget {
  const { channel } = relay;
  const upstreamModel = entryOf(channel.models, modelId) ?? modelId;
  const { priority, weight, owner } = channel;
  const health = relay.health.model(upstreamModel);
  return { relay, channel, upstreamModel, health, isPrivate: owner !== null, governed: null, priority, weight };
}

/** No text has more tokens than bytes, and a verdict none at all. */
function boundsOf({ bytes }: ModerationRequest): RequestBounds {
  const size = { inputTokens: bytes.length, outputTokens: 0 };
  return {
    certain: () => size,
    counted: async () => size,
    isPlausible: (billable) => promptTokensOf(billable) <= bytes.length,
    plausible: () => size,
  };
}

function noneAnswered(model: string, last: Failure | null): Failure {
  return new Failure('all_channels_failed', {
    message:
      last === null
        ? `No channel can answer for the model \`${model}\` now: they rest after failures.`
        : `No channel could answer for the model \`${model}\`. The last one said: ${last.message}`,
    kind: last === null ? 'no_channel_available' : 'all_channels_failed',
    retryAfterMs: last?.details.retryAfterMs ?? 1_000,
    hint: 'Wait for retry_after seconds and send the request again.',
  });
}

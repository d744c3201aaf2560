import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { identityOf } from '../../domain/trace/call-identity.ts';
import { RELAYED_APIS, type RelayedApi } from '../../providers/shared/relayed-apis.ts';
import { type AdmitPorts, admit } from '../call/admit.ts';
import { internalError, recordFailure, toldHeaders } from '../call/end-of-call.ts';
import { Outcome } from '../call/outcome.ts';
import type { RecordPorts } from '../call/record-ports.ts';
import { type AttemptPorts, RunningAttempt } from '../call/running-attempt.ts';
import { tellInHeaders, toldCost } from '../call/told-cost.ts';
import type { Directory } from '../directory/directory.ts';
import { ObjectMemory } from '../directory/object-memory.ts';
import type { RelayChannel } from '../directory/relay-channel.ts';
import type { AskedTarget } from '../directory/target.ts';
import { unguardedProblem } from '../guards/unguarded-problem.ts';
import type { Billing } from '../ports/billing.ts';
import type { ObjectOriginStore } from '../ports/object-origins.ts';
import type { Upstream, UpstreamAnswer } from '../ports/upstream.ts';
import { CHANNEL_HEADER, chooseChannel, noChannel } from './choose-channel.ts';
import { EventPassage } from './event-passage.ts';
import { idsInAddress, idsInJson } from './named-ids.ts';
import {
  keyProblem,
  modelInBody,
  modelInQuery,
  type NamedModel,
  publicModelIn,
  upstreamModelAt,
  withUpstreamModel,
} from './named-model.ts';
import { PassingAnswer, readBeginning } from './passing-answer.ts';
import { pageInstead, refusalOf } from './refusal.ts';
import { relayPermit } from './relay-permit.ts';
import type { PassingBody, RelayedAnswer, RelayedCall } from './relayed-call.ts';
import { givenHeaders, sentHeaders, uploadUrlHere } from './relayed-headers.ts';
import { tailProblem, upstreamUrl } from './upstream-place.ts';

/** The largest JSON body that is inspected for the ids in it. */
const LOOKED_AT_BYTES = 1024 * 1024;
/** The bounds of a request without a price, whose size does not matter. */
export const NOTHING_ASKED = {
  certain: () => NO_SIZE,
  counted: async () => NO_SIZE,
  isPlausible: () => true,
  plausible: () => NO_SIZE,
};
const NO_SIZE = { inputTokens: 0, outputTokens: 0 };

type Bytes = Uint8Array<ArrayBuffer>;

export interface RelayPorts extends RecordPorts, AttemptPorts, AdmitPorts {
  readonly directory: () => Directory;
  readonly upstream: Upstream;
  readonly objects: ObjectOriginStore;
  readonly billing: Billing;
  readonly newRequestId: () => string;
}

/** A call that may proceed, with the facts about it. */
interface Admitted {
  readonly call: RelayedCall;
  readonly outcome: Outcome;
  readonly principal: Principal;
  readonly body: Bytes | PassingBody | null;
  readonly named: NamedModel;
  readonly ids: readonly string[];
  readonly relay: RelayChannel;
  readonly upstreamModel: string | null;
}

/**
 * Passes requests about objects that a provider keeps for an account (files, batches, caches …) through to one of the account's own
 * channels. A platform's channel is never used: its key can reach the objects of all accounts (docs/passed-through.md).
 */
export class Relays {
  private running = 0;
  private readonly objects: ObjectMemory;

  constructor(private readonly ports: RelayPorts) {
    this.objects = new ObjectMemory(ports);
  }

  /** The number of calls whose answers have not ended. */
  get inFlight(): number {
    return this.running;
  }

  async run(call: RelayedCall): Promise<RelayedAnswer> {
    const outcome = new Outcome(this.ports, identityOf(this.ports.newRequestId(), call), call.envelope.name);
    outcome.comesFrom(call);
    this.running++;
    outcome.whenOver(() => this.running--);
    try {
      const answer = await this.walk(call, outcome);
      return answer instanceof Failure ? this.answerFailure(call, outcome, answer) : answer;
    } catch (error) {
      return this.answerFailure(call, outcome, internalError(this.ports.logger, outcome.requestId, error));
    }
  }

  private async walk(call: RelayedCall, outcome: Outcome): Promise<RelayedAnswer | Failure> {
    const admitted = await this.admit(call, outcome);
    if (admitted instanceof Failure) return admitted;
    const { principal, relay } = admitted;
    const target = askedOf(admitted);
    outcome.attemptBegan(target, 0);
    if (costsFee(call)) {
      const reservation = await this.ports.billing.reserve({
        requestId: outcome.requestId,
        principal,
        modelId: admitted.named.model ?? RELAYED_APIS[call.api].path,
        prices: null,
        mayUsePlatform: false,
        mayUseOwn: true,
        bounds: NOTHING_ASKED,
      });
      if (reservation instanceof Failure) return reservation;
      outcome.reserved(reservation);
    }
    const accountId = principal.account.id;
    const permit = await relayPermit(this.ports.channelLimits, relay, target.health, admitted.named.model);
    if (permit instanceof Failure) return permit;
    const running = RunningAttempt.begin(this.ports, { ...target, upstreamModel: null }, accountId, false, permit);
    if (running === null) {
      permit?.leave();
      return resting(relay, target, this.ports.clock.monotonicMs());
    }
    let answer: RelayedAnswer | Failure;
    try {
      answer = await this.ask(admitted, running);
    } catch (error) {
      running.abandoned();
      throw error;
    }
    if (!(answer instanceof Failure)) return answer;
    const failure = relay.secrets.cleaned(answer);
    running.failed(failure);
    outcome.attemptFailed(failure, running.latencyMs);
    return failure;
  }

  /** Makes the checks before a channel is asked. */
  private async admit(call: RelayedCall, outcome: Outcome): Promise<Admitted | Failure> {
    const { ports } = this;
    const directory = ports.directory();
    outcome.mayUse({ platform: false });
    const principal = await admit(ports, call, outcome);
    if (principal instanceof Failure) return principal;
    const api: RelayedApi = RELAYED_APIS[call.api];
    const problem = tailProblem(call);
    if (problem !== null) return problem;
    const accountId = principal.account.id;
    const channels = directory.relayChannels(accountId);
    if (!channels.some((one) => one.addressOf(call.api) !== null)) {
      return noChannel(call.api);
    }
    const body = await openBody(call, api, accountId);
    if (body instanceof Failure) return body;
    const named = namedModel(call, api, body);
    if (named instanceof Failure) return named;
    outcome.wants(named.model);
    const refusal = keyProblem(principal, named.model, mayHideModels(call, api, body));
    const unchecked = refusal ?? unguardedProblem(directory.guards, principal, named.model);
    if (unchecked !== null) return unchecked;
    const inBody = body instanceof Uint8Array ? idsInJson(new TextDecoder().decode(body)) : [];
    const ids = [...idsInAddress(api.path, call.tail, call.query), ...inBody];
    const header = call.header(CHANNEL_HEADER);
    const relay = await chooseChannel(this.objects, {
      accountId,
      api: call.api,
      channels,
      ids,
      header,
      model: named.model,
    });
    if (relay instanceof Failure) return relay;
    outcome.names(named.model);
    const upstreamModel = named.model === null ? null : upstreamModelAt(relay.channel, named.model);
    return { call, outcome, principal, body, named, ids, relay, upstreamModel };
  }

  private async ask(admitted: Admitted, running: RunningAttempt): Promise<RelayedAnswer | Failure> {
    const { call, outcome, relay, named, upstreamModel } = admitted;
    const address = relay.addressOf(call.api);
    if (address === null) throw new Error(`the channel ${relay.channel.id} does not have ${call.api}`);
    if (upstreamModel !== null && call.query.has('model')) call.query.set('model', upstreamModel);
    let { body } = admitted;
    if (body instanceof Uint8Array && upstreamModel !== null) body = withUpstreamModel(body, named, upstreamModel);
    const answer = await this.ports.upstream.send({
      url: upstreamUrl(call, address),
      method: call.method,
      headers: { ...sentHeaders(call, address.headers, kindOf(body)), ...outcome.idsFor(relay, 0) },
      body,
      timeouts: relay.timeouts.whole,
      local: relay.local,
      isGuarded: relay.isGuarded,
      client: call,
    });
    // A failed upload cuts the upstream connection, which is not a failure of the upstream.
    const ofBody = body === null || body instanceof Uint8Array ? null : body.failure;
    if (answer instanceof Failure) return ofBody ?? answer;
    outcome.heard(answer);
    if (answer.status < 200 || answer.status > 299) return ofBody ?? (await refusalOf(call.envelope, answer));
    running.answering();
    return this.pass(admitted, answer, running, address.baseUrl);
  }

  private async pass(
    admitted: Admitted,
    answer: UpstreamAnswer,
    running: RunningAttempt,
    baseUrl: string,
  ): Promise<RelayedAnswer | Failure> {
    const { call, outcome, relay, named, upstreamModel } = admitted;
    const type = answer.headers.get('content-type') ?? '';
    if (/^text\/html\b/i.test(type) && !isContent(call)) {
      answer.body.cancel();
      return pageInstead();
    }
    const headers = this.headers(admitted, answer, baseUrl);
    const isEventStream = /^text\/event-stream\b/i.test(type);
    const names = upstreamModel === null || named.model === null ? null : { upstreamModel, model: named.model };
    const events = isEventStream ? new EventPassage(names) : null;
    let first: Uint8Array | null = null;
    if (isJson(type) && !isContent(call)) {
      const beginning = await readBeginning(answer.body);
      if (beginning instanceof Failure) return beginning;
      const { bytes, isWhole } = beginning;
      if (isWhole) {
        const text = new TextDecoder().decode(bytes);
        await this.remember(admitted, idsInJson(text));
        const problem = await this.charge(outcome);
        if (problem !== null) return problem;
        running.answered();
        const told = toldCost(outcome);
        if (told !== null) tellInHeaders(headers, relay.routing, told);
        this.recordWhole(outcome, answer.status);
        const changed = this.textHere(text, admitted, baseUrl);
        return { status: answer.status, headers, body: changed === text ? bytes : changed, isEventStream: false };
      }
      first = bytes;
    }
    outcome.answers(answer.status);
    outcome.asks({ stream: isEventStream });
    outcome.firstByteSent();
    const stream = new PassingAnswer(answer.body, first, events, {
      ended: async () => {
        if (events !== null) await this.remember(admitted, [...events.ids]);
        const problem = await this.charge(outcome);
        if (problem === null) {
          running.answered();
          outcome.record();
        }
        return problem;
      },
      failed: (failure) => {
        const clean = relay.secrets.cleaned(failure);
        running.failed(clean);
        outcome.failed(clean);
        outcome.record();
      },
      left: () => {
        running.abandoned();
        outcome.clientLeft();
        outcome.record();
      },
    });
    return { status: answer.status, headers, body: stream, isEventStream };
  }

  /** Returns the text with the public model id, and with the gateway's address in links that clients follow. */
  private textHere(text: string, { call, named, upstreamModel }: Admitted, baseUrl: string): string {
    const api: RelayedApi = RELAYED_APIS[call.api];
    const here =
      upstreamModel === null || named.model === null ? text : publicModelIn(text, upstreamModel, named.model);
    return api.linksBack === true ? here.replaceAll(`"${baseUrl}/`, `"${call.origin()}/v1/`) : here;
  }

  /** Remembers the channel of the ids in an answer, except of those that the call itself named. */
  private remember({ principal, relay, ids: named }: Admitted, ids: readonly string[]): Promise<void> {
    const known = new Set(named);
    const fresh = ids.filter((id) => !known.has(id));
    const accountId = principal.account.id;
    return this.objects.given({ accountId, ids: fresh, place: relay.place, responseId: null });
  }

  /** Charges the fee of the call, if any. Resolves to why it could not be charged, or `null`. */
  private async charge(outcome: Outcome): Promise<Failure | null> {
    try {
      await outcome.chargeFee();
      return null;
    } catch (error) {
      outcome.notCharged(error);
      return new Failure('internal_error', {
        message: 'The provider served the request, but its cost could not be recorded, so the response is withheld.',
        kind: 'not_charged',
      });
    }
  }

  private recordWhole(outcome: Outcome, status: number): void {
    outcome.answers(status);
    outcome.firstByteSent();
    outcome.record();
  }

  private headers({ call, outcome, relay, principal }: Admitted, answer: UpstreamAnswer, baseUrl: string) {
    const headers = { ...givenHeaders(answer.headers), ...toldHeaders(call.envelope, outcome) };
    headers['x-routing'] = relay.routing.json;
    const uploadUrl = answer.headers.get('x-goog-upload-url');
    const here = uploadUrl === null ? null : uploadUrlHere(uploadUrl, baseUrl, call.origin());
    if (here !== null) {
      headers['x-goog-upload-url'] = here;
      const id = URL.parse(here)?.searchParams.get('upload_id') ?? null;
      const accountId = principal.account.id;
      if (id !== null) {
        void this.objects.given({ accountId, ids: [id], place: relay.place, responseId: null });
      }
    }
    return headers;
  }

  private answerFailure(call: RelayedCall, outcome: Outcome, failure: Failure): RelayedAnswer {
    const { status, headers, body } = recordFailure(call.envelope, outcome, failure);
    return { status, headers: { ...headers, ...toldHeaders(call.envelope, outcome) }, body, isEventStream: false };
  }
}

/** Returns why a channel is not asked now. */
export function resting({ channel }: RelayChannel, { health }: AskedTarget, nowMs: number): Failure {
  const waitMs = health.availableAtMs(channel.owner ?? '', nowMs) - nowMs;
  const isBlocked = health.channel.block !== null;
  return new Failure('all_channels_failed', {
    message: isBlocked
      ? `Your channel \`${channel.id}\` is blocked: its provider rejected the credentials.`
      : `Your channel \`${channel.id}\` is cooling down after failures.`,
    kind: 'no_channel_available',
    retryAfterMs: Number.isFinite(waitMs) ? Math.max(1_000, waitMs) : 60_000,
    hint: isBlocked
      ? 'An admin must renew its credentials.'
      : 'Wait for retry_after seconds and send the request again.',
  });
}

/** Returns the facts of the channel. Each API has separate health, since one may fail while the others work. */
function askedOf({ call, relay, upstreamModel }: Admitted): AskedTarget {
  const { channel, place, health } = relay;
  const path = `/${RELAYED_APIS[call.api].path}`;
  const { routing } = relay;
  return { channel, place, upstreamModel, health: health.model(path), isPrivate: true, governed: null, routing };
}

/** Returns whether the call creates or starts something (docs/billing.md). The pieces of an upload belong to the request that began it. */
function costsFee({ method, isUpload, query }: RelayedCall): boolean {
  return method === 'POST' && !(isUpload && query.has('upload_id'));
}

/** Reads a body that may name a model, or a small JSON body, completely; all others are streamed. */
async function openBody(
  call: RelayedCall,
  api: RelayedApi,
  accountId: string,
): Promise<Bytes | PassingBody | null | Failure> {
  if (call.method === 'GET' || call.bodyBytes === 0) return null;
  const json = isJson(call.header('content-type') ?? '');
  const isSmall = call.bodyBytes !== null && call.bodyBytes <= LOOKED_AT_BYTES;
  const isLookedAt = (api.models !== undefined || isSmall) && json && !call.isUpload;
  if (!isLookedAt) return call.passBody(accountId);
  const bytes = await call.readBody(accountId);
  return bytes instanceof Failure || bytes.length > 0 ? bytes : null;
}

function namedModel(call: RelayedCall, api: RelayedApi, body: Bytes | PassingBody | null): NamedModel | Failure {
  if (api.models === undefined) return { model: null, places: [] };
  const inBody = body instanceof Uint8Array ? modelInBody(body, api.models) : { model: null, places: [] };
  const inQuery = modelInQuery(call.query);
  if (inBody instanceof Failure || inQuery === null) return inBody;
  if (inQuery instanceof Failure) return inQuery;
  if ((inBody.model ?? inQuery) === inQuery) return { ...inBody, model: inQuery };
  return new Failure('invalid_value', {
    message: '`model` must be the same in the URL and the body.',
    param: 'model',
  });
}

/** Returns whether a call may use models that the gateway does not see: those of a batch, or of a form that is streamed unread. */
function mayHideModels(call: RelayedCall, api: RelayedApi, body: Bytes | PassingBody | null): boolean {
  if (call.method !== 'POST') return false;
  if (api.hidesModels === true) return true;
  const isUnread = api.models !== undefined && body !== null && !(body instanceof Uint8Array);
  // A description of a WebRTC session names no model.
  return isUnread && !/^application\/sdp\b/i.test(call.header('content-type') ?? '');
}

function kindOf(body: Bytes | PassingBody | null) {
  if (body === null) return 'none';
  return body instanceof Uint8Array ? 'read' : 'passing';
}

function isJson(type: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type);
}

/** Returns whether the answer is stored content, which is relayed unread. */
function isContent({ tail, query }: RelayedCall): boolean {
  return /\/(?:content|results)$|:download$/.test(tail) || query.get('alt') === 'media';
}

import type { Principal } from '../../domain/access/principal.ts';
import { after } from '../../domain/concurrency/after.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { identityOf } from '../../domain/trace/call-identity.ts';
import { RELAYED_APIS } from '../../providers/shared/relayed-apis.ts';
import { authenticate } from '../access/authenticate.ts';
import { type AdmitPorts, admit } from '../call/admit.ts';
import { internalError, recordFailure, toldHeaders } from '../call/end-of-call.ts';
import { Outcome } from '../call/outcome.ts';
import type { RecordPorts } from '../call/record-ports.ts';
import { type AttemptPorts, RunningAttempt } from '../call/running-attempt.ts';
import type { Directory } from '../directory/directory.ts';
import { ObjectMemory } from '../directory/object-memory.ts';
import type { RelayChannel } from '../directory/relay-channel.ts';
import { unguardedProblem } from '../guards/unguarded-problem.ts';
import type { Billing } from '../ports/billing.ts';
import type { MemoryFigures } from '../ports/figures.ts';
import type { ObjectOriginStore } from '../ports/object-origins.ts';
import type { UpstreamSocket, UpstreamSockets } from '../ports/upstream.ts';
import { CHANNEL_HEADER, chooseChannel, noChannel } from './choose-channel.ts';
import { idsInAddress } from './named-ids.ts';
import { keyProblem, modelInQuery, upstreamModelAt } from './named-model.ts';
import { MOST_WAITING_BYTES, RealtimeSession, type SessionEnd, TRY_AGAIN_LATER } from './realtime-session.ts';
import { relayPermit } from './relay-permit.ts';
import type { RelayedCall } from './relayed-call.ts';
import { sentHeaders } from './relayed-headers.ts';
import { NOTHING_ASKED, resting } from './relays.ts';
import { passedQuery } from './upstream-place.ts';

/** OpenAI's own sessions end after an hour. */
const LIFETIME_MS = 2 * 60 * 60 * 1_000;
const IDLE_MS = 15 * 60 * 1_000;
const LONGEST_HANDSHAKE_MS = 30_000;

export interface RealtimePorts extends RecordPorts, AttemptPorts, AdmitPorts {
  readonly directory: () => Directory;
  readonly sockets: UpstreamSockets;
  readonly objects: ObjectOriginStore;
  readonly billing: Billing;
  readonly newRequestId: () => string;
  /** The most concurrent sessions of an account. */
  readonly maxSocketsPerAccount: number;
}

export type RealtimeCall = Pick<
  RelayedCall,
  'envelope' | 'secret' | 'address' | 'line' | 'header' | 'query' | 'signal'
>;

/** A session that the upstream has accepted, with the response headers; or the refusal. */
export type RealtimeOpening =
  | { readonly session: RealtimeSession; readonly headers: Record<string, string> }
  | { readonly status: number; readonly headers: Record<string, string>; readonly body: string };

/** An accepted upstream session. */
interface Accepted {
  readonly relay: RelayChannel;
  readonly socket: UpstreamSocket;
  readonly outcome: Outcome;
  readonly running: RunningAttempt;
}

/** Handles `GET /v1/realtime` as a WebSocket, relayed to one of the account's own channels. */
export class Realtime {
  /** The sessions with the keys that opened them. */
  private readonly sessions = new Map<RealtimeSession, RealtimeCall['secret']>();
  /** Why no more sessions may begin. */
  private stopped: Failure | null = null;
  private readonly countOf = new Map<string, number>();
  /** The sessions that were closed because too much waited. */
  private overflows = 0;
  private readonly objects: ObjectMemory;

  constructor(private readonly ports: RealtimePorts) {
    this.objects = new ObjectMemory(ports);
  }

  /** The number of open and opening sessions. */
  get inFlight(): number {
    return [...this.countOf.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The number of open sessions. */
  get openSessions(): number {
    return this.sessions.size;
  }

  /** The bytes of clients that wait for upstreams; each open session has a limit of its own. */
  get memory(): MemoryFigures {
    const waiting = [...this.sessions.keys()].map(({ waitingBytes }) => waitingBytes);
    return {
      heldBytes: waiting.reduce((sum, bytes) => sum + bytes, 0),
      limitBytes: waiting.length * MOST_WAITING_BYTES,
      refusals: this.overflows,
    };
  }

  /** Ends sessions that are silent or open for too long, or whose key is no longer valid. Call it periodically. */
  look(): void {
    const { principals, clock } = this.ports;
    for (const [session, secret] of [...this.sessions]) {
      session.look({ idleMs: IDLE_MS, lifetimeMs: LIFETIME_MS });
      void after(authenticate(principals, secret, clock.nowMs()), (found) => endWithoutKey(session, found));
    }
  }

  cutOff(failure: Failure): void {
    this.stopped = failure;
    for (const session of [...this.sessions.keys()]) session.cutOff(failure);
  }

  async open(call: RealtimeCall): Promise<RealtimeOpening> {
    const outcome = new Outcome(this.ports, identityOf(this.ports.newRequestId(), call), call.envelope.name);
    outcome.comesFrom(call);
    outcome.mayUse({ platform: false });
    outcome.asks({ stream: true });
    let opened: RealtimeSession | Failure;
    try {
      opened = await this.walk(call, outcome);
    } catch (error) {
      opened = internalError(this.ports.logger, outcome.requestId, error);
    }
    const { requestId, atMs, trace } = outcome;
    const headers = toldHeaders(call.envelope, { requestId, atMs, trace, admission: null });
    if (!(opened instanceof Failure)) return { session: opened, headers };
    const rendered = recordFailure(call.envelope, outcome, opened);
    return { status: rendered.status, headers: { ...rendered.headers, ...headers }, body: rendered.body };
  }

  private async walk(call: RealtimeCall, outcome: Outcome): Promise<RealtimeSession | Failure> {
    const { ports } = this;
    const principal = await admit(ports, call, outcome);
    if (principal instanceof Failure) return principal;
    const accountId = principal.account.id;
    const model = modelInQuery(call.query);
    if (model instanceof Failure) return model;
    outcome.wants(model);
    const refusal = keyProblem(principal, model, model === null);
    const unchecked = refusal ?? unguardedProblem(ports.directory().guards, principal, model);
    if (unchecked !== null) return unchecked;
    const relay = await this.channelOf(call, accountId, model);
    if (relay instanceof Failure) return relay;
    outcome.names(model);
    const upstreamModel = model === null ? null : upstreamModelAt(relay.channel, model);
    const health = relay.health.model(`/${RELAYED_APIS.realtime.path}`);
    const { channel, place, routing } = relay;
    const target = { channel, place, upstreamModel, health, isPrivate: true, governed: null, routing };
    outcome.attemptBegan(target, 0);
    if ((this.countOf.get(accountId) ?? 0) >= ports.maxSocketsPerAccount) return this.tooMany();
    this.count(accountId, 1);
    outcome.whenOver(() => this.count(accountId, -1));
    const { requestId } = outcome;
    const modelId = model ?? RELAYED_APIS.realtime.path;
    const own = { prices: null, mayUsePlatform: false, mayUseOwn: true, bounds: NOTHING_ASKED };
    const reservation = await ports.billing.reserve({ requestId, principal, modelId, ...own });
    if (reservation instanceof Failure) return reservation;
    outcome.reserved(reservation);
    const permit = await relayPermit(ports.channelLimits, relay, health, model);
    if (permit instanceof Failure) return permit;
    const running = RunningAttempt.begin(ports, { ...target, upstreamModel: null }, accountId, true, permit);
    if (running === null) {
      permit?.leave();
      return resting(relay, target, ports.clock.monotonicMs());
    }
    try {
      return await this.connected(call, { relay, outcome, running }, upstreamModel);
    } catch (error) {
      running.abandoned();
      throw error;
    }
  }

  private async connected(
    call: RealtimeCall,
    opening: Omit<Accepted, 'socket'>,
    upstreamModel: string | null,
  ): Promise<RealtimeSession | Failure> {
    const { relay, outcome, running } = opening;
    const socket = await this.connect(call, outcome, relay, upstreamModel);
    if (socket instanceof Failure) {
      const failure = relay.secrets.cleaned(socket);
      running.failed(failure);
      return failure;
    }
    if (this.stopped !== null) {
      socket.close(1000, '');
      running.abandoned();
      return this.stopped;
    }
    running.answering();
    try {
      await outcome.chargeFee();
    } catch (error) {
      socket.close(1000, '');
      throw error;
    }
    return this.begin(call, { ...opening, socket });
  }

  private channelOf(call: RealtimeCall, accountId: string, model: string | null): Promise<RelayChannel | Failure> {
    const channels = this.ports.directory().relayChannels(accountId);
    const ids = idsInAddress(RELAYED_APIS.realtime.path, '', call.query);
    const header = call.header(CHANNEL_HEADER);
    if (!channels.some((one) => one.addressOf('realtime') !== null)) return Promise.resolve(noChannel('realtime'));
    return chooseChannel(this.objects, { accountId, api: 'realtime', channels, ids, header, model });
  }

  private connect(call: RealtimeCall, outcome: Outcome, relay: RelayChannel, upstreamModel: string | null) {
    const address = relay.addressOf('realtime');
    if (address === null) throw new Error(`the channel ${relay.channel.id} does not support realtime`);
    const query = new URLSearchParams(call.query);
    if (upstreamModel !== null) query.set('model', upstreamModel);
    const { connectMs, firstByteMs } = relay.timeouts.whole;
    return this.ports.sockets.connect({
      url: `${address.baseUrl.replace(/^http/, 'ws')}/realtime?${passedQuery(query)}`,
      headers: { ...sentHeaders(call, address.headers, 'none'), ...outcome.idsFor(relay, 0) },
      isGuarded: relay.isGuarded,
      timeoutMs: Math.min(LONGEST_HANDSHAKE_MS, connectMs + firstByteMs),
      signal: call.signal,
    });
  }

  private begin({ secret }: RealtimeCall, { relay, socket, outcome, running }: Accepted): RealtimeSession {
    const cleaned = (reason: string) =>
      relay.secrets.cleaned(new Failure('upstream_error', { message: reason })).message;
    const session: RealtimeSession = new RealtimeSession(
      socket,
      () => this.ports.clock.monotonicMs(),
      cleaned,
      (end) => {
        this.sessions.delete(session);
        if (end.by === 'gateway' && end.code === TRY_AGAIN_LATER) this.overflows++;
        this.over(outcome, running, end);
      },
    );
    this.sessions.set(session, secret);
    outcome.answers(101);
    outcome.firstByteSent();
    return session;
  }

  /** Records the end of a session: a broken connection is the upstream's failure, and any close is an answer. */
  private over(outcome: Outcome, running: RunningAttempt, { by, code, fromClient, fromUpstream }: SessionEnd): void {
    outcome.trace?.passedOn({ fromClient, fromUpstream });
    if (by === 'upstream' && code === 1006) {
      const failure = new Failure('upstream_error', { message: 'The upstream dropped the WebSocket.', kind: 'reset' });
      outcome.failed(failure);
      running.failed(failure);
    } else running.answered();
    if (by === 'client' && code === 1006) outcome.clientLeft();
    outcome.record();
  }

  private count(accountId: string, change: 1 | -1): void {
    const count = (this.countOf.get(accountId) ?? 0) + change;
    if (count > 0) this.countOf.set(accountId, count);
    else this.countOf.delete(accountId);
  }

  private tooMany(): Failure {
    return new Failure('rate_limit_exceeded', {
      message: `The account has ${this.ports.maxSocketsPerAccount} realtime sessions open, which is its limit.`,
      kind: 'account_sockets',
      side: 'client',
      retry: 'never',
      retryAfterMs: 10_000,
      hint: 'Close sessions that are not in use.',
    });
  }
}

/** Ends the session if its key has become invalid. While the store is unavailable, sessions continue. */
function endWithoutKey(session: RealtimeSession, found: Principal | Failure): void {
  if (found instanceof Failure && found.code !== 'storage_unavailable') session.keyEnded();
}

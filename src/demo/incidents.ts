import { type DemoTime, HOUR_MS } from './demo-time.ts';

/** A temporary problem of some channels. */
export interface Incident {
  readonly channels: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  /** The share of attempts that fail. */
  readonly fails: number;
  readonly kind: string;
  /** The factor by which the other attempts are slower. */
  readonly slowness: number;
}

export interface Trouble {
  readonly fails: number;
  readonly kind: string | null;
  readonly slowness: number;
}

const USUAL: Trouble = { fails: 0.004, kind: null, slowness: 1 };
const XAI_DOWN_MS = 35 * 60_000;

/** The incidents in the demo's time. */
export class Incidents {
  readonly outage: Incident;
  readonly storm: Incident;
  readonly slowness: Incident;
  readonly refusal: Incident;
  readonly resting: Incident;
  /** A batch of requests that one key sends without a pause. */
  readonly flood: {
    readonly accountId: string;
    readonly keyId: string;
    readonly fromMs: number;
    readonly toMs: number;
  };
  /** When a provider began to refuse the channel's key. */
  readonly blockedFromMs: number;
  private readonly all: readonly Incident[];

  constructor(time: DemoTime) {
    const lasting = (fromMs: number, ms: number) => ({ fromMs, toMs: fromMs + ms });
    const outage = lasting(time.afternoonAt(0.7), HOUR_MS);
    this.outage = { channels: ['openai', 'openai-eu'], ...outage, fails: 0.86, kind: 'http_500', slowness: 2.1 };
    const storm = lasting(time.afternoonAt(0.87), 40 * 60_000);
    this.storm = { channels: ['anthropic'], ...storm, fails: 0.62, kind: 'http_429', slowness: 1.3 };
    const slow = lasting(time.afternoonAt(0.43), 3 * HOUR_MS);
    this.slowness = { channels: ['gemini'], ...slow, fails: 0.07, kind: 'first_byte_timeout', slowness: 3.4 };
    this.blockedFromMs = time.at(0.9);
    const refused = lasting(this.blockedFromMs - 10 * 60_000, 10 * 60_000);
    this.refusal = { channels: ['groq'], ...refused, fails: 1, kind: 'upstream_auth', slowness: 1 };
    const resting = lasting(time.nowMs - XAI_DOWN_MS, XAI_DOWN_MS);
    this.resting = { channels: ['xai'], ...resting, fails: 0.95, kind: 'http_503', slowness: 1.6 };
    this.all = [this.outage, this.storm, this.slowness, this.refusal, this.resting];
    const flood = lasting(time.afternoonAt(0.55) - 8 * HOUR_MS, 50 * 60_000);
    this.flood = { accountId: 'qinghe', keyId: 'piliang', ...flood };
  }

  troubleOf(channelId: string, atMs: number): Trouble {
    const found = this.all.find(
      ({ channels, fromMs, toMs }) => atMs >= fromMs && atMs < toMs && channels.includes(channelId),
    );
    return found ?? USUAL;
  }

  isBlocked(channelId: string, atMs: number): boolean {
    return channelId === 'groq' && atMs >= this.blockedFromMs;
  }

  isFlooded(accountId: string, atMs: number): boolean {
    const { flood } = this;
    return accountId === flood.accountId && atMs >= flood.fromMs && atMs < flood.toMs;
  }
}

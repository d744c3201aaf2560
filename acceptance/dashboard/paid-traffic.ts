import { channelTo, chatAnswer, type FakeUpstream, startUpstream } from '../../conformance/first-light/upstream.ts';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, ok, type Person } from './scene.ts';

/* An account with paid requests, for the pages that show money. */

export const ACCOUNT = 'acme';
export const MODEL = 'house-chat';
/** A model that no channel has, so requests for it fail. */
export const UNKNOWN_MODEL = 'nobody-has-this';
export const BALANCE = '100';
const KEY = 'sk-of-acme-0123456789abcdef';
/** Prices chosen so that sums have nine decimals. */
const PRICING = { input_per_1m: '1.234567', output_per_1m: '9.876543' };

export class PaidTraffic {
  private constructor(
    readonly scene: DashboardScene,
    readonly upstream: FakeUpstream,
    readonly operator: Person,
    readonly owner: Person,
  ) {}

  /** @param channel more fields of the channel, such as its costs */
  static async open(configuration: object = {}, channel: object = {}): Promise<PaidTraffic> {
    const upstream = startUpstream(chatAnswer);
    const scene = await DashboardScene.open({
      configuration: {
        channels: [channelTo(upstream, { id: 'house', models: { [MODEL]: MODEL }, ...channel })],
        models: [{ id: MODEL, pricing: PRICING }],
        accounts: [{ id: ACCOUNT, balance_usd: BALANCE, keys: [{ id: 'robot', name: 'Robot', secret: KEY }] }],
        ...configuration,
      },
    });
    const operator = await scene.operator();
    return new PaidTraffic(scene, upstream, operator, await scene.member(operator, ACCOUNT, 'owner'));
  }

  /** Sends a request with the account's key, or another. */
  async ask(model: string, key = KEY): Promise<void> {
    const answer = await fetch(`${this.scene.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Good day.' }] }),
    });
    await answer.text();
  }

  /** Sends `good` successful and `bad` failing requests, and waits until they are counted. */
  async send(good: number, bad: number): Promise<void> {
    for (let sent = 0; sent < good; sent += 1) await this.ask(MODEL);
    for (let sent = 0; sent < bad; sent += 1) await this.ask(UNKNOWN_MODEL);
    await until('the requests are counted', async () => {
      const total = (await this.read(`usage?account_id=${ACCOUNT}`)).total as { requests: number };
      const { data } = await this.read(`ledger?account_id=${ACCOUNT}&kind=charge`);
      return total.requests >= good + bad && (data as unknown[]).length >= good;
    });
  }

  /** Resolves to the management API's response to the owner. */
  async read(path: string): Promise<Readonly<Record<string, unknown>>> {
    return ok(await this.owner.script.ask(0, `GET /${path}`)).json;
  }

  async close(): Promise<void> {
    await this.scene.close();
    await this.upstream.stop();
  }
}

/** Converts a decimal amount to nano-dollars. */
export function nanos(usd: unknown): bigint {
  const [whole = '0', decimals = ''] = String(usd).replace('-', '').split('.');
  const size = BigInt(whole + decimals.padEnd(9, '0'));
  return String(usd).startsWith('-') ? -size : size;
}

/** Parses an amount as shown on a page. */
export function shownNanos(text: string | null): bigint {
  return nanos((text ?? '').replace(/[$,\s]/g, ''));
}

import { until } from '../../conformance/shared/until.ts';
import { type GatewayBed, keyOf, MODELS } from './gateway-bed.ts';

/* Requests of all kinds, so that every panel of every dashboard has something to show. */

/** The trace of all clients, to which exemplars lead. */
export const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

/** The upstream's error, or that no channel is left. */
const FAILED = [502, 503];

interface Sent {
  readonly account?: string;
  readonly path?: string;
  readonly expect?: number | readonly number[];
}

export class Traffic {
  private round = 0;

  constructor(private readonly bed: GatewayBed) {}

  /** Sends one request of each kind. */
  async send(): Promise<void> {
    this.round++;
    await this.answered();
    await this.cached();
    await this.failed();
    await this.refused();
  }

  /** Creates tasks that complete and fail, and waits for their ends. */
  async runTasks(): Promise<void> {
    const orders = [{ delay_ms: 500 }, { delay_ms: 500, outcome: 'failed' }, { delay_ms: 600, poll_failures_ms: 500 }];
    const ids = await Promise.all(
      orders.map(async (provider_options) => {
        const body = { model: 'sandbox-video', prompt: 'a fox', provider_options };
        const { task_id } = (await this.post(body, { path: '/videos/generations' })) as Record<string, string>;
        return task_id ?? '';
      }),
    );
    await until('all tasks are finished', async () =>
      (await Promise.all(ids.map((id) => this.isFinished(id)))).every(Boolean),
    );
  }

  private async isFinished(id: string): Promise<boolean> {
    const response = await fetch(`${this.bed.serving.baseUrl}/tasks/${id}`, {
      headers: { authorization: `Bearer ${keyOf('acme')}` },
    });
    const { status } = (await response.json()) as { status?: string };
    return status === 'completed' || status === 'failed';
  }

  private async answered(): Promise<void> {
    const { answers, failsOver, exaggerates } = MODELS;
    await this.post(chat(answers, `round ${this.round}`));
    await this.post({ ...chat(answers, `round ${this.round}`), stream: true });
    await this.post({ ...chat('sandbox-chat', `round ${this.round}`), stream: true }, { account: 'umbrella' });
    await this.post(chat(failsOver, `round ${this.round}`), { account: 'umbrella' });
    await this.post(chat(exaggerates, `round ${this.round}`), { account: 'umbrella' });
    await this.post({ model: 'sandbox-embedding', input: `round ${this.round}` }, { path: '/embeddings' });
    await this.post(
      { model: 'sandbox-image', prompt: `round ${this.round}`, size: '64x64' },
      { path: '/images/generations' },
    );
  }

  /** Sends an equal request twice, and reports the second response as wrong. */
  private async cached(): Promise<void> {
    const body = { ...chat(MODELS.answers, `cached ${this.round}`), temperature: 0 };
    await this.post(body);
    const { _routing } = (await this.post(body)) as { _routing?: { cacheEntryId?: string } };
    const report = { cache_entry_id: _routing?.cacheEntryId, feedback_type: 'outdated' };
    await this.post(report, { path: '/cache/feedback' });
  }

  private async failed(): Promise<void> {
    await this.post(chat(MODELS.fails, 'hello'), { account: 'umbrella', expect: FAILED });
    await this.post(chat(MODELS.refusesKey, 'hello'), { account: 'umbrella', expect: FAILED });
  }

  private async refused(): Promise<void> {
    await this.post(chat('no-such-model', 'hello'), { expect: 404 });
    await this.post(chat(MODELS.answers, 'hello'), { account: 'nobody', expect: 401 });
    await this.post(chat(MODELS.answers, 'hello'), { account: 'poor', expect: 402 });
    await this.post(chat(MODELS.answers, 'hello'), { account: 'hasty', expect: this.round === 1 ? 200 : 429 });
  }

  private async post(
    body: object,
    { account = 'acme', path = '/chat/completions', expect = 200 }: Sent = {},
  ): Promise<unknown> {
    const response = await fetch(`${this.bed.serving.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${keyOf(account)}`,
        'content-type': 'application/json',
        traceparent: TRACEPARENT,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (![expect].flat().includes(response.status))
      throw new Error(`${path} ${JSON.stringify(body)}: ${response.status} ${text}`);
    return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : null;
  }
}

function chat(model: string, content: string): object {
  return { model, messages: [{ role: 'user', content }] };
}

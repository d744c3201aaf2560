import { BatchUpstream } from './batch-upstream.ts';
import { completion } from './file-batch-upstream.ts';

/* Anthropic's message batches as a strict upstream: it refuses what Anthropic's documentation says that it refuses. */

export interface AskedRequest {
  readonly custom_id: string;
  readonly params: Readonly<Record<string, unknown>> & { readonly model: string };
}

interface SimulatedBatch {
  readonly id: string;
  readonly created_at: string;
  readonly requests: readonly AskedRequest[];
  processing_status: 'in_progress' | 'canceling' | 'ended';
  results: readonly object[];
}

/** The upstream's part of a test: how requests end, and what goes wrong. */
export interface MessagesPlan {
  /** Returns the result of a request; `null` for no line at all. */
  readonly resultOf: (request: AskedRequest) => object | null;
  /** Whether batches run on until they are canceled. */
  readonly isSlow: boolean;
  /** Whether the answer to the next request that creates a batch gets lost after the batch was created. */
  readonly losesAnswer: boolean;
}

export const message = (model: string) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model, stop_reason: 'end_turn', stop_sequence: null },
  content: [{ type: 'text', text: 'Relayed.' }],
  usage: { input_tokens: 50, output_tokens: 8, service_tier: 'batch' },
});

export const succeeded = ({ params: { model } }: AskedRequest) => ({ type: 'succeeded', message: message(model) });

export const errored = (type: string) => ({
  ...{ type: 'errored', error: { type: 'error', error: { type, message: 'Broken.' }, request_id: 'req_up' } },
});

export const USUAL: MessagesPlan = { resultOf: succeeded, isSlow: false, losesAnswer: false };

const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
};

function refuse(status: number, text: string): Response {
  const error = { type: TYPES[status] ?? 'api_error', message: text };
  return Response.json({ type: 'error', error, request_id: 'req_up' }, { status });
}

/** Returns the requests of a body, or why they are refused. */
function requestsIn(body: Readonly<Record<string, unknown>>): readonly AskedRequest[] | string {
  const { requests, ...rest } = body;
  if (Object.keys(rest).length > 0) return `unknown members: ${Object.keys(rest)}`;
  if (!Array.isArray(requests) || requests.length === 0) return 'requests: at least one is required';
  const seen = new Set<string>();
  for (const [at, { custom_id, params, ...more }] of requests.entries()) {
    if (Object.keys(more).length > 0) return `requests.${at}: unknown members ${Object.keys(more)}`;
    if (!ID.test(custom_id) || seen.has(custom_id)) return `requests.${at}.custom_id: must be a unique id`;
    const { model, max_tokens, messages, stream } = params;
    if (typeof model !== 'string' || typeof max_tokens !== 'number' || !Array.isArray(messages)) {
      return `requests.${at}.params: model, max_tokens and messages are required`;
    }
    if (stream === true) return `requests.${at}.params.stream: streams are not supported`;
    seen.add(custom_id);
  }
  return requests;
}

export class ProviderMessageBatches extends BatchUpstream<SimulatedBatch> {
  plan: MessagesPlan = USUAL;
  private ids = 0;

  /** Adds a batch of somebody else with as many requests. It ends like all others. */
  addStranger(requests: number): SimulatedBatch {
    const params = { model: 'other', max_tokens: 1, messages: [] };
    return this.add(Array.from({ length: requests }, (_, at) => ({ custom_id: `other-${at}`, params })));
  }

  private add(requests: readonly AskedRequest[]): SimulatedBatch {
    const id = `msgbatch_${++this.ids}`;
    const created_at = new Date().toISOString();
    const batch: SimulatedBatch = { id, created_at, requests, processing_status: 'in_progress', results: [] };
    this.batches.unshift(batch);
    return batch;
  }

  protected async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const { method, headers } = request;
    if (pathname === '/v1/chat/completions') return this.answerChat(request);
    if (headers.get('x-api-key') !== 'upstream-key') return refuse(401, 'invalid x-api-key');
    if (headers.get('anthropic-version') !== '2023-06-01') return refuse(400, 'anthropic-version: header is required');
    const [, , api, kind, id, verb] = pathname.split('/');
    if (api !== 'messages' || (kind !== undefined && kind !== 'batches')) return refuse(404, 'Not found');
    if (kind === undefined) return this.answerNow(request);
    if (id !== undefined) return this.ofBatch(method, id, verb);
    if (method === 'POST') return this.create(request);
    const limit = Number(searchParams.get('limit') ?? 20);
    if (!(limit >= 1 && limit <= 1000)) return refuse(400, 'limit: must be 1 to 1000');
    const data = this.batches.map((batch) => this.shown(batch));
    return Response.json({ data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null });
  }

  private async answerNow(request: Request): Promise<Response> {
    if (request.method !== 'POST') return refuse(404, 'Not found');
    const { model } = (await request.json()) as { readonly model: string };
    this.direct.push(model);
    return Response.json(message(model));
  }

  /** The endpoint that is compatible with OpenAI, which has no batches. */
  private async answerChat(request: Request): Promise<Response> {
    if (request.headers.get('authorization') !== 'Bearer upstream-key') return refuse(401, 'invalid bearer token');
    const { model } = (await request.json()) as { readonly model: string };
    this.direct.push(model);
    return Response.json(completion(model));
  }

  private async create(request: Request): Promise<Response> {
    const requests = requestsIn((await request.json()) as Record<string, unknown>);
    if (typeof requests === 'string') return refuse(400, requests);
    const batch = this.add(requests);
    if (!this.plan.losesAnswer) return Response.json(this.shown(batch));
    this.plan = { ...this.plan, losesAnswer: false };
    return refuse(502, 'the answer was lost');
  }

  private ofBatch(method: string, id: string, verb: string | undefined): Response {
    const batch = this.batches.find((one) => one.id === id);
    if (batch === undefined) return refuse(404, 'no such batch');
    const isEnded = batch.processing_status === 'ended';
    if (method === 'DELETE') {
      if (!isEnded) return refuse(400, 'a batch in progress cannot be deleted');
      batch.results = [];
      return Response.json({ id, type: 'message_batch_deleted' });
    }
    if (verb === 'cancel' && method === 'POST') {
      if (!isEnded) batch.processing_status = 'canceling';
      return Response.json(this.shown(batch));
    }
    if (method !== 'GET') return refuse(404, 'Not found');
    if (verb === undefined) return Response.json(this.shown(batch));
    if (verb !== 'results') return refuse(404, 'Not found');
    if (!isEnded) return refuse(404, 'the batch has no results yet');
    return new Response(batch.results.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  /** Returns the batch as the API shows it, one step further. */
  private shown(batch: SimulatedBatch) {
    const { id, created_at, requests } = batch;
    const isEnding = batch.processing_status === 'canceling' || !this.plan.isSlow;
    const before = batch.processing_status;
    if (before !== 'ended' && isEnding) {
      batch.results = requests.flatMap((request) => {
        const result = this.plan.resultOf(request);
        return result === null ? [] : [{ custom_id: request.custom_id, result }];
      });
      batch.processing_status = 'ended';
    }
    const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
    return {
      ...{ id, type: 'message_batch', created_at, processing_status: before },
      request_counts:
        before === 'ended' ? { ...counts, succeeded: requests.length } : { ...counts, processing: requests.length },
      results_url: before === 'ended' ? `${this.baseUrl}/messages/batches/${id}/results` : null,
    };
  }
}

import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';

/* A provider of the Responses API that stores its responses, and returns what OpenAI does of them. */

type Json = Readonly<Record<string, unknown>>;

interface Kept {
  readonly response: Json;
  readonly own: readonly Json[];
  readonly previous: string | null;
}

export interface KeepingUpstream {
  readonly baseUrl: string;
  /** `GET /v1/responses/resp_1` and so on, in order. */
  readonly asked: string[];
  /** The bodies of the requests that generated responses. */
  readonly bodies: Json[];
  /** Whether the input items of a response are those of the whole conversation. */
  showsWholeInput: boolean;
  /** Replaces the stored responses. */
  instead: (() => Response | Promise<Response>) | null;
  stop(): Promise<void>;
}

const USAGE = {
  ...{ input_tokens: 3, output_tokens: 4, total_tokens: 7 },
  ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
};
const PAGE = 2;

export function startKeepingUpstream(): KeepingUpstream {
  const kept = new Map<string, Kept>();
  let ids = 0;

  function made(body: Json): Json {
    const id = `resp_${++ids}`;
    const text = `Answer ${ids}.`;
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
    const output = [
      { id: `rs_${ids}`, type: 'reasoning', summary: [] },
      { id: `msg_${ids}`, type: 'message', status: 'completed', role: 'assistant', content },
    ];
    const previous = typeof body.previous_response_id === 'string' ? body.previous_response_id : null;
    const model = `${body.model}-2026-02-01`;
    const more = { previous_response_id: previous, store: true, tools: [], tool_choice: 'auto', usage: USAGE };
    const response = { id, object: 'response', created_at: 1_790_000_000, status: 'completed', model, output, ...more };
    const input = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : asArray(body.input);
    const own = input.filter(isObject).map((item, index) => ({ type: 'message', id: `in_${ids}_${index}`, ...item }));
    kept.set(id, { response, own: own.filter(({ type }) => type !== 'item_reference'), previous });
    return response;
  }

  function inputOf(id: string): readonly Json[] {
    const one = kept.get(id);
    if (one === undefined) return [];
    const before = upstream.showsWholeInput && one.previous !== null ? kept.get(one.previous) : undefined;
    const earlier = one.previous === null || before === undefined ? [] : inputOf(one.previous);
    return [...earlier, ...asArray(before?.response.output).map(asObject), ...one.own];
  }

  function read(id: string, part: string | undefined, query: URLSearchParams): Response {
    const one = kept.get(id);
    if (one === undefined) return Response.json({ error: { message: `no ${id}`, type: 'invalid' } }, { status: 404 });
    if (part === undefined) return Response.json(one.response);
    const items = inputOf(id);
    const from = items.findIndex((item) => item.id === query.get('after')) + 1;
    const data = items.slice(from, from + PAGE);
    return Response.json({ object: 'list', data, has_more: from + PAGE < items.length });
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const [, , , id, part] = pathname.split('/');
      if (request.headers.get('authorization') !== 'Bearer upstream-key') return new Response(null, { status: 401 });
      if (id === undefined) {
        const body = asObject(parseJson(await request.text()));
        upstream.bodies.push(body);
        return Response.json(made(body));
      }
      upstream.asked.push(`${request.method} ${pathname}`);
      if (upstream.instead !== null) return await upstream.instead();
      if (request.method !== 'DELETE') return read(id, part, searchParams);
      const wasThere = kept.delete(id);
      return Response.json({ id, deleted: wasThere }, { status: wasThere ? 200 : 404 });
    },
  });
  const upstream: KeepingUpstream = {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    asked: [],
    bodies: [],
    showsWholeInput: false,
    instead: null,
    stop: () => server.stop(true),
  };
  return upstream;
}

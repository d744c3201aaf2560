import type { JsonObject } from '../shared/json.ts';
import { strictProblem } from '../strict/check.ts';
import { Random } from './random.ts';
import { IMAGE, loopIn, STEPS } from './script.ts';
import type { ScriptedChannel } from './upstreams/index.ts';
import { different } from './upstreams/reading.ts';
import type { IssuedTurn, ReadTurn, ScriptedAnswer } from './upstreams/upstream.ts';

/** The common prefix of the gateway's state tokens (docs/translation.md), which must never reach an upstream. */
const TOKEN = Buffer.from('switchyard/state').toString('base64').slice(0, 20);

/** A conversation as the upstreams received it. */
export interface SeenLoop {
  readonly turns: IssuedTurn[];
  /** Why requests were answered with a 400. */
  readonly problems: string[];
}

interface LoopPlan {
  /** Whether the client's tool results contain the picture. */
  readonly showsImages: boolean;
  /** Whether the client's format keeps the arguments' text. */
  readonly keepsArgumentTexts: boolean;
  /** Whether the client requests reasoning output. */
  readonly asks: boolean;
  /** The channel that answers each turn; any other channel that is tried first fails. */
  readonly answeredBy: readonly string[];
}

export interface ScriptedServer {
  baseUrlOf(channel: ScriptedChannel): string;
  begin(loop: string, plan: LoopPlan): SeenLoop;
  stop(): Promise<void>;
}

/** Starts one server for all upstreams. The first segment of the path is the channel. */
export function startScriptedServer(channels: readonly ScriptedChannel[]): ScriptedServer {
  const loops = new Map<string, { readonly plan: LoopPlan; readonly seen: SeenLoop }>();
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const channel = byId.get(pathname.split('/')[1] ?? '');
      const text = await request.text();
      const name = loopIn(text) ?? continued(text);
      const loop = loops.get(name);
      if (channel === undefined || loop === undefined) return new Response('no such loop', { status: 404 });
      const { plan, seen } = loop;
      if (plan.answeredBy[seen.turns.length] !== channel.id) {
        return Response.json({ error: { message: 'Internal server error', type: 'api_error' } }, { status: 500 });
      }
      const body = JSON.parse(text) as JsonObject;
      const target = pathname.slice(channel.id.length + 1) + search;
      const service = { provider: channel.provider, wire: channel.format };
      const { method, headers } = request;
      const problem =
        problemOf(channel, body, text, loop) ?? (await strictProblem(service, { method, headers, target, body: text }));
      if (problem !== null) {
        seen.problems.push(`turn ${seen.turns.length + 1} at ${channel.id}: ${problem}`);
        return Response.json(channel.upstream.refusal(problem), { status: 400 });
      }
      const step = STEPS[seen.turns.length];
      if (step === undefined) return new Response('the play is over', { status: 404 });
      const own = seen.turns.filter((turn) => turn.channel === channel.id);
      const random = new Random(`${name}/${seen.turns.length}`);
      const { whole, events, turn } = channel.upstream.answer(step, random, body, own);
      seen.turns.push({ ...turn, step, channel: channel.id });
      return channel.upstream.isStream(pathname, body) ? streamOf(events) : Response.json(whole);
    },
  });
  /** A request that continues by id has no prompt. */
  const continued = (text: string) => {
    for (const [name, { seen }] of loops) {
      if (seen.turns.some(({ stored }) => stored !== null && text.includes(stored.id))) return name;
    }
    return '';
  };
  return {
    baseUrlOf: ({ id }) => `http://127.0.0.1:${server.port}/${id}`,
    begin(loop, plan) {
      const seen: SeenLoop = { turns: [], problems: [] };
      loops.set(loop, { plan, seen });
      return seen;
    },
    stop: () => server.stop(true),
  };
}

/** Returns a stream whose chunks end in the middle of events. */
function streamOf(events: ScriptedAnswer['events']): Response {
  const text = events
    .map(({ event, data }) => {
      const name = event === undefined ? '' : `event: ${event}\n`;
      return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
    })
    .join('');
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + 997));
      at += 997;
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function problemOf(
  channel: ScriptedChannel,
  body: JsonObject,
  text: string,
  { plan, seen }: { readonly plan: LoopPlan; readonly seen: SeenLoop },
): string | null {
  const { upstream, id } = channel;
  if (text.includes(TOKEN)) return "a token of the gateway's has come up";
  const foreign = seen.turns.filter((turn) => turn.channel !== id).flatMap(({ secrets }) => secrets);
  if (foreign.some((secret) => text.includes(secret))) return "another channel's state has come up";
  const own = seen.turns.filter((turn) => turn.channel === id);
  const read = upstream.read(body, own);
  if (typeof read === 'string') return read;
  if (read.length !== seen.turns.length) return `${read.length} of ${seen.turns.length} turns have come back`;
  for (const [index, turn] of read.entries()) {
    const issued = seen.turns[index];
    if (issued === undefined) continue;
    const wrong =
      (issued.channel === id ? upstream.problemOf(turn, issued) : null) ??
      callsProblem(turn, issued, plan.keepsArgumentTexts) ??
      resultsProblem(turn, issued, plan.showsImages);
    if (wrong !== null) return `assistant turn ${index + 1}: ${wrong}`;
  }
  return upstream.problemWith?.(body, own, plan.asks) ?? null;
}

function callsProblem({ calls }: ReadTurn, { step, argsTexts }: IssuedTurn, keepsTexts: boolean): string | null {
  const texts = calls.flatMap(({ argsText }) => argsText ?? []);
  if (keepsTexts && texts.length > 0 && argsTexts.length > 0)
    return different("the arguments' texts", texts, argsTexts);

  const plain = calls.map(({ name, args }) => ({ name, args }));
  return different(
    'calls',
    plain,
    step.calls.map(({ name, args }) => ({ name, args })),
  );
}

/** Results belong to calls by id, or by order if there are no ids. */
function resultsProblem({ calls, results }: ReadTurn, { step }: IssuedTurn, showsImages: boolean): string | null {
  if (results.length !== step.calls.length) return `${results.length} results of ${step.calls.length} have come`;
  for (const [index, { result, showsImage }] of step.calls.entries()) {
    const id = calls[index]?.id ?? null;
    const found = id === null ? results[index] : results.find((one) => one.id === id);
    if (found === undefined) return `the call ${id} has no result`;
    if (!found.text.includes(result)) return `the result of call ${index + 1} is ${found.text} and not ${result}`;
    const images = showsImage && showsImages ? [IMAGE] : [];
    const wrong = different(`the pictures of call ${index + 1}`, found.images, images);
    if (wrong !== null) return wrong;
  }
  return null;
}

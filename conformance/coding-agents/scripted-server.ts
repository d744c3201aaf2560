import type { JsonObject } from '../shared/json.ts';
import type { DeclaredTool, WireAnswer, WireCall } from '../shared/wires/wire.ts';
import { strictProblem } from '../strict/check.ts';
import type { AgentChannel } from './channels.ts';
import type { Step } from './script.ts';

/** Returns what the format's owner would refuse in a request to an upstream of that format. */
export type RequestJudge = (format: string, body: JsonObject) => readonly string[];

/** The work of one agent over one channel, as the upstream sees it. */
export interface SeenWork {
  readonly steps: readonly Step[];
  /** Requests in the client's own format are not judged. */
  readonly isRelayed: boolean;
  readonly calls: WireCall[];
  /** The number of earlier calls that each request repeated. */
  readonly earlierCalls: number[];
  answered: number;
  /** Anything that the provider would refuse with a 400, or understand differently from the agent. */
  readonly problems: string[];
}

export interface ScriptedServer {
  readonly origin: string;
  begin(work: string, steps: readonly Step[], isRelayed: boolean): SeenWork;
  stop(): Promise<void>;
}

/** Returns a prompt with the work's name, the only mark that every format carries to the upstream. */
export function promptOf(work: string): string {
  return `Fix the path. (work:${work})`;
}

const COUNT = { input_tokens: 42, inputTokens: 42, totalTokens: 42 };

/** Starts one server for all upstreams. The first segment of the path is the channel. The judge checks translated requests. */
export function startScriptedServer(channels: readonly AgentChannel[], judge: RequestJudge = () => []): ScriptedServer {
  const works = new Map<string, SeenWork>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      // The gateway probes which server a new channel is.
      if (request.method === 'GET') return new Response(null, { status: 404 });
      const { pathname, search } = new URL(request.url);
      const channel = channels.find(({ id }) => id === pathname.split('/')[1]);
      const text = await request.text();
      if (channel === undefined) return new Response(null, { status: 404 });
      if (/count[-_]?tokens/i.test(pathname)) return Response.json(COUNT);
      const body = JSON.parse(text) as JsonObject;
      // The last mark counts: a continued conversation also has the marks of earlier work.
      const work = works.get([...text.matchAll(/\(work:([\w-]+)\)/g)].at(-1)?.[1] ?? '');
      // Agents also let a model name the conversation, and offer no tools for that.
      if (work === undefined || channel.wire.declared(body).length === 0) return besideWork(channel, body);
      const judged = work.isRelayed ? [] : [...judge(channel.format, body)];
      const target = pathname.slice(channel.id.length + 1 + channel.basePath.length) + search;
      const { method, headers } = request;
      const service = { provider: channel.provider, wire: channel.format };
      const refusal = await strictProblem(service, { method, headers, target, body: text });
      if (refusal !== null) judged.push(refusal);
      const problems = [...judged, ...problemsOf(channel, body, work)];
      work.problems.push(...problems.map((problem) => `turn ${work.answered + 1}: ${problem}`));
      const step = work.steps[work.answered++] ?? { text: 'The work is done.' };
      const answer = answerOf(step, channel.wire.declared(body));
      if ('call' in answer) work.calls.push(answer.call);
      const isStream = body.stream === true || /stream/i.test(pathname);
      return isStream ? streamOf(channel.wire.stream(answer)) : Response.json(channel.wire.whole(answer));
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    begin(work, steps, isRelayed) {
      const seen: SeenWork = { steps, isRelayed, calls: [], earlierCalls: [], answered: 0, problems: [] };
      works.set(work, seen);
      return seen;
    },
    stop: () => server.stop(true),
  };
}

/** Answers a request besides the main loop. */
function besideWork({ wire }: AgentChannel, body: JsonObject): Response {
  const message = wire.refusal?.(body) ?? null;
  if (message !== null) return Response.json({ error: { message, type: 'invalid_request_error' } }, { status: 400 });
  return Response.json(wire.whole({ text: '{"title":"Fix"}' }));
}

/** No two calls share an id, as with real providers. */
let calls = 0;

/** Calls the tool by the name that the request declared, with JSON in ASCII, as many servers do. */
function answerOf(step: Step, declared: readonly DeclaredTool[]): WireAnswer {
  if ('text' in step) return step;
  const fullName = ({ name, namespace }: DeclaredTool) => (namespace === undefined ? name : `${namespace}__${name}`);
  const alike = (name: string) => name.replace(/[^a-zA-Z0-9]/g, '_').slice(0, 12);
  const tool =
    declared.find((one) => fullName(one) === step.tool) ??
    declared.find((one) => alike(fullName(one)) === alike(step.tool));
  if (tool === undefined) return { text: `there is no tool ${step.tool}` };
  const { input } = step;
  const isPlain = typeof input === 'string' && tool.isFreeform;
  const json = JSON.stringify(typeof input === 'string' ? { input } : input);
  const text = isPlain
    ? input
    : json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return { call: { id: `call_${++calls}`, text, ...tool } };
}

function problemsOf({ wire }: AgentChannel, body: JsonObject, work: SeenWork): string[] {
  const problems: string[] = [];
  const refusal = wire.refusal?.(body) ?? null;
  if (refusal !== null) problems.push(refusal);
  const names = wire.declared(body).map(({ name }) => name);
  const bad = work.isRelayed ? [] : names.filter((name) => !wire.names.test(name));
  if (bad.length > 0) problems.push(`names that the provider refuses: ${bad.join(', ')}`);
  if (new Set(names).size !== names.length) problems.push('two tools have one name');
  const calls = wire.calls(body);
  const ids = calls.map(({ id }) => id);
  const isMatched = JSON.stringify(ids) === JSON.stringify(wire.results(body));
  // Gemini CLI repeats results when it continues a conversation, and Google accepts that.
  if (!work.isRelayed && !isMatched) problems.push('calls and results do not match');
  work.earlierCalls.push(calls.length);
  const own = calls.slice(calls.length - work.calls.length);
  for (const [index, issued] of work.calls.entries()) {
    const come = own[index];
    if (come?.name !== issued.name) problems.push(`the call of ${issued.name} comes back as one of ${come?.name}`);
    else if (plain(come.text) !== plain(issued.text)) problems.push(`the call comes back with ${come.text}`);
  }
  return problems;
}

/** Normalizes the JSON of arguments. */
function plain(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Cuts the body in the middle of events. */
function streamOf({ contentType, body }: { readonly contentType: string; readonly body: Uint8Array }): Response {
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= body.length) return controller.close();
      controller.enqueue(body.slice(at, at + 331));
      at += 331;
    },
  });
  return new Response(stream, { headers: { 'content-type': contentType } });
}

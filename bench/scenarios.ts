import { type AgentFormat, agentFormats, agentRequest } from './agent-requests.ts';
import { type Budget, budgetOf } from './budgets.ts';
import { contentChunkCount, freeModelName, modelName, type PacedGapMs } from './load/mock-answers.ts';
import { type LoadPlan, noncePlaceholder, type RequestTemplate } from './load/protocol.ts';
import type { Options } from './options.ts';
import { clientKey, type TargetName, targetNames } from './targets/targets.ts';

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly kind: 'closed' | 'open' | 'streams' | 'memory';
  /** The gateway's request; a peer that only passes through gets `baseline` if it differs. */
  readonly request: RequestTemplate;
  readonly baseline?: RequestTemplate;
  /** The warm-up request, if the request itself takes seconds. */
  readonly warmUp?: RequestTemplate;
  readonly plan: LoadPlan;
  readonly warmUpRequests: number;
  /** The maximum warm-up time, for slow servers. */
  readonly warmUpMs?: number;
  readonly rounds: number;
  readonly budget?: Budget;
  /** The target that the budget judges; the gateway by default. */
  readonly judged?: TargetName;
  /** Whether the upstream must see every request, or (for a cache hit) none. */
  readonly upstreamSees: 'every-request' | 'none';
  readonly targets: readonly string[];
  /** The target to which the others are compared; the bare pass-through by default. */
  readonly reference?: TargetName;
}

const authorization = { 'Content-Type': 'application/json', Authorization: `Bearer ${clientKey}` };

/** Returns `bytes` of plain words that begin with the placeholder for the request's number. */
function prompt(bytes: number): string {
  return `Request ${noncePlaceholder}. ${'Tell me about gateways and railways. '.repeat(Math.ceil(bytes / 37))}`.slice(
    0,
    bytes,
  );
}

function chat(content: string, extra: object = {}): RequestTemplate {
  const messages = [
    { role: 'system', content: 'You are a helpful assistant.' },
    { role: 'user', content },
  ];
  const body = JSON.stringify({ model: modelName('bench'), messages, temperature: 0.7, max_tokens: 256, ...extra });
  return { path: '/v1/chat/completions', headers: authorization, body, expectedMarkers: 1, expectedEnding: '}' };
}

function chatStream(content: string, extra: object = {}): RequestTemplate {
  const template = chat(content, { stream: true, stream_options: { include_usage: true }, ...extra });
  return { ...template, expectedMarkers: contentChunkCount, expectedEnding: 'data: [DONE]' };
}

function pacedStream(gapMs: PacedGapMs): RequestTemplate {
  return chatStream(shortPrompt, { model: modelName('bench', gapMs) });
}

/** Returns the same question in a format that the upstream does not support, so that the gateway must translate. */
function messages(content: string, stream: boolean): RequestTemplate {
  const body = JSON.stringify({
    model: modelName('bench'),
    system: 'You are a helpful assistant.',
    messages: [{ role: 'user', content }],
    temperature: 0.7,
    max_tokens: 256,
    ...(stream ? { stream } : {}),
  });
  return {
    path: '/v1/messages',
    headers: { ...authorization, 'anthropic-version': '2023-06-01' },
    body,
    expectedMarkers: stream ? contentChunkCount : 1,
    // Only the last event, `message_stop`, ends with the routing information and the cost.
    expectedEnding: stream ? '"output_usd":' : '}',
  };
}

const agentPaths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const;

/** Returns a coding agent's request; a peer that only passes through always gets a chat completion, which the upstream supports. */
function agent(format: AgentFormat, bytes: number): RequestTemplate {
  const body = agentRequest(format, bytes);
  return { path: agentPaths[format], headers: authorization, body, expectedMarkers: 1, expectedEnding: '}' };
}

const kilobyte = 1024;
const shortPrompt = prompt(800); // With the surrounding fields the whole request is about 1 KB.

/** A chat completion of about 1 KB that is relayed unchanged. */
export const relayRequest = chat(shortPrompt);

/** If the billing mode of the account does not matter, one gateway is enough. */
const ordinaryTargets = targetNames.filter((name) => name === 'gateway' || !name.startsWith('gateway-'));

/** Returns scenarios with a conversation and 20 tools, for a prepaid and an unlimited account. */
function agentScenarios(options: Options): Scenario[] {
  const sizes = [100, 400];
  return agentFormats.flatMap((format) =>
    sizes.map(
      (size): Scenario => ({
        name: `agent-${format}-${size}`,
        title: `A coding agent's conversation of ${size} KB with 20 tools, ${format}, prepaid against unlimited`,
        kind: 'closed',
        request: agent(format, size * kilobyte),
        baseline: agent('chat', size * kilobyte),
        plan: { kind: 'closed', connections: 8, durationMs: options.quick ? 500 : 2000 },
        warmUpRequests: options.quick ? 300 : 3000,
        rounds: options.rounds ?? (options.quick ? 2 : 5),
        budget: budgetOf(`agent-${format}-${size}`),
        upstreamSees: 'every-request',
        targets: ['bare', 'gateway', 'gateway-unlimited'],
      }),
    ),
  );
}

function closedScenarios(options: Options): Scenario[] {
  const common = {
    kind: 'closed',
    plan: { kind: 'closed', connections: 32, durationMs: options.quick ? 500 : 2000 },
    rounds: options.rounds ?? (options.quick ? 2 : 5),
    upstreamSees: 'every-request',
    targets: ordinaryTargets,
  } as const;
  // The number of requests until the runtime has compiled all code of a request; before that, its compiler would be measured, too.
  const short = { ...common, warmUpRequests: options.quick ? 10_000 : 60_000 };
  const stream = { ...common, warmUpRequests: options.quick ? 400 : 1500 };
  const pair = ['bare', 'gateway'] as const;
  return [
    {
      ...short,
      name: 'json',
      title: 'Relay, no stream, 1 KB prompt',
      request: relayRequest,
      budget: budgetOf('json'),
    },
    {
      ...stream,
      name: 'stream',
      title: `Relay, stream of ${contentChunkCount} chunks`,
      request: chatStream(shortPrompt),
      budget: budgetOf('stream'),
    },
    {
      ...stream,
      name: 'stream-paced',
      title: `Relay, stream of ${contentChunkCount} chunks, 10 ms apart`,
      request: pacedStream(10),
      warmUp: chatStream(shortPrompt),
      plan: { kind: 'closed', connections: 256, durationMs: options.quick ? 700 : 2000 },
      budget: budgetOf('stream-paced'),
    },
    { ...stream, name: 'large', title: 'Relay, no stream, 100 KB prompt', request: chat(prompt(100 * kilobyte)) },
    {
      ...short,
      name: 'translate',
      title: 'Translate (messages to chat completions), no stream',
      request: messages(shortPrompt, false),
      baseline: chat(shortPrompt),
      budget: budgetOf('translate'),
      targets: pair,
    },
    {
      ...stream,
      name: 'translate-stream',
      title: `Translate, stream of ${contentChunkCount} chunks`,
      request: messages(shortPrompt, true),
      baseline: chatStream(shortPrompt),
      budget: budgetOf('translate-stream'),
      targets: pair,
    },
    {
      ...short,
      name: 'cache-hit',
      title: 'Exact-cache hit, 1 KB prompt',
      request: chat(shortPrompt.replace(noncePlaceholder, 'of always'), {
        cache_control: { type: 'response_only', max_age: 3600 },
      }),
      baseline: chat(shortPrompt),
      budget: budgetOf('cache-hit'),
      upstreamSees: 'none',
      targets: pair,
    },
  ];
}

/** Returns scenarios with a gateway that exports nothing, a twentieth of the traces, or everything. */
function telemetryScenarios(options: Options): Scenario[] {
  const common = {
    kind: 'closed',
    plan: { kind: 'closed', connections: 32, durationMs: options.quick ? 500 : 2000 },
    rounds: options.rounds ?? (options.quick ? 2 : 5),
    upstreamSees: 'every-request',
    targets: ['gateway', 'gateway-sampled', 'gateway-telemetry'],
    reference: 'gateway',
  } as const;
  return [
    {
      ...common,
      name: 'telemetry',
      title: 'Relay, no stream, 1 KB prompt: without telemetry, 5 % of the traces, all traces with metrics and logs',
      request: relayRequest,
      warmUpRequests: options.quick ? 10_000 : 60_000,
    },
    {
      ...common,
      name: 'telemetry-stream',
      title: `The same for a stream of ${contentChunkCount} chunks`,
      request: chatStream(shortPrompt),
      warmUpRequests: options.quick ? 400 : 1500,
    },
  ];
}

/** Returns scenarios with a gateway that has a feature which the measured requests do not use, compared with the plain gateway. */
function unusedScenarios(options: Options): Scenario[] {
  const features = {
    guards: 'guards of another account',
    search: 'a search model',
    traces: 'a collector, but no trace in the sample',
  } as const;
  return (['guards', 'search', 'traces'] as const).map((feature) => ({
    name: `unused-${feature}`,
    title: `Relay, no stream, 1 KB prompt, with ${features[feature]}`,
    kind: 'closed',
    request: relayRequest,
    plan: { kind: 'closed', connections: 32, durationMs: options.quick ? 500 : 2000 },
    warmUpRequests: options.quick ? 10_000 : 60_000,
    rounds: options.rounds ?? (options.quick ? 2 : 5),
    budget: budgetOf(`unused-${feature}`),
    judged: `gateway-unused-${feature}`,
    upstreamSees: 'every-request',
    targets: ['gateway', `gateway-unused-${feature}`],
    reference: 'gateway',
  }));
}

function streamsScenario(count: number, options: Options, budget: Budget | undefined): Scenario {
  return {
    name: `streams-${count}`,
    title: `${count.toLocaleString('en')} concurrent streams`,
    kind: 'streams',
    request: pacedStream(options.quick ? 50 : 200),
    warmUp: chatStream(shortPrompt),
    plan: { kind: 'streams', count, opensPerSecond: 2000 },
    warmUpRequests: options.quick ? 400 : 1000,
    rounds: options.rounds ?? 1,
    ...(budget === undefined ? {} : { budget }),
    upstreamSees: 'every-request',
    targets: ordinaryTargets,
  };
}

/** Returns the request counts at which memory is compared: section 10 names those of `--full`. */
export function memoryRequests(full: boolean): readonly [number, number] {
  return full ? [100_000, 1_000_000] : [20_000, 200_000];
}

export function allScenarios(options: Options): Scenario[] {
  const latency = {
    kind: 'open',
    plan: { kind: 'open', perSecond: 1000, durationMs: options.quick ? 1500 : 4000 },
    warmUpRequests: options.quick ? 2000 : 6000,
    rounds: options.rounds ?? (options.quick ? 2 : 5),
    upstreamSees: 'every-request',
    targets: ordinaryTargets,
  } as const;
  const [first, second] = memoryRequests(options.full).map((count) => count.toLocaleString('en'));
  return [
    ...closedScenarios(options),
    ...agentScenarios(options),
    ...telemetryScenarios(options),
    ...unusedScenarios(options),
    {
      ...latency,
      name: 'latency',
      title: 'Added latency at 1,000 requests/s, 1 KB prompt',
      request: chat(shortPrompt),
      budget: budgetOf('latency'),
    },
    {
      ...latency,
      name: 'latency-uncharged',
      title: 'The same for a free model; the difference is the cost of a durable charge before the response ends',
      request: chat(shortPrompt, { model: freeModelName }),
    },
    streamsScenario(1000, options, undefined),
    streamsScenario(5000, options, budgetOf('streams-5000')),
    {
      name: 'memory',
      title: `Memory after ${second} requests compared with after ${first}`,
      kind: 'memory',
      request: chat(shortPrompt),
      plan: { kind: 'closed', connections: 64 },
      warmUpRequests: 0,
      rounds: 1,
      budget: budgetOf('memory'),
      upstreamSees: 'every-request',
      targets: ['bare', 'gateway'],
    },
  ];
}

/** Returns scenarios that every gateway can run, with rounds and a pace that suit the slowest. */
export function rivalScenarios(options: Options, targets: readonly string[]): Scenario[] {
  const common = {
    warmUpMs: options.quick ? 3000 : 15_000,
    rounds: options.rounds ?? (options.quick ? 2 : 5),
    upstreamSees: 'every-request',
    targets,
  } as const;
  const closed = {
    ...common,
    kind: 'closed',
    plan: { kind: 'closed', connections: 32, durationMs: options.quick ? 1500 : 4000 },
  } as const;
  return [
    {
      ...closed,
      name: 'json',
      title: 'Relay, no stream, 1 KB prompt',
      request: chat(shortPrompt),
      warmUpRequests: options.quick ? 10_000 : 60_000,
    },
    {
      ...closed,
      name: 'stream',
      title: `Relay, stream of ${contentChunkCount} chunks`,
      request: chatStream(shortPrompt),
      warmUpRequests: options.quick ? 400 : 1500,
    },
    {
      ...common,
      name: 'latency',
      title: `Latency at ${options.requestsPerSecond} requests/s, 1 KB prompt`,
      kind: 'open',
      request: chat(shortPrompt),
      plan: { kind: 'open', perSecond: options.requestsPerSecond, durationMs: options.quick ? 2000 : 8000 },
      warmUpRequests: options.quick ? 2000 : 6000,
    },
  ];
}

/** The scenarios of `--check`: those whose figures are ratios of CPU time, which a busy machine changes least. */
const checkNames = /^(json|stream|stream-paced|translate|translate-stream|cache-hit|unused-.*)$/;

const quickNames = new Set(['json', 'stream', 'stream-paced', 'large', 'latency', 'streams-1000']);

/** Returns the scenarios that the options select: the named ones, else all; `--quick` keeps only the short ones. */
export function chosenScenarios(options: Options): Scenario[] {
  const all = allScenarios(options);
  if (options.only.length === 0 && options.check !== undefined) return all.filter(({ name }) => checkNames.test(name));
  if (options.only.length === 0) return options.quick ? all.filter((scenario) => quickNames.has(scenario.name)) : all;
  const unknown = options.only.filter((name) => !all.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    throw new Error(`unknown scenario ${unknown.join(', ')}; use ${all.map((scenario) => scenario.name).join(', ')}`);
  }
  return all.filter((scenario) => options.only.includes(scenario.name));
}

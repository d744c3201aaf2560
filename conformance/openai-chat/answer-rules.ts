import { asObject, isObject, parseJson } from '../shared/json.ts';
import type { ChatCase } from './chat-case.ts';
import { streamChunks } from './chat-case.ts';
import type { WireAnswer } from './target.ts';

/** Returns the violations of the contract's section "Routing information in responses". */
export function routingProblems(routing: unknown, where: string): readonly string[] {
  if (!isObject(routing)) return [`${where}: there is no routing object`];
  const channel = asObject(routing.channel);
  const problems: string[] = [];
  for (const key of ['id', 'name', 'provider', 'channelType']) {
    if (typeof channel[key] !== 'string') problems.push(`${where}: channel.${key} is ${JSON.stringify(channel[key])}`);
  }
  if (channel.channelType !== 'PLATFORM' && channel.channelType !== 'PRIVATE') {
    problems.push(`${where}: channelType is neither PLATFORM nor PRIVATE`);
  }
  if (routing.cached !== false) problems.push(`${where}: cached is ${JSON.stringify(routing.cached)}`);
  if (!Number.isInteger(routing.retryCount))
    problems.push(`${where}: retryCount is ${JSON.stringify(routing.retryCount)}`);
  return problems;
}

/** Returns the problems of a successful response of the gateway, as seen on the wire. */
export function answerProblems(one: ChatCase, answer: WireAnswer): readonly string[] {
  const header = answer.headers.get('x-routing');
  const problems =
    header === null ? ['header x-routing is absent'] : [...routingProblems(parseJson(header), 'x-routing')];
  if (answer.headers.get('x-request-id') === null) problems.push('header x-request-id is absent');
  if (answer.body.includes(one.recording.id))
    problems.push(`the upstream's model id ${one.recording.id} shows in the answer`);
  const chunks = one.recording.stream ? streamChunks(answer.body) : [parseJson(answer.body)];
  problems.push(...modelProblems(one, chunks));
  problems.push(
    ...(one.recording.stream ? streamRoutingProblems(chunks) : routingProblems(routingOf(chunks[0]), '_routing')),
  );
  return problems;
}

function routingOf(chunk: unknown): unknown {
  return asObject(chunk)._routing;
}

/** An empty model is allowed: Azure's first chunk has one. */
function modelProblems(one: ChatCase, chunks: readonly unknown[]): readonly string[] {
  const models = new Set(chunks.map((chunk) => asObject(chunk).model));
  const foreign = [...models].filter((model) => model !== undefined && model !== '' && model !== one.publicId);
  return foreign.map((model) => `the answer names the model ${JSON.stringify(model)}`);
}

function streamRoutingProblems(chunks: readonly unknown[]): readonly string[] {
  const carriers = chunks.flatMap((chunk, index) => (routingOf(chunk) === undefined ? [] : [index]));
  if (carriers.length !== 1) return [`${carriers.length} chunks have _routing, not one`];
  if (carriers[0] !== chunks.length - 1)
    return [`_routing is in chunk ${carriers[0]} of ${chunks.length}, not in the last`];
  return routingProblems(routingOf(chunks.at(-1)), '_routing');
}

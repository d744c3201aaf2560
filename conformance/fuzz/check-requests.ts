import type { Loss } from '../../src/domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../src/domain/exchange/request.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { memberEdits } from '../../src/engine/directory/relay-members.ts';
import type { TextTarget } from '../../src/engine/directory/target.ts';
import { clientPath } from '../../src/engine/operations/text/client-path.ts';
import { OriginMemory } from '../../src/engine/operations/text/origin-memory.ts';
import { StateMemory } from '../../src/engine/operations/text/state-memory.ts';
import { bodyEdits } from '../../src/engine/operations/text/written-request.ts';
import { applyEdits } from '../../src/formats/shared/json/json-patch.ts';
import { textOf } from '../../src/formats/shared/json/json-writer.ts';
import type { InboundCall, ParsedRequest } from '../../src/formats/text/client-request.ts';
import type { ClientFormat, EncodedRequest } from '../../src/formats/text/format.ts';
import { MemoryConversationState } from '../../src/stores/in-process/conversation-state.ts';
import { isObject, parseJson } from '../shared/json.ts';

const MEMORY = new StateMemory(new MemoryConversationState());
const ORIGINS = new OriginMemory(new MemoryConversationState());
const UTF8 = new TextEncoder();

/** Returns the problems with a client's bytes, however invalid, on their way to each target. The caller must catch exceptions. */
export function problemsOfRequest(
  format: ClientFormat,
  call: InboundCall,
  bytes: Uint8Array,
  targets: readonly TextTarget[],
): readonly string[] {
  const parsed = format.parseRequest(bytes, call);
  if (parsed instanceof Failure) return clientsFault(format, parsed);
  const problems = [...problemsOfStoring(format, parsed)];
  const decoded = format.decodeRequest(parsed);
  if (decoded instanceof Failure) return [...problems, ...clientsFault(format, decoded)];
  const restored = MEMORY.restore('account', decoded);
  const request = format.issuing ? ORIGINS.withOrigins('account', restored, format.issuing) : restored;
  for (const target of targets) {
    const label = `${target.channel.provider}/${target.wire.name}/${target.upstreamModel}`;
    problems.push(...problemsAt(target, request, parsed).map((one) => `${label}: ${one}`));
    if (target.wire.name === format.name) {
      problems.push(...problemsOfRelayed(format, parsed, target).map((one) => `${label}, relayed: ${one}`));
    }
  }
  return problems;
}

function problemsOfStoring({ storing, issuing }: ClientFormat, parsed: ParsedRequest): readonly string[] {
  issuing?.presented(parsed);
  if (!storing) return [];
  storing.wants(parsed);
  storing.previousId(parsed);
  let ids = 0;
  const items = storing.inputItems(parsed, (prefix) => `${prefix}${++ids}`);
  return Array.isArray(parseJson(items)) ? [] : ['the stored input is not an array'];
}

function problemsAt(target: TextTarget, request: ExchangeRequest, parsed: ParsedRequest): readonly string[] {
  const { wire, encoding } = target;
  for (const { parts } of request.messages) {
    for (const part of parts) {
      if (part.type !== 'image' && part.type !== 'audio' && part.type !== 'video' && part.type !== 'document') continue;
      wire.needsBytes(part, encoding.quirks);
    }
  }
  const encoded = wire.encodeRequest(request, { ...encoding, stream: parsed.stream });
  if (encoded instanceof Failure) return encoded.side === 'client' ? [] : [`the failure is ${encoded.code}`];
  const problems = [
    ...problemsOfEncoded(encoded, target),
    ...encoded.losses.flatMap((loss) => problemsOfLoss(loss, parsed)),
  ];
  const count = wire.counting?.encodeRequest(request, { ...encoding, stream: false });
  if (count && !(count instanceof Failure) && !isObject(parseJson(textOf(count.body))))
    problems.push('the count is not a JSON object');
  return problems;
}

function problemsOfEncoded({ body: json, headers }: EncodedRequest, target: TextTarget): readonly string[] {
  const body = textOf(json);
  if (!isObject(parseJson(body))) return ['the body is not a JSON object'];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(headers ?? {})) new Headers([[name, value]]);
  if (target.body !== null) {
    const patched = applyEdits(
      UTF8.encode(body),
      bodyEdits(UTF8.encode(body), target.body, headers?.['anthropic-beta']),
    );
    if (!isObject(parseJson(new TextDecoder().decode(patched)))) problems.push('the patched body is not a JSON object');
  }
  return problems;
}

function problemsOfLoss({ field, verdict, why }: Loss, parsed: ParsedRequest): readonly string[] {
  const problems: string[] = [];
  if (typeof field !== 'string' || field === '') problems.push('a loss names no field');
  if (typeof why !== 'string' || why.trim() === '') problems.push(`the loss of ${field} has no reason`);
  if (!['approximated', 'dropped', 'refused'].includes(verdict)) problems.push(`the loss of ${field} is ${verdict}`);
  clientPath(parsed.body, field);
  return problems;
}

function problemsOfRelayed(format: ClientFormat, parsed: ParsedRequest, target: TextTarget): readonly string[] {
  const relayed = applyEdits(parsed.bytes, format.relayEdits(parsed, target.upstreamModel));
  const bytes =
    target.relayMembers === null ? relayed : applyEdits(relayed, memberEdits(relayed, parsed, target.relayMembers));
  const patched = target.body === null ? bytes : applyEdits(bytes, bodyEdits(bytes, target.body, 'a,b'));
  return isObject(parseJson(new TextDecoder().decode(patched))) ? [] : ['the body is not a JSON object'];
}

/** A request that cannot be served must be refused with a 4xx and a reason, in the client's own envelope. */
function clientsFault(format: ClientFormat, failure: Failure): readonly string[] {
  const problems: string[] = [];
  if (failure.side !== 'client' || failure.status < 400 || failure.status > 499) {
    problems.push(`the failure is ${failure.code} (${failure.status})`);
  }
  if (failure.message.trim() === '') problems.push('the failure has no message');
  if (failure.message.length > 2_000) problems.push(`the failure's message has ${failure.message.length} characters`);
  const { param } = failure.details;
  if (param !== undefined && (param === '' || param.length > 1_000))
    problems.push(`the failure's param is ${param.length} long`);
  if (parseJson(format.encodeFailure(failure).body) === undefined) problems.push('the failure is not JSON');
  return problems;
}

import { isUsualMember } from '../../../domain/exchange/features.ts';
import { reasonsAt } from '../../../domain/exchange/reasoning.ts';
import { type Edit, removeMembers, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import {
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import { membersOf } from '../../shared/request/body.ts';
import type { ParsedRequest } from '../client-request.ts';
import type { BodyTest } from '../format.ts';
import { type Quirk, quirksOf } from '../quirk.ts';
import { anyOf, effortBreach, hasRecord, translatableLacks } from '../shared/relay-breach.ts';
import { isUsageOption } from '../shared/usage-cost.ts';
import { refusesInputFidelity } from './media.ts';

type Json = Readonly<Record<string, unknown>>;

/** See `ClientFormat.relayBreach`. */
export function relayBreach(quirks: readonly Quirk[]): BodyTest | null {
  const lacks = translatableLacks(quirks);
  const logprobs = lacks.get('logprobs');
  const roles = new Set<unknown>(quirksOf(quirks, 'role').map(({ from }) => from));
  return anyOf([
    effortBreach(quirks, effortIn),
    roles.size > 0 && (({ input }: Json) => hasRecord(input, ({ role }) => roles.has(role))),
    lacks.has('reasoning-summary') &&
      (({ reasoning }: Json) => isRecord(reasoning) && (reasoning.summary ?? null) !== null),
    lacks.has('reasoning-state') &&
      ((body: Json) =>
        includes(body, 'reasoning.encrypted_content') || hasRecord(body.input, ({ type }) => type === 'reasoning')),
    logprobs !== undefined &&
      ((body: Json) =>
        includes(body, 'message.output_text.logprobs') &&
        (logprobs.while === undefined || reasonsAt(effortIn(body), logprobs.while))),
    lacks.has('verbosity') &&
      (({ text }: Json) => isRecord(text) && !isUsualMember('verbosity', text.verbosity ?? null)),
  ]);
}

function effortIn({ reasoning }: Json): unknown {
  return isRecord(reasoning) ? reasoning.effort : undefined;
}

function includes({ include }: Json, what: string): boolean {
  return Array.isArray(include) && include.includes(what);
}

const REQUEST_MEMBERS = new MemberNames('model', 'tools', 'usage');
const TOOL_MEMBERS = new MemberNames('type', 'model', 'input_fidelity');

/**
 * Returns the declared patches of a request (design, section 3): the model id, the contract's rule for hosted image generation, and the
 * removal of OpenRouter's `usage`, which the gateway serves itself. Every other byte stays as the client sent it.
 */
export function relayEdits(request: ParsedRequest, upstreamModel: string): readonly Edit[] {
  const { bytes, body } = request;
  const object = membersOf(request, REQUEST_MEMBERS);
  const edits: Edit[] = [];
  for (const member of object.members) {
    if (member.name === 'usage') {
      if (isUsageOption(body.usage)) edits.push(...removeMembers(bytes, object, [member]).edits);
    } else if (member.name !== 'tools') edits.push(...modelEdits(request, member, upstreamModel));
    else if (hasFidelity(body.tools)) edits.push(...imageToolEdits(bytes, member));
  }
  return edits;
}

function modelEdits({ body: { model } }: ParsedRequest, member: MemberSpan, upstreamModel: string): Edit[] {
  return model === upstreamModel ? [] : [replaceValue(member, JSON.stringify(upstreamModel))];
}

/**
 * Returns whether a tool has the member. Checked first, because hardly any request has it, and the bytes of all tools may be
 * megabytes.
 */
function hasFidelity(tools: unknown): boolean {
  return Array.isArray(tools) && tools.some((tool) => isRecord(tool) && Object.hasOwn(tool, 'input_fidelity'));
}

/** Removes an `input_fidelity` that the image model refuses from each image_generation tool. */
function imageToolEdits(bytes: Uint8Array, tools: MemberSpan): Edit[] {
  const edits: Edit[] = [];
  let at = tools.valueStart;
  for (;;) {
    // The position after the opening bracket or a comma. If no object follows, the array has ended.
    const tool = scanObject(bytes, at + 1, TOOL_MEMBERS);
    if (!tool || tool.end > tools.valueEnd) return edits;
    edits.push(...inputFidelityEdits(bytes, tool));
    at = skipWhitespace(bytes, tool.end);
  }
}

function inputFidelityEdits(bytes: Uint8Array, tool: ObjectSpan): Edit[] {
  const readMember = (name: string) => {
    const member = tool.members.findLast((candidate) => candidate.name === name);
    return member && safeParse(bytes, member);
  };
  if (readMember('type') !== 'image_generation' || !refusesInputFidelity(readMember('model'))) return [];
  const found = tool.members.filter(({ name }) => name === 'input_fidelity');
  // Members that occur twice cannot be cut out one by one, so each is set to null, which means the same.
  return found.map((member) => (found.length === 1 ? removal(bytes, tool, member) : replaceValue(member, 'null')));
}

/** Returns the member with the comma after it, or, as the last one, with the comma before it. */
function removal(bytes: Uint8Array, object: ObjectSpan, { keyStart, valueEnd }: MemberSpan): Edit {
  const after = skipWhitespace(bytes, valueEnd);
  if (bytes[after] === COMMA) return { start: keyStart, end: skipWhitespace(bytes, after + 1), text: '' };
  let before = keyStart - 1;
  while (before > object.start && bytes[before] !== COMMA) before--;
  return { start: bytes[before] === COMMA ? before : keyStart, end: valueEnd, text: '' };
}

const COMMA = 0x2c;

import { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { appendMember, applyEdits, type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import {
  isList,
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import type { RelayPatch } from '../client-request.ts';
import type { RelayedAnswer } from '../format.ts';
import { readEnd } from './choice-answer.ts';
import { fillIn, inOrder, isUnset, type Needed } from './fill-in.ts';
import { decodeUsage } from './openai-usage.ts';
import type { ProducedText } from './produced-text.ts';
import { servedAs } from './served-as.ts';

/*
 * The relay of OpenAI's two formats with choices: chat completions and the older text completions. They differ in the contents of
 * a choice, which each format describes in its own `ChoiceDialect`.
 */

export interface ChoiceDialect {
  /** The `object` of a stream's chunks. */
  readonly chunkObject: 'chat.completion.chunk' | 'text_completion';
  /** The `object` of a whole answer. */
  readonly wholeObject: 'chat.completion' | 'text_completion';
  readonly idPrefix: string;
  /** The members of a whole answer's choice that are examined: `index`, `finish_reason` and the model's output. */
  readonly wholeMembers: MemberNames;
  /** Returns the edits within the model's output in a whole answer's choice, and whether the output has calls. */
  completeChoice(
    bytes: Uint8Array,
    choice: ObjectSpan,
    patch: RelayPatch,
  ): { readonly edits: readonly Edit[]; readonly hasCalls: boolean };
  /** The members of a chunk's choice that are examined: `index`, `finish_reason` and the model's output. */
  readonly chunkMembers: MemberNames;
  /** Records the model's output in this member's value. Returns whether it includes a call. */
  note(event: Uint8Array, member: MemberSpan, produced: ProducedText): boolean;
  /** Returns whether a chunk's choice has content: more than a role. */
  hasContent(choice: Readonly<Record<string, unknown>>): boolean;
  /** JSON members of a choice without content, up to its finish reason. */
  readonly emptyMembers: string;
  /** The members that clients need in a chunk's choice besides its index. */
  readonly neededOfChunk: Needed;
  /** Creates a watch for the calls of one stream; absent in a format without calls. */
  readonly watchCalls?: () => CallWatch;
}

/** Watches a stream's calls, for those whose arguments the upstream leaves out. */
export interface CallWatch {
  /** Returns whether a chunk may begin a call, or add to one that has no arguments yet. */
  mayChange(event: Uint8Array): boolean;
  /** Takes the choices of such a chunk. */
  see(choices: readonly Readonly<Record<string, unknown>>[]): void;
  /** Returns the choices of an answer's last chunk, with arguments for the calls that begin in it; `null` if none needs any. */
  completed(choices: readonly Readonly<Record<string, unknown>>[]): readonly Readonly<Record<string, unknown>>[] | null;
  /** Ends a choice. Returns choices, as JSON text, that supply its calls' missing arguments. */
  ended(choice: number): string[];
}

const decoder = new TextDecoder();
const INCLUDE_USAGE = new MemberNames('include_usage');
const ANSWER_MEMBERS = new MemberNames(
  ...['model', 'usage', 'error', 'choices', 'service_tier', '_routing', 'id', 'object', 'created'],
);

/** Returns the edits that request usage in a stream whose client did not; `streamOptions` is that member of the client's body. */
export function usageEdits(bytes: Uint8Array, object: ObjectSpan, streamOptions: MemberSpan | null): Edit[] {
  if (!streamOptions) return [appendMember(object, '"stream_options":{"include_usage":true}')];
  if (isNullAt(bytes, streamOptions.valueStart)) return [replaceValue(streamOptions, '{"include_usage":true}')];
  const options = scanObject(bytes, streamOptions.valueStart, INCLUDE_USAGE);
  if (!options) return [];
  if (options.members.length > 0) return options.members.map((member) => replaceValue(member, 'true'));
  return [appendMember(options, '"include_usage":true')];
}

/**
 * Returns a whole answer: the upstream's bytes with the public model id and `_routing`, and with any members that clients need
 * and the upstream has left out. A body that is not a JSON object, or that carries an error under a 200, is a failure of the
 * upstream.
 */
export function relayAnswer(dialect: ChoiceDialect, bytes: Uint8Array, patch: RelayPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const edits: Edit[] = [];
  let usage: unknown = null;
  let model: unknown = null;
  let serviceTier: unknown = null;
  let hasChoices = false;
  let more = `"_routing":${patch.routing.json}`;
  for (const member of object.members) {
    if (member.name === 'model') {
      model = safeParse(bytes, member);
      if (!isUnset(bytes, member)) edits.push(replaceValue(member, JSON.stringify(patch.publicModel)));
    } else if (member.name === 'service_tier') serviceTier = safeParse(bytes, member);
    else if (member.name === 'choices') {
      hasChoices = hasChoice(dialect, bytes, member);
      const ofChoices = hasChoices ? choiceEdits(dialect, bytes, member, patch) : [];
      if (ofChoices instanceof Failure) return ofChoices;
      edits.push(...ofChoices);
    } else if (member.name === 'usage') usage = safeParse(bytes, member);
    else if (member.name === 'error') {
      const failure = failureInAnswer(safeParse(bytes, member));
      if (failure) return failure;
    } else if (member.name === '_routing') {
      more = '';
      edits.push(replaceValue(member, patch.routing.json));
    }
  }
  if (!hasChoices) return bodyNoAnswer();
  edits.push(...fillIn(bytes, object, neededOf(dialect, dialect.wholeObject, patch), { more }));
  return { bytes: applyEdits(bytes, inOrder(edits)), usage: decodeUsage(usage), served: servedAs(model, serviceTier) };
}

/** Returns the members that clients need in an answer or in a chunk. */
export function neededOf({ idPrefix }: ChoiceDialect, object: string, { publicModel, created, newId }: RelayPatch) {
  return {
    id: () => JSON.stringify(newId(idPrefix)),
    object: `"${object}"`,
    created: () => String(created),
    model: () => JSON.stringify(publicModel),
  };
}

/**
 * Returns whether the list begins with a choice: one with a message or a text, however empty, or with the reason why there is
 * none.
 */
function hasChoice({ wholeMembers }: ChoiceDialect, bytes: Uint8Array, choices: MemberSpan): boolean {
  if (!isList(bytes, choices)) return false;
  const choice = scanObject(bytes, choices.valueStart + 1, wholeMembers);
  return choice?.members.some(({ name, valueStart }) => name !== 'index' && !isNullAt(bytes, valueStart)) === true;
}

function choiceEdits(
  dialect: ChoiceDialect,
  bytes: Uint8Array,
  choices: MemberSpan,
  patch: RelayPatch,
): Edit[] | Failure {
  const edits: Edit[] = [];
  let at = choices.valueStart;
  for (let position = 0; ; position++) {
    // Starts after the opening bracket or a comma; anything but an object ends the array.
    const choice = scanObject(bytes, at + 1, dialect.wholeMembers);
    if (!choice) return edits;
    const inner = dialect.completeChoice(bytes, choice, patch);
    edits.push(...inner.edits);
    for (const member of choice.members) {
      if (member.name !== 'finish_reason') continue;
      const end = readEnd(bytes, member, () => isEmptyChoice(dialect, bytes, choice));
      if (end instanceof Failure) return end;
      if (end !== null) edits.push(end);
    }
    const reason = inner.hasCalls ? '"tool_calls"' : '"stop"';
    edits.push(...fillIn(bytes, choice, { index: String(position), finish_reason: reason }));
    at = skipWhitespace(bytes, choice.end);
  }
}

function isEmptyChoice(dialect: ChoiceDialect, bytes: Uint8Array, { start, end }: ObjectSpan): boolean {
  const choice = parseObject(decoder.decode(bytes.subarray(start, end)));
  return choice === null || !dialect.hasContent({ ...choice, delta: choice.message });
}

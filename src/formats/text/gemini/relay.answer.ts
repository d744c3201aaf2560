import { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { applyEdits, type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import {
  equalAt,
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { indexOr, saysSomething } from '../../shared/json/json-values.ts';
import type { RelayPatch } from '../client-request.ts';
import type { RelayedAnswer } from '../format.ts';
import { fillIn, inOrder, memberNamed, type Needed } from '../shared/fill-in.ts';
import type { ProducedText } from '../shared/produced-text.ts';
import { servedAs } from '../shared/served-as.ts';
import {
  type CandidateEnd,
  decodeAnswer,
  errorInAnswer,
  finishReasonOf,
  isAnswer,
  promptBlock,
  wireParts,
} from './answer.decode.ts';
import { webSearchesOf } from './citations.ts';
import { errorOf, numberOf } from './decoding.ts';
import { noteContent } from './produced.ts';
import { decodeUsage, serviceTierOf } from './usage.ts';

/* The gateway's changes to an answer: the model, members that clients need and some upstreams omit, and `_routing`. */

const utf8 = new TextEncoder();

function modelEdits(bytes: Uint8Array, object: ObjectSpan, { publicModel }: RelayPatch): Edit[] {
  const edits: Edit[] = [];
  for (const member of object.members) {
    if (member.name !== 'modelVersion') continue;
    const json = JSON.stringify(publicModel);
    if (!isAlready(bytes, member, json)) edits.push(replaceValue(member, json));
  }
  return edits;
}

function isAlready(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan, json: string): boolean {
  const expected = utf8.encode(json);
  return valueEnd - valueStart === expected.length && equalAt(bytes, valueStart, expected);
}

/** Returns the members by which clients identify an answer. The id is the same in all chunks. */
export function neededOf({ publicModel, newId }: RelayPatch): Needed {
  let id: string | null = null;
  return {
    modelVersion: () => JSON.stringify(publicModel),
    responseId: () => (id ??= JSON.stringify(newId(''))),
  };
}

/** Returns the edits of a chunk; `more` is JSON text of further members. */
export function chunkEdits(
  bytes: Uint8Array,
  object: ObjectSpan,
  patch: RelayPatch,
  needed: Needed,
  more = '',
): Edit[] {
  const edits = modelEdits(bytes, object, patch);
  if (more === '' && hasAll(object, needed)) return edits;
  return inOrder([...edits, ...fillIn(bytes, object, needed, { replacesUnset: false, more })]);
}

function hasAll(object: ObjectSpan, needed: Needed): boolean {
  for (const name in needed) if (memberNamed(object, name) === null) return false;
  return true;
}

/** Returns the edits of a whole answer or a last chunk, with `_routing` and, if it is given, the usage as JSON text. */
export function lastEdits(
  bytes: Uint8Array,
  object: ObjectSpan,
  patch: RelayPatch,
  needed: Needed,
  usage: string | null = null,
): Edit[] {
  const edits: Edit[] = [];
  const added: string[] = [];
  const told = [
    ['usageMetadata', usage],
    ['_routing', patch.routing.json],
  ] as const;
  for (const [name, json] of told) {
    if (json === null) continue;
    const present = memberNamed(object, name);
    if (present === null) added.push(`"${name}":${json}`);
    else edits.push(replaceValue(present, json));
  }
  return inOrder([...edits, ...chunkEdits(bytes, object, patch, needed, added.join(','))]);
}

export const READ_MEMBERS = [
  'modelVersion',
  'usageMetadata',
  'error',
  'candidates',
  'promptFeedback',
  '_routing',
] as const;
export const ANSWER_MEMBERS = new MemberNames(...READ_MEMBERS, 'responseId');

const CANDIDATE_MEMBERS = new MemberNames('finishReason', 'finishMessage', 'index', 'groundingMetadata', 'content');

/** The source matters only for opaque state, which is not used here. */
const NO_SOURCE = { provider: '', channel: '', quirks: [] };

/** Returns a whole answer, or the answer to a count request: the upstream's bytes with the public model id and `_routing`. */
export function relayAnswer(bytes: Uint8Array, patch: RelayPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const facts = readFacts(bytes, object, null, false);
  if (facts.failure !== null && facts.candidates === 0) return facts.failure;
  if (facts.candidates === 0 && !facts.isBlocked) return bodyNoAnswer();
  if (
    !facts.isBlocked &&
    !(facts.ends.length === facts.candidates && facts.ends.every(([, { raw }]) => isAnswer(raw)))
  ) {
    const judged = decodeAnswer(bytes, NO_SOURCE);
    if (judged instanceof Failure) return judged;
  }
  const usage = facts.usageMember === null ? null : safeParse(bytes, facts.usageMember);
  const needed = neededOf(patch);
  const edits = [...lastEdits(bytes, object, patch, needed), ...finishEdits(bytes, object)];
  return {
    bytes: applyEdits(bytes, inOrder(edits)),
    usage: decodeUsage(usage, facts.webSearches),
    served: servedAs(modelIn(bytes, object), serviceTierOf(usage)),
  };
}

/** Returns edits that add finish reasons to candidates without one, because a whole answer has ended. */
function finishEdits(bytes: Uint8Array, { members }: ObjectSpan): Edit[] {
  const edits: Edit[] = [];
  for (const { name, valueStart } of members) {
    if (name !== 'candidates') continue;
    let at = valueStart;
    for (;;) {
      const candidate = scanObject(bytes, at + 1, CANDIDATE_MEMBERS);
      if (!candidate) break;
      edits.push(...fillIn(bytes, candidate, { finishReason: () => '"STOP"' }));
      at = skipWhitespace(bytes, candidate.end);
    }
  }
  return edits;
}

export interface Facts extends CandidateFacts {
  readonly failure: Failure | null;
  /** The position of `usageMetadata`, which is not parsed yet. */
  readonly usageMember: MemberSpan | null;
  readonly isBlocked: boolean;
}

interface CandidateFacts {
  /** How many candidates there are. */
  readonly candidates: number;
  /** How each finished candidate ended, by index. */
  readonly ends: readonly (readonly [index: number, end: CandidateEnd])[];
  /** Whether a candidate has any content; determined only if the caller asks for it. */
  readonly hasContent: boolean;
  readonly webSearches: number;
}

const NO_CANDIDATES: CandidateFacts = { candidates: 0, ends: [], hasContent: false, webSearches: 0 };

export function readFacts(
  bytes: Uint8Array,
  object: ObjectSpan,
  produced: ProducedText | null,
  seeksContent: boolean,
): Facts {
  let failure: Failure | null = null;
  let usageMember: MemberSpan | null = null;
  let candidates = NO_CANDIDATES;
  let isBlocked = false;
  for (const member of object.members) {
    if (member.name === 'usageMetadata') usageMember = member;
    else if (member.name === 'candidates')
      candidates = readCandidates(bytes, member.valueStart, produced, seeksContent);
    else if (member.name === 'promptFeedback')
      isBlocked = promptBlock({ promptFeedback: safeParse(bytes, member) }) !== null;
    else if (member.name === 'error') {
      const error = safeParse(bytes, member);
      if (errorOf(error)) failure = errorInAnswer(error);
    }
  }
  return { ...candidates, failure, usageMember, isBlocked };
}

/** Scans the array of candidates without building it. Only grounding is parsed, because Google charges for its searches. */
function readCandidates(
  bytes: Uint8Array,
  start: number,
  produced: ProducedText | null,
  seeksContent: boolean,
): CandidateFacts {
  let candidates = 0;
  let hasContent = false;
  let webSearches = 0;
  const ends: [number, CandidateEnd][] = [];
  let at = start;
  for (;;) {
    // The position after the opening bracket or a comma. If no object follows, the array has ended.
    const candidate = scanObject(bytes, at + 1, CANDIDATE_MEMBERS);
    if (!candidate) return { candidates, ends, hasContent, webSearches };
    const place = candidates++;
    for (const member of candidate.members) {
      if (isNullAt(bytes, member.valueStart)) continue;
      if (member.name === 'finishReason') {
        if (saysReason(bytes, member)) ends.push(endIn(bytes, candidate, member, place));
      } else if (member.name === 'content') {
        if (produced !== null) noteContent(bytes, member, produced);
        if (seeksContent && !hasContent)
          hasContent = wireParts({ content: safeParse(bytes, member) }).some(saysSomething);
      } else if (member.name === 'groundingMetadata')
        webSearches += webSearchesOf({ groundingMetadata: safeParse(bytes, member) });
    }
    at = skipWhitespace(bytes, candidate.end);
  }
}

function endIn(bytes: Uint8Array, { members }: ObjectSpan, reason: MemberSpan, place: number): [number, CandidateEnd] {
  const said = (name: string) => {
    const member = members.find((one) => one.name === name);
    return member === undefined ? null : safeParse(bytes, member);
  };
  const raw = finishReasonOf({ finishReason: safeParse(bytes, reason) });
  const index = indexOr(numberOf(said('index')), place);
  return [index, { raw, message: said('finishMessage'), hasContent: false }];
}

const NO_REASONS = ['""', '0', '"FINISH_REASON_UNSPECIFIED"'].map((text) => utf8.encode(text));

/** Returns whether there is a reason. Servers that always write optional members write the type's zero value into every chunk. */
function saysReason(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): boolean {
  return !NO_REASONS.some((zero) => zero.length === valueEnd - valueStart && equalAt(bytes, valueStart, zero));
}

export function modelIn(bytes: Uint8Array, { members }: ObjectSpan): unknown {
  const member = members.find(({ name }) => name === 'modelVersion');
  return member === undefined ? null : safeParse(bytes, member);
}

import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { applyEdits, type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import {
  equalAt,
  isEmptyList,
  isList,
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { setMember } from '../../shared/json/record.ts';
import type { RelayPatch } from '../client-request.ts';
import type { RelayedAnswer } from '../format.ts';
import { fillIn, inOrder, isUnset, memberNamed, type Needed } from '../shared/fill-in.ts';
import { servedAs } from '../shared/served-as.ts';
import { idPrefixOf } from './content.ts';
import { failureInResponse } from './failure.ts';
import { usageOfResponse } from './usage.ts';

export const ANSWER_MEMBERS = new MemberNames(
  ...[
    'id',
    'object',
    'created',
    'created_at',
    'model',
    'usage',
    'error',
    'status',
    'output',
    'tool_usage',
    'service_tier',
    '_routing',
  ],
);

/**
 * Returns a whole answer: the upstream's bytes with the public model id and `_routing`. A body that is not a JSON object, or that
 * failed under a 200, is a failure of the upstream.
 */
export function relayAnswer(bytes: Uint8Array, patch: RelayPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const seen = observe(bytes, object);
  if (seen.failure) return seen.failure;
  if (!isAnswer(bytes, object)) return bodyNoAnswer();
  const { usage, served } = seen;
  const parts = { patch, needed: neededOfResponse(patch), ids: new ItemIds(patch.newId), isFinal: true };
  return { bytes: applyEdits(bytes, responseEdits(bytes, object, parts)), usage, served };
}

/** Returns whether the body is an answer: it has output items, or a reason why there are none. */
function isAnswer(bytes: Uint8Array, { members }: ObjectSpan): boolean {
  const output = members.find(({ name }) => name === 'output');
  if (output === undefined || !isList(bytes, output)) return false;
  const hasStatus = members.some(({ name, valueStart }) => name === 'status' && !isNullAt(bytes, valueStart));
  return hasStatus || !isEmptyList(bytes, output);
}

interface ResponseParts {
  readonly patch: RelayPatch;
  /** The members that every response of the stream has. */
  readonly needed: Needed;
  readonly ids: ItemIds;
  readonly isFinal: boolean;
}

/** Returns the edits of a response object: its model, missing members, and `_routing` if it is the final one. */
export function responseEdits(
  bytes: Uint8Array,
  object: ObjectSpan,
  { patch, needed, ids, isFinal }: ResponseParts,
): Edit[] {
  const { publicModel, routing } = patch;
  const edits: Edit[] = [];
  let more = isFinal ? `"_routing":${routing.json}` : '';
  for (const member of object.members) {
    if (member.name === 'model' && !isUnset(bytes, member)) {
      edits.push(replaceValue(member, JSON.stringify(publicModel)));
    } else if (member.name === 'output' && isFinal) edits.push(...completeOutput(bytes, member, ids));
    else if (member.name === '_routing' && isFinal) {
      more = '';
      edits.push(replaceValue(member, routing.json));
    }
  }
  const status = isFinal ? '"completed"' : '"in_progress"';
  const created = () => createdOf(bytes, object) ?? String(patch.created);
  return inOrder([...edits, ...fillIn(bytes, object, { ...needed, created, status: () => status }, { more })]);
}

/** Returns the time that the upstream states under OpenAI's name, as JSON text; the contract's name is `created`. */
function createdOf(bytes: Uint8Array, { members }: ObjectSpan): string | null {
  const stated = members.find(({ name }) => name === 'created_at');
  return stated === undefined || isUnset(bytes, stated) ? null : JSON.stringify(safeParse(bytes, stated) ?? null);
}

interface Observed {
  readonly usage: Usage | null;
  readonly served: ServedAs;
  readonly failure: Failure | null;
}

const BILLED_CALLS = [Buffer.from('web_search_call'), Buffer.from('image_generation_call')];

/** Returns whether the output may contain a billed tool call; otherwise it is not parsed, because it is long. */
function mayShowBilledCall(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): boolean {
  const output = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueEnd - valueStart);
  return BILLED_CALLS.some((call) => output.includes(call));
}

export function observe(bytes: Uint8Array, object: ObjectSpan): Observed {
  const values: Record<string, unknown> = {};
  for (const member of object.members) {
    if (member.name !== 'output' || mayShowBilledCall(bytes, member))
      setMember(values, member.name, safeParse(bytes, member));
  }
  return {
    usage: usageOfResponse(values),
    served: servedAs(values.model, values.service_tier),
    failure: failureInResponse(values),
  };
}

/* Supplies members that clients need in a response and that some upstreams omit. */

const ITEM_MEMBERS = new MemberNames('type', 'arguments', 'id');
const FUNCTION_CALL = new TextEncoder().encode('"function_call"');
export const ARGUMENTS: Needed = { arguments: () => '"{}"' };

/** Returns the members of a response. They are the same in all events of one stream. */
export function neededOfResponse({ publicModel, created, newId }: RelayPatch): Needed {
  let id: string | null = null;
  return {
    id: () => (id ??= JSON.stringify(newId('resp_'))),
    object: () => '"response"',
    created_at: () => String(created),
    model: () => JSON.stringify(publicModel),
  };
}

/** Gives a finished call without arguments an empty object, because clients parse the arguments. */
export function completeCall(bytes: Uint8Array, item: MemberSpan): Edit[] {
  const object = scanObject(bytes, item.valueStart, ITEM_MEMBERS);
  const type = object === null ? null : memberNamed(object, 'type');
  return object !== null && type !== null && isCall(bytes, type) ? fillIn(bytes, object, ARGUMENTS) : [];
}

function isCall(bytes: Uint8Array, { valueStart }: MemberSpan): boolean {
  return equalAt(bytes, valueStart, FUNCTION_CALL);
}

/** Does the same for each call in a finished response's output, and assigns missing item ids. */
function completeOutput(bytes: Uint8Array, output: MemberSpan, ids: ItemIds): Edit[] {
  if (!isList(bytes, output)) return [];
  const edits: Edit[] = [];
  let at = output.valueStart;
  for (let index = 0; ; index++) {
    const item = scanObject(bytes, at + 1, ITEM_MEMBERS);
    if (!item) return edits;
    const type = memberNamed(item, 'type');
    if (type !== null) edits.push(...fillIn(bytes, item, ids.needed(bytes, type, index)));
    at = skipWhitespace(bytes, item.end);
  }
}

/** The ids that the gateway assigns to a response's items if the upstream sends none. */
export class ItemIds {
  private readonly ids = new Map<number, string>();
  /** The item that is being examined. */
  private bytes: Uint8Array = new Uint8Array(0);
  private type: MemberSpan | null = null;
  private index = 0;
  private readonly ofItem: Needed = { id: () => JSON.stringify(this.made()) };
  private readonly ofCall: Needed = { ...ARGUMENTS, ...this.ofItem };

  constructor(private readonly newId: (prefix: string) => string) {}

  /** Returns the members that the item at this index of the output needs; a new id is made only if one is missing. */
  needed(bytes: Uint8Array, type: MemberSpan, index: number): Needed {
    this.bytes = bytes;
    this.type = type;
    this.index = index;
    return isCall(bytes, type) ? this.ofCall : this.ofItem;
  }

  /** Returns the members that a newly begun item needs: its arguments are still to come. */
  neededAtStart(bytes: Uint8Array, type: MemberSpan, index: number): Needed {
    this.needed(bytes, type, index);
    return this.ofItem;
  }

  /** Returns the id that was assigned to the item at this index; `null` if the upstream sent one. */
  at(index: number): string | null {
    return this.ids.get(index) ?? null;
  }

  get isEmpty(): boolean {
    return this.ids.size === 0;
  }

  private made(): string {
    const known = this.ids.get(this.index);
    if (known !== undefined) return known;
    const type = this.type === null ? '' : String(safeParse(this.bytes, this.type));
    const id = this.newId(idPrefixOf(type));
    this.ids.set(this.index, id);
    return id;
  }
}

export const NOTHING_MISSING: readonly Edit[] = [];
const PLACED_MEMBERS = new MemberNames('type', 'item_id', 'output_index');

export function itemEdits(event: Uint8Array, { start }: ObjectSpan, item: MemberSpan, ids: ItemIds): Edit[] {
  const object = scanObject(event, item.valueStart, ITEM_MEMBERS);
  const type = object === null ? null : memberNamed(object, 'type');
  if (object === null || type === null || hasId(event, object)) return [];
  const index = outputIndex(event, scanObject(event, start, PLACED_MEMBERS));
  return index === null ? [] : fillIn(event, object, ids.neededAtStart(event, type, index));
}

function hasId(event: Uint8Array, object: ObjectSpan): boolean {
  const id = memberNamed(object, 'id');
  return id !== null && !isUnset(event, id);
}

export function missingReference(event: Uint8Array, { start }: ObjectSpan, ids: ItemIds): string | null {
  const object = scanObject(event, start, PLACED_MEMBERS);
  const index = outputIndex(event, object);
  return index === null || object === null || memberNamed(object, 'item_id') !== null ? null : ids.at(index);
}

function outputIndex(event: Uint8Array, object: ObjectSpan | null): number | null {
  const member = object === null ? null : memberNamed(object, 'output_index');
  const index = member === null ? null : safeParse(event, member);
  return typeof index === 'number' ? index : null;
}

export const DONE_MEMBERS = new MemberNames('arguments');

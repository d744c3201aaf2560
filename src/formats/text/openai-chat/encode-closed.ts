import type { Losses } from '../../../domain/exchange/loss.ts';
import type { Quirk } from '../../quirk.ts';
import { listOf } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { fields } from './fields.ts';

type Json = Readonly<Record<string, unknown>>;
type Closed = Extract<Quirk, { kind: 'closed' }>;

interface Foreign {
  readonly object: Json;
  readonly member: string;
  readonly path: string;
}

/** Returns whether a body has a member that the provider refuses. */
export function hasForeignMember(body: Json, quirk: Closed): boolean {
  for (const _ of foreignMembers(body, quirk)) return true;
  return false;
}

/** Deletes the members that the provider refuses, and notes the non-empty ones. */
export function deleteForeignMembers(body: Record<string, unknown>, quirk: Closed, losses: Losses): void {
  for (const { object, member, path } of [...foreignMembers(body, quirk)]) {
    if (saysSomething(object[member])) losses.note({ field: path, verdict: verdictOf(path), why: quirk.why });
    // The encoder has made these objects for this body.
    delete (object as Record<string, unknown>)[member];
  }
}

function* foreignMembers(body: Json, { members, messages }: Closed): Generator<Foreign> {
  for (const member of Object.keys(body)) {
    if (!members.includes(member)) yield { object: body, member, path: member };
  }
  for (const [index, message] of listOf(body.messages).entries()) {
    const known = isRecord(message) ? entryOf(messages, String(message.role)) : undefined;
    if (known === undefined || !isRecord(message)) continue;
    for (const member of Object.keys(message)) {
      if (!known.includes(member)) yield { object: message, member, path: `messages[${index}].${member}` };
    }
  }
}

/** Returns whether the value is non-empty: clients that echo an answer also send back its empty members. */
function saysSomething(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
}

/** Returns the verdict: a member that changes the meaning of the request is not left out. */
function verdictOf(path: string): 'dropped' | 'refused' {
  const about = entryOf(fields, path);
  return typeof about === 'object' && about.verdict === 'refused' ? 'refused' : 'dropped';
}

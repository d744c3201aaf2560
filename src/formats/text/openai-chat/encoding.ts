import type { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest, RestField } from '../../../domain/exchange/request.ts';
import { listOf } from '../../shared/json/json-values.ts';
import { entryOf, isRecord, setMember } from '../../shared/json/record.ts';
import type { EncodeTarget } from '../format.ts';
import type { Quirk } from '../quirk.ts';
import { fields } from './fields.ts';
import { FORMAT } from './schema.ts';

/** A JSON object while it is being written. */
export type Body = Record<string, unknown>;

/** The context that every step of encoding one request shares. */
export interface EncodeContext {
  readonly request: ExchangeRequest;
  readonly target: EncodeTarget;
  readonly losses: Losses;
  readonly own: OwnMembers;
}

/**
 * The members of a chat client's body that the canonical request has no place for. When the body is encoded in the same
 * format again, each member goes back into the object that it came from, which is found by its path. A request of another
 * format has no such members here; its own unmapped fields are noted as lost.
 */
export class OwnMembers {
  readonly isOwn: boolean;
  private readonly byParent = new Map<string, RestField[]>();

  constructor(private readonly request: ExchangeRequest) {
    this.isOwn = request.format === FORMAT;
    if (!this.isOwn) return;
    for (const field of request.rest) {
      const { parent } = split(field.path);
      const siblings = this.byParent.get(parent);
      if (siblings) siblings.push(field);
      else this.byParent.set(parent, [field]);
    }
  }

  /** Restores the members of the object at this path. A member that the object already has is not replaced. */
  into(path: string | undefined, object: Record<string, unknown>): void {
    if (path === undefined || this.byParent.size === 0) return;
    const fields = this.byParent.get(path);
    if (fields === undefined) return;
    const left = fields.filter((field) => {
      const { key } = split(field.path);
      if (entryOf(object, key) !== undefined) return true;
      setMember(object, key, field.value);
      return false;
    });
    if (left.length === 0) this.byParent.delete(path);
    else this.byParent.set(path, left);
  }

  /** Returns whether the object at this path had unmapped members, so that it cannot be written in a shorter form. */
  has(path: string | undefined): boolean {
    return path !== undefined && this.byParent.has(path);
  }

  /** Notes as lost every member that was not put back. */
  noteLeft(losses: Losses): void {
    if (!this.isOwn) losses.noteRest(this.request.rest);
    for (const fields of this.byParent.values()) losses.noteRest(fields);
  }
}

/** Splits a path: `messages[0].content[1].foo` is `foo` in `messages[0].content[1]`. */
function split(path: string): { readonly parent: string; readonly key: string } {
  const dot = path.lastIndexOf('.');
  return dot < 0 ? { parent: '', key: path } : { parent: path.slice(0, dot), key: path.slice(dot + 1) };
}

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

import type { Feature, Losses, RestField } from '../../../domain/exchange/loss.ts';
import type { CacheMark } from '../../../domain/exchange/part.ts';
import { markPath } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { entryOf, isRecord, setMember } from '../../shared/json/record.ts';
import type { EncodeTarget } from '../format.ts';
import type { ModelProfile } from '../shared/claude-profile.ts';
import { FORMAT } from './schema.ts';

/* Helpers that all parts of the request encoder share. */

/** One request that is being encoded in this format. */
export interface Encoding {
  readonly request: ExchangeRequest;
  readonly target: EncodeTarget;
  readonly losses: Losses;
  /** The client itself speaks this format: its values go back unchanged, whatever the model. */
  readonly own: boolean;
  readonly profile: ModelProfile;
  readonly kept: KeptMembers;
  readonly marks: CacheMarks;
}

/** Returns the client's own name for a feature, for a loss that depends on the value. */
export function fieldOf({ request }: Encoding, feature: Feature): string {
  return request.names[feature] ?? feature;
}

/** Members of the client's objects that have no canonical place, by the path of the object that they go back into. */
export class KeptMembers {
  private readonly byObject = new Map<string, RestField[]>();

  constructor(request: ExchangeRequest) {
    if (request.format !== FORMAT) return;
    for (const field of request.rest) {
      for (const owner of ownersOf(field.path)) {
        const fields = this.byObject.get(owner);
        if (fields) fields.push(field);
        else this.byObject.set(owner, [field]);
      }
    }
  }

  /**
   * Puts back the members of the object at `path` (empty: the body) and of the objects inside it, except for objects in
   * arrays.
   */
  restore(object: Record<string, unknown>, path: string | undefined): Record<string, unknown> {
    const fields = path === undefined ? undefined : this.byObject.get(path);
    for (const field of fields ?? []) {
      setAt(object, (path === '' ? field.path : field.path.slice((path?.length ?? 0) + 1)).split('.'), field.value);
    }
    return object;
  }
}

/**
 * Returns the paths of the objects from which a member can be restored: all objects above it up to the nearest array item. The
 * items of an array are encoded one by one, each with its own path.
 */
function ownersOf(path: string): string[] {
  const owners: string[] = [];
  let owner = path;
  while (owner.includes('.')) {
    owner = owner.slice(0, owner.lastIndexOf('.'));
    owners.push(owner);
    if (owner.endsWith(']')) return owners;
  }
  owners.push('');
  return owners;
}

function setAt(object: Record<string, unknown>, names: readonly string[], value: unknown): void {
  const [name, ...deeper] = names;
  if (name === undefined) return;
  if (deeper.length === 0) {
    setMember(object, name, value);
    return;
  }
  const inner = entryOf(object, name);
  const copy: Record<string, unknown> = isRecord(inner) ? { ...inner } : {};
  setAt(copy, deeper, value);
  setMember(object, name, copy);
}

/**
 * The API accepts four marks ("Prompt caching", cache breakpoints). The last marks cover the longest prefix, so those are
 * kept.
 */
const MOST_MARKS = 4;

export class CacheMarks {
  private surplus: number;

  /** `count` is the number of marks in the request. A request of this format keeps all of them; the API validates them. */
  constructor(
    count: number,
    own: boolean,
    private readonly losses: Losses,
  ) {
    this.surplus = own ? 0 : Math.max(0, count - MOST_MARKS);
  }

  /** Returns the cache member for a part. Must be called in the order of the wire: tools, system, messages. */
  member(mark: CacheMark | undefined, path: string | undefined): { cache_control?: unknown } {
    if (mark === undefined) return {};
    const field = markPath({ cache: mark, ...(path === undefined ? {} : { path }) });
    if (this.surplus > 0) {
      this.surplus--;
      this.losses.note({
        field,
        verdict: 'dropped',
        why: `the Anthropic API accepts ${MOST_MARKS} cache marks; the last ones are kept`,
      });
      return {};
    }
    if (!this.losses.carry('cache-marks', field)) return {};
    return { cache_control: { type: 'ephemeral', ...(mark.ttl === '1h' ? { ttl: mark.ttl } : {}) } };
  }
}

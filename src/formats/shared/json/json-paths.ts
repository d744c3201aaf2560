import { type Edit, removeMembers } from './json-patch.ts';
import { isList, itemStarts, MemberNames, type MemberSpan, type ObjectSpan, scanObject } from './json-scan.ts';

/** A member found in a body. */
export interface FoundMember {
  /** The path that matched, such as `tools[].defer_loading`. */
  readonly path: string;
  readonly object: ObjectSpan;
  readonly member: MemberSpan;
}

interface Level {
  readonly names: MemberNames;
  readonly members: ReadonlyMap<string, Step>;
}

interface Step {
  /** The path that ends here, if any. */
  readonly path: string | null;
  /** The paths to look for in the value, or in each of its items. */
  readonly level: Level | null;
}

/**
 * Finds members by path, such as `context_management` or `tools[].cache_control.scope`, in the bytes of a JSON body without
 * building values, so that they can be removed and all other bytes kept. `[]` in a path enters the items of a list.
 */
export class JsonPaths {
  private readonly top: Level | null;

  constructor(paths: Iterable<string>) {
    this.top = levelOf([...paths].map((path) => ({ path, steps: path.split('.') })));
  }

  find(bytes: Uint8Array): readonly FoundMember[] {
    const found: FoundMember[] = [];
    if (this.top !== null) visit(bytes, 0, this.top, found);
    return found;
  }
}

/** Returns the edits that remove members found by one `JsonPaths`. */
export function removalOf(bytes: Uint8Array, found: readonly FoundMember[]): readonly Edit[] {
  const byObject = Map.groupBy(found, ({ object }) => object);
  return [...byObject]
    .flatMap(([object, members]) => {
      const ordered = members.map(({ member }) => member).sort((left, right) => left.keyStart - right.keyStart);
      return removeMembers(bytes, object, ordered).edits;
    })
    .sort((left, right) => left.start - right.start);
}

interface Walked {
  readonly path: string;
  readonly steps: readonly string[];
}

function levelOf(paths: readonly Walked[]): Level | null {
  if (paths.length === 0) return null;
  const byName = Map.groupBy(paths, ({ steps: [step = ''] }) => step.replace('[]', ''));
  const members = new Map<string, Step>();
  for (const [name, walked] of byName) {
    const ended = walked.find(({ steps }) => steps.length === 1);
    const deeper = walked.filter(({ steps }) => steps.length > 1);
    const level = levelOf(deeper.map(({ path, steps }) => ({ path, steps: steps.slice(1) })));
    members.set(name, { path: ended?.path ?? null, level });
  }
  return { names: new MemberNames(...members.keys()), members };
}

function visit(bytes: Uint8Array, at: number, level: Level, found: FoundMember[]): void {
  const object = scanObject(bytes, at, level.names);
  for (const member of object?.members ?? []) {
    const step = level.members.get(member.name);
    if (object === null || step === undefined) continue;
    if (step.path !== null) found.push({ path: step.path, object, member });
    if (step.level === null) continue;
    if (!isList(bytes, member)) visit(bytes, member.valueStart, step.level, found);
    else for (const start of itemStarts(bytes, member)) visit(bytes, start, step.level, found);
  }
}

import { type Edit, removeMembers } from './json-patch.ts';
import { isList, itemStarts, MemberNames, type MemberSpan, type ObjectSpan, scanObject } from './json-scan.ts';

/** A member that was found in a body. */
export interface FoundMember {
  /** The path that was looked for, such as `tools[].defer_loading`. */
  readonly path: string;
  readonly object: ObjectSpan;
  readonly member: MemberSpan;
}

interface Level {
  readonly names: MemberNames;
  readonly members: ReadonlyMap<string, Step>;
}

interface Step {
  /** The path that ends here, if one does. */
  readonly path: string | null;
  /** What is looked for in the value, or in each item of it. */
  readonly level: Level | null;
}

/**
 * Paths of members, such as `context_management` or `tools[].cache_control.scope`, that are found in the bytes of a JSON body without
 * building values, so that members can be removed and every other byte kept. A path goes into the items of a list at `[]`.
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

/** Removes members that were found by the same paths. */
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

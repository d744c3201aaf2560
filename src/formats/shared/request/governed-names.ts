import { Failure } from '../../../domain/failure/failure.ts';
import { DOUBTFUL, NameTable, OTHER_SPELLING, OWN_SPELLING } from '../json/name-table.ts';
import { isRecord } from '../json/record.ts';
import { snakeCase } from '../json/snake-case.ts';
import type { BodyScan } from './body-scan.ts';
import { formatPath } from './schema-error.ts';

/*
 * If the gateway and an upstream read a name differently, a client can send two values at once. Go's `encoding/json` accepts
 * `MODEL` for `model`, protocol buffers' JSON mapping accepts `maxTokens` for `max_tokens`, and for a repeated name some parsers
 * take the first value and some the last. So in objects whose members the gateway knows, each may occur once, and only in its own
 * spelling; other names pass unchanged.
 */

interface Level {
  readonly members: Map<string, Level>;
  /** Each own name, keyed by the fold that all its spellings share. */
  readonly spellings: Map<string, string>;
  /** The name of this level in snake case if that is a different spelling; else `null`. */
  readonly snake: string | null;
}

/** The results of a scan that concern names. */
export type FoundNames = Pick<BodyScan, 'duplicates' | 'hasOddNames'>;
type ScannedNames = FoundNames & Pick<BodyScan, 'table' | 'spellings'>;

export class GovernedNames {
  private levels: Level | null = null;
  private names: NameTable | null = null;
  /** If no name of the format has a capital letter, a body without odd names has no variant. */
  private readonly areLowerCase: boolean;

  /**
   * `fields` lists every path of the format; with `bothSpellings` a member has two names, as in protocol buffers' JSON mapping.
   */
  constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    private readonly bothSpellings = false,
  ) {
    this.areLowerCase = Object.keys(fields).every((path) => path === path.toLowerCase());
  }

  /** Built when the first body has to be examined. */
  private get top(): Level {
    if (this.levels === null) {
      this.levels = newLevel(null);
      for (const path in this.fields) this.add(this.levels, path.replaceAll('[]', '').split('.'));
    }
    return this.levels;
  }

  /** The names of all levels, for a scan that examines every name. */
  get table(): NameTable {
    if (this.names === null) {
      const names = new Map<string, string>();
      for (const path in this.fields) {
        for (const name of path.replaceAll('[]', '').split('.')) {
          if (name !== '' && name !== '*') names.set(name, this.bothSpellings ? snakeCase(name) : name);
        }
      }
      this.names = new NameTable(names, !this.areLowerCase);
    }
    return this.names;
  }

  private add(top: Level, names: readonly string[]): void {
    let level = top;
    for (const name of names) {
      if (name === '') continue;
      let inner = level.members.get(name);
      if (inner === undefined) {
        const snake = this.bothSpellings ? snakeCase(name) : name;
        inner = newLevel(snake === name ? null : snake);
        level.members.set(name, inner);
        // Each name of a path may be in either spelling.
        level.members.set(snake, inner);
        if (!level.spellings.has(foldedName(name))) level.spellings.set(foldedName(name), name);
      }
      level = inner;
    }
  }

  /** Returns the failure for the first name that other parsers could read as a member of the format; `null` if none exists. */
  check(body: Readonly<Record<string, unknown>>, scan: ScannedNames): Failure | null {
    const duplicate = scan.duplicates.find((path) => this.has(path));
    if (duplicate !== undefined) return standsTwice(duplicate);
    return this.mayVary(scan) ? this.checkObject(body, this.top, []) : null;
  }

  /** Returns `false` if no name resembles an own one, or if the body uses one of the two spellings throughout. */
  private mayVary({ hasOddNames, table, spellings }: ScannedNames): boolean {
    if (this.areLowerCase && !hasOddNames) return false;
    if (table === null || table !== this.names) return true;
    return (spellings & DOUBTFUL) !== 0 || spellings === (OWN_SPELLING | OTHER_SPELLING);
  }

  private has(path: readonly PropertyKey[]): boolean {
    let level: Level | undefined = this.top;
    for (const key of path) {
      if (typeof key === 'string') level = level?.members.get(key) ?? level?.members.get('*');
    }
    return level !== undefined;
  }

  private checkValue(value: unknown, level: Level, path: PropertyKey[]): Failure | null {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        path.push(index);
        const failure = this.checkValue(value[index], level, path);
        if (failure !== null) return failure;
        path.pop();
      }
      return null;
    }
    return isRecord(value) ? this.checkObject(value, level, path) : null;
  }

  private checkObject(object: Readonly<Record<string, unknown>>, level: Level, path: PropertyKey[]): Failure | null {
    for (const name in object) {
      const inner = level.members.get(name) ?? level.members.get('*');
      if (inner === undefined) {
        const own = level.spellings.get(foldedName(name));
        if (own !== undefined) return otherSpelling([...path, name], own);
        continue;
      }
      const { snake } = inner;
      if (snake !== null && snake !== name && Object.hasOwn(object, snake)) return bothSpelled([...path, name]);
      if (inner.members.size === 0) continue;
      path.push(name);
      const failure = this.checkValue(object[name], inner, path);
      if (failure !== null) return failure;
      path.pop();
    }
    return null;
  }
}

function newLevel(snake: string | null): Level {
  return { members: new Map(), spellings: new Map(), snake };
}

/** White space, and characters that are not displayed. Parsers of forms and configuration files trim them. */
const UNSEEN = /[\s\p{Cc}\p{Cf}]/gu;

/** Folds case, including letters that only Unicode folds (`K`, `ſ`), and drops underscores and white space. */
export function foldedName(name: string): string {
  return name.toUpperCase().toLowerCase().replaceAll('_', '').replaceAll(UNSEEN, '');
}

/**
 * Returns a function that finds the one of these names that some parsers would read another name as; `undefined` if there is
 * none.
 */
export function spellingsOf(names: Iterable<string>): (name: string) => string | undefined {
  const own = new Map([...names].map((name) => [foldedName(name), name]));
  return (name) => own.get(foldedName(name));
}

/** Returns the failure for a name that other parsers could read as the field `own`. */
export function otherSpelling(path: readonly PropertyKey[], own: string): Failure {
  const param = formatPath(path);
  return new Failure('invalid_value', {
    message: `${param} is another spelling of \`${own}\`, which some providers would accept. Write it \`${own}\`, or leave it out.`,
    param,
    didYouMean: own,
  });
}

function standsTwice(path: readonly PropertyKey[]): Failure {
  const param = formatPath(path);
  return new Failure('invalid_value', {
    message: `${param} appears twice in its object, and servers disagree about which one counts. Send it once.`,
    param,
  });
}

function bothSpelled(path: readonly PropertyKey[]): Failure {
  const param = formatPath(path);
  return new Failure('invalid_value', {
    message: `${param} appears in its object in both spellings, and servers disagree about which one counts. Send it once.`,
    param,
  });
}

import { exactOf } from '../../shared/json/exact-json.ts';
import { isRecord } from '../../shared/json/record.ts';
import { memberOf, numberOf } from './decoding.ts';

/** Deeper or longer than any real argument; a path beyond it is left out. */
const MAX_STEPS = 64;
const MAX_INDEX = 100_000;

type Container = Record<string, unknown> | unknown[];

/**
 * Arguments of a function call that is streamed in pieces (`partialArgs`, Vertex with `streamFunctionCallArguments`). Each
 * piece has a JSON path and a value. A text continues in the next piece if its piece has `willContinue`.
 */
export class PartialArguments {
  private readonly root: Record<string, unknown> = {};
  /** The members of each container in order of arrival, which an object does not keep for names like "10". */
  private readonly order = new Map<object, string[]>();
  private openText: string | null = null;

  add(pieces: unknown): void {
    for (const piece of Array.isArray(pieces) ? pieces : []) {
      if (isRecord(piece)) this.addPiece(piece);
    }
  }

  /** Overrides the pieces with complete arguments. */
  assign(args: unknown): void {
    if (!isRecord(args)) return;
    const exact = exactOf(args);
    for (const key of Object.keys(exact)) this.write(this.root, key, exact[key]);
  }

  get json(): string {
    return this.jsonOf(this.root);
  }

  private jsonOf(value: unknown): string {
    if (Array.isArray(value)) return `[${Array.from(value, (item) => this.jsonOf(item ?? null)).join(',')}]`;
    const names = isContainer(value) ? this.order.get(value) : undefined;
    if (names === undefined || !isRecord(value)) return JSON.stringify(value) ?? 'null';
    return `{${names.map((name) => `${JSON.stringify(name)}:${this.jsonOf(value[name])}`).join(',')}}`;
  }

  private write(container: Container, key: string | number, value: unknown): void {
    if (!Array.isArray(container) && !Object.hasOwn(container, key)) {
      const names = this.order.get(container);
      if (names === undefined) this.order.set(container, [String(key)]);
      else names.push(String(key));
    }
    write(container, key, value);
  }

  private addPiece(piece: Readonly<Record<string, unknown>>): void {
    const path = memberOf(piece, 'jsonPath');
    const steps = typeof path === 'string' ? stepsOf(path) : null;
    const key = steps?.at(-1);
    if (typeof path !== 'string' || steps === null || key === undefined) return;
    const container = this.containerOf(steps);
    if (container === null) return;
    const text = memberOf(piece, 'stringValue');
    if (typeof text === 'string') {
      const before = this.openText === path ? read(container, key) : '';
      this.write(container, key, `${typeof before === 'string' ? before : ''}${text}`);
      this.openText = memberOf(piece, 'willContinue') === true ? path : null;
      return;
    }
    this.openText = null;
    const flag = memberOf(piece, 'boolValue');
    const number = memberOf(piece, 'numberValue');
    const exact = memberOf(exactOf(piece), 'numberValue');
    const value = typeof number === 'number' && exact !== number ? exact : numberOf(number);
    this.write(container, key, typeof flag === 'boolean' ? flag : value);
  }

  /** Returns the container of a path's last step. Missing containers on the path are created. */
  private containerOf(steps: readonly (string | number)[]): Container | null {
    let container: Container = this.root;
    for (let at = 0; at < steps.length - 1; at++) {
      const key = steps[at];
      if (key === undefined) return null;
      const present = read(container, key);
      if (isContainer(present)) {
        container = present;
        continue;
      }
      const made: Container = typeof steps[at + 1] === 'number' ? [] : {};
      this.write(container, key, made);
      container = made;
    }
    return container;
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function read(container: Container, key: string | number): unknown {
  return Object.hasOwn(container, key) ? Reflect.get(container, key) : undefined;
}

/** Defines the member instead of assigning it, so that a key such as `__proto__` is a key like any other. */
function write(container: Container, key: string | number, value: unknown): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Parses `$.items[0]['the name']` (RFC 9535, only names and indices); returns `null` for any other path. */
function stepsOf(path: string): readonly (string | number)[] | null {
  if (!path.startsWith('$')) return null;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const [, name, index, single, double] = STEP.exec(path) ?? [];
    const quoted = single ?? double;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined && Number(index) <= MAX_INDEX) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(quoted.replace(/\\(.)/g, '$1'));
    else return null;
    if (steps.length > MAX_STEPS) return null;
  }
  return steps;
}

/** Returns the steps of a path such as `$.brightness`, `$.items[0].name` or `$['a name']`. */
function stepsOf(path: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (const match of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/g)) {
    const [, member, index, quoted, doubleQuoted] = match;
    steps.push(index === undefined ? (member ?? quoted ?? doubleQuoted ?? '') : Number(index));
  }
  return steps;
}

type Container = Record<string, unknown> | unknown[];

/**
 * Arguments of a Gemini function call that are streamed in pieces, each with a path and a value or a part of
 * a string.
 */
export class PartialArguments {
  readonly value: Record<string, unknown> = {};

  add(piece: Readonly<Record<string, unknown>>): void {
    const steps = stepsOf(String(piece.jsonPath ?? ''));
    const last = steps.at(-1);
    if (last === undefined) return;
    let owner: Container = this.value;
    for (const [position, step] of steps.slice(0, -1).entries()) {
      const next = get(owner, step) ?? (typeof steps[position + 1] === 'number' ? [] : {});
      set(owner, step, next);
      owner = next as Container; // Every inner step was created here, as a list or an object.
    }
    const known = get(owner, last);
    const value = valueOfPiece(piece);
    set(owner, last, typeof known === 'string' && typeof value === 'string' ? known + value : value);
  }
}

function valueOfPiece(piece: Readonly<Record<string, unknown>>): unknown {
  if ('nullValue' in piece) return null;
  return piece.stringValue ?? piece.numberValue ?? piece.boolValue ?? '';
}

function get(owner: Container, step: string | number): unknown {
  return Array.isArray(owner) ? owner[Number(step)] : owner[String(step)];
}

function set(owner: Container, step: string | number, value: unknown): void {
  if (Array.isArray(owner)) owner[Number(step)] = value;
  else owner[String(step)] = value;
}

import { stringify } from 'yaml';
import type { OpenApiDocument } from './assemble.ts';
import { isSchema } from './json-schema.ts';

/** How long it may work before it yields to other requests. */
const LONGEST_WORK_MS = 10;
const STYLE = { lineWidth: 0, aliasDuplicateObjects: false } as const;
/** The depth down to which members are written one by one: `paths`, and the components by name. */
const DEEPEST = 2;

/**
 * Writes the document as YAML. The library takes some hundred milliseconds for a document of this size, so it is called piece by piece,
 * with pauses.
 */
export async function writeYaml(document: OpenApiDocument): Promise<string> {
  const lines: string[] = [];
  let startedMs = performance.now();
  for (const piece of piecesOf(document, 0)) {
    lines.push(piece);
    if (performance.now() - startedMs < LONGEST_WORK_MS) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    startedMs = performance.now();
  }
  return lines.join('');
}

function* piecesOf(value: Readonly<Record<string, unknown>>, depth: number): Generator<string> {
  const indent = '  '.repeat(depth);
  for (const [name, member] of Object.entries(value)) {
    const isLarge = depth < DEEPEST && isSchema(member) && Object.keys(member).length > 0;
    if (!isLarge) {
      yield stringify({ [name]: member }, STYLE).replace(/^(?=.)/gm, indent);
      continue;
    }
    yield `${indent}${stringify(name, STYLE).trimEnd()}:\n`;
    yield* piecesOf(member, depth + 1);
  }
}

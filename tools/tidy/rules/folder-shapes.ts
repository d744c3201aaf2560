import type { FileFacts, Rule, Violation } from '../facts.ts';
import { isInSource, isTestFile, placeOf } from '../layout.ts';

const name = 'folder-shapes';

interface Shape {
  readonly required: readonly string[];
  readonly allowed: readonly string[];
}

/**
 * The parts of a text format. A file is named after its part. The second word is the direction: `decode` reads the wire into the canonical
 * exchange, `encode` writes it to the wire; a file without a direction has both. A further word is a piece of the part that would make the
 * file longer than 400 lines.
 */
const TEXT_PARTS: readonly string[] = [
  'index',
  'endpoints',
  'schema',
  'fields',
  'capabilities',
  ...['request.decode', 'request.encode'],
  ...['messages.decode', 'messages.encode'],
  ...['content', 'content.decode', 'content.encode'],
  ...['tools', 'tools.decode', 'tools.encode'],
  ...['reasoning', 'reasoning.decode', 'reasoning.encode'],
  ...['answer.decode', 'answer.encode'],
  ...['stream.decode', 'stream.decode.content', 'stream.decode.tools', 'stream.encode'],
  ...['relay', 'relay.request', 'relay.answer', 'relay.stream'],
  // Helpers that the files of one direction share.
  ...['decoding', 'encoding'],
  'media',
  'citations',
  'search',
  'usage',
  'failure',
  'objects',
  'produced',
  'model-list',
];

/** A wire of one request and one response; a single file holds both directions. */
const WIRE_PARTS: readonly string[] = [
  'index',
  'endpoints',
  'schema',
  'request',
  'response',
  'stream',
  'failure',
  'models',
  'objects',
];

const SHAPES = {
  text: { required: ['index', 'capabilities', 'schema', 'answer.decode', 'stream.decode'], allowed: TEXT_PARTS },
  wires: { required: ['index'], allowed: WIRE_PARTS },
  providers: {
    required: ['manifest'],
    allowed: ['manifest', 'authorize', 'quirks', 'families', 'governs', 'batches', 'failure', 'models', 'local'],
  },
} satisfies Readonly<Record<string, Shape>>;

/** Further names, each with the reason why the shape is not enough. */
const MORE_NAMES: readonly { readonly folder: string; readonly file: string; readonly reason: string }[] = [
  // Only this API has these.
  { folder: 'formats/text/openai-responses', file: 'storing', reason: 'answers that are stored and continued' },
  { folder: 'formats/text/openai-responses', file: 'compaction', reason: 'an endpoint that shortens conversations' },
  { folder: 'formats/text/openai-responses', file: 'socket', reason: 'the messages of its WebSocket' },
];

/** The folder of a provider that is a whole upstream within the gateway's process. Its files have no shape. */
const IN_PROCESS = 'in-process/';

/** Enforces the same shape in all folders of a room, so that knowing one format or provider is enough to find one's way in all of them. */
export const folderShapes: Rule = {
  name,
  check: (files) => {
    const inShapes = files.filter((file) => isInSource(file.path) && shapedPlace(file.path) !== undefined);
    return [...inShapes.flatMap(checkName), ...missingFiles(inShapes)];
  },
  unusedExceptions: (files) => {
    const places = files
      .filter((file) => isInSource(file.path) && !isTestFile(file.path))
      .map(({ path }) => shapedPlace(path));
    return MORE_NAMES.filter(
      (entry) => !places.some((place) => place?.folder === entry.folder && place.stem === entry.file),
    ).map(({ folder, file }) => `${folder}/${file}`);
  },
};

interface ShapedPlace {
  readonly shape: Shape;
  /** The path of the wire's or provider's folder in `src`. */
  readonly folder: string;
  /** The path of the file in that folder, without its extension. */
  readonly stem: string;
}

/** Returns undefined for files directly in a room or an operation, and in `shared` and `in-process`. */
function shapedPlace(path: string): ShapedPlace | undefined {
  const place = placeOf(path);
  if (place?.folder === undefined) return undefined;
  const { room, folder, rest } = place;
  const [operation, wire] = folder.split('/');
  const at = { folder: `${room}/${folder}`, stem: rest.replace(/\.tsx?$/, '') };
  if (room === 'providers' && folder !== 'shared') {
    return rest.startsWith(IN_PROCESS) ? undefined : { ...at, shape: SHAPES.providers };
  }
  if (room !== 'formats' || wire === undefined || wire === 'shared') return undefined;
  return { ...at, shape: operation === 'text' ? SHAPES.text : SHAPES.wires };
}

function checkName(file: FileFacts): Violation[] {
  const place = shapedPlace(file.path);
  if (place === undefined || isTestFile(file.path)) return [];
  const { shape, folder, stem } = place;
  if (shape.allowed.includes(stem)) return [];
  if (MORE_NAMES.some((entry) => entry.folder === folder && entry.file === stem)) return [];
  const message =
    `'${stem}' is not part of the shape of its folder (${shape.allowed.join(', ')}); move it to one of these or to a ` +
    'folder named shared, or list it with its reason in this rule';
  return [{ path: file.path, line: 1, rule: name, message }];
}

function missingFiles(files: readonly FileFacts[]): Violation[] {
  const folders = Map.groupBy(files, (file) => shapedPlace(file.path)?.folder);
  return [...folders].flatMap(([folder, inFolder]) => {
    const [first] = inFolder;
    const required = shapedPlace(first?.path ?? '')?.shape.required ?? [];
    const absent = required.filter((stem) => !inFolder.some((file) => file.path === `src/${folder}/${stem}.ts`));
    return absent.map((stem) => {
      const message = `the folder has no ${stem}.ts; add it, since the registry and the docs read it`;
      return { path: first?.path ?? `src/${folder}`, line: 1, rule: name, message };
    });
  });
}

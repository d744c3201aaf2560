import type { FileFacts, Rule, Violation } from '../facts.ts';
import { isInSource, isTestFile, placeOf } from '../layout.ts';

const name = 'folder-shapes';

interface Shape {
  readonly required: readonly string[];
  readonly allowed: readonly string[];
}

const SHAPES: Readonly<Record<string, Shape>> = {
  formats: {
    required: [],
    allowed: ['endpoints', 'schema', 'request', 'response', 'stream', 'failure', 'relay'],
  },
  providers: {
    required: ['manifest'],
    allowed: ['manifest', 'authorize', 'quirks', 'families', 'governs', 'failure', 'models', 'local'],
  },
};

/** Further names, each with the reason why the shape is not enough. `*` stands for every folder of the room, or ends a file's name. */
const MORE_NAMES: readonly {
  readonly room: string;
  readonly folder: string;
  readonly file: string;
  readonly reason: string;
}[] = [
  { room: 'formats', folder: '*', file: 'index', reason: 'puts the parts together into one format' },
  // Translation in both directions makes request, response and stream too long for one file each.
  { room: 'formats', folder: '*', file: 'request-*', reason: 'reads one part of a client request' },
  { room: 'formats', folder: '*', file: 'decode-*', reason: 'reads one part of what comes in' },
  { room: 'formats', folder: '*', file: 'encode-*', reason: 'writes one part of what goes out' },
  { room: 'formats', folder: '*', file: 'stream-*', reason: 'reads or writes a stream' },
  {
    room: 'formats',
    folder: '*',
    file: 'relay-*',
    reason: 'completes what an upstream leaves out of a relayed answer',
  },
  {
    room: 'formats',
    folder: '*',
    file: 'fields',
    reason: 'classifies every field of the format for the page of losses',
  },
  { room: 'formats', folder: '*', file: 'carries', reason: 'what the format makes of each feature, as data' },
  { room: 'formats', folder: '*', file: 'models', reason: 'what each model takes, as data' },
  { room: 'formats', folder: '*', file: 'model-list', reason: "a list of models in the vendor's words" },
  { room: 'formats', folder: '*', file: 'objects', reason: 'what a request names of what a provider keeps' },
  { room: 'formats', folder: '*', file: 'usage', reason: 'token counts, both directions' },
  { room: 'formats', folder: '*', file: 'relay-breach', reason: 'which bodies a provider refuses as they are' },
  { room: 'formats', folder: '*', file: 'produced', reason: 'what the model has written in a stream, for a count' },
  { room: 'formats', folder: '*', file: 'citations', reason: 'sources, both directions' },
  { room: 'formats', folder: '*', file: 'media', reason: 'images, audio and files, both directions' },
  { room: 'formats', folder: 'anthropic-messages', file: 'encoding', reason: "what the encoder's parts share" },
  { room: 'formats', folder: 'bedrock-converse', file: 'encoding', reason: "what the encoder's parts share" },
  { room: 'formats', folder: 'bedrock-converse', file: 'messages', reason: 'the conversation as the API takes it' },
  { room: 'formats', folder: 'gemini', file: 'contents', reason: "a client's contents and parts" },
  {
    room: 'formats',
    folder: 'bedrock-converse',
    file: 'finish',
    reason: 'what stop reasons mean, and which are failures',
  },
  { room: 'formats', folder: 'gemini', file: 'finish', reason: 'finish reasons, both directions' },
  {
    room: 'formats',
    folder: 'gemini',
    file: 'json-schema',
    reason: "Google's Schema and JSON schema, both directions",
  },
  {
    room: 'formats',
    folder: 'gemini',
    file: 'partial-args',
    reason: 'arguments that are streamed as paths and values',
  },
  { room: 'formats', folder: 'gemini', file: 'tools', reason: 'tools and their choice, both directions' },
  { room: 'formats', folder: 'gemini', file: 'wire', reason: 'members under either of their two spellings' },
  { room: 'formats', folder: 'openai-chat', file: 'answer', reason: 'the whole answer that a client gets' },
  { room: 'formats', folder: 'openai-chat', file: 'blocks', reason: 'content blocks of a client' },
  {
    room: 'formats',
    folder: 'openai-chat',
    file: 'reasoning',
    reason: 'the many shapes of reasoning, both directions',
  },
  {
    room: 'formats',
    folder: 'openai-chat',
    file: 'tool-blocks',
    reason: 'puts interleaved tool calls one after another',
  },
  { room: 'formats', folder: 'openai-responses', file: 'compaction', reason: 'conversations that are made shorter' },
  { room: 'formats', folder: 'openai-responses', file: 'input-items', reason: "an input's items in their full form" },
  { room: 'formats', folder: 'openai-responses', file: 'at-provider', reason: 'answers that a provider keeps' },
  { room: 'formats', folder: 'openai-responses', file: 'issuing', reason: 'who issued encrypted reasoning' },
  { room: 'formats', folder: 'openai-responses', file: 'items', reason: 'the kinds of items, both directions' },
  { room: 'formats', folder: 'openai-responses', file: 'output-items', reason: "an answer's items" },
  { room: 'formats', folder: 'openai-responses', file: 'response-object', reason: 'the object around the items' },
  {
    room: 'formats',
    folder: 'openai-responses',
    file: 'storing',
    reason: 'answers that the gateway keeps and continues',
  },
  { room: 'formats', folder: 'openai-responses', file: 'socket', reason: 'messages of a WebSocket' },
  { room: 'formats', folder: 'openai-responses', file: 'writing', reason: 'JSON text made piece by piece' },
  // The sandbox is not an address but a whole upstream within the process: a single local.ts would be too long.
  { room: 'providers', folder: 'sandbox', file: 'request', reason: 'what a request asks of it' },
  { room: 'providers', folder: 'sandbox', file: 'answer', reason: 'the synthetic text or tool call' },
  { room: 'providers', folder: 'sandbox', file: 'completion', reason: 'the answer on the wire, whole or streamed' },
  {
    room: 'providers',
    folder: 'sandbox',
    file: 'prompt',
    reason: 'what the user has asked for, and what was done about it',
  },
  { room: 'providers', folder: 'sandbox', file: 'moderation', reason: 'made-up verdicts on texts' },
  { room: 'providers', folder: 'sandbox', file: 'embedding', reason: 'made-up vectors of texts' },
  { room: 'providers', folder: 'sandbox', file: 'ranking', reason: 'made-up scores of documents' },
  { room: 'providers', folder: 'sandbox', file: 'image', reason: 'made-up images' },
  { room: 'providers', folder: 'sandbox', file: 'speech', reason: 'made-up audio' },
  { room: 'providers', folder: 'sandbox', file: 'transcript', reason: 'made-up transcripts of recordings' },
  { room: 'providers', folder: 'sandbox', file: 'jobs', reason: 'jobs that take their time, and fail on request' },
  { room: 'providers', folder: 'sandbox', file: 'job-files', reason: 'the files that they make' },
  { room: 'providers', folder: 'sandbox', file: 'mentions', reason: 'where a prompt asks for tools' },
  { room: 'providers', folder: 'sandbox', file: 'json-schema/*', reason: "values that a tool's schema accepts" },
  // The same holds for the local model.
  { room: 'providers', folder: 'local', file: 'embedding-thread', reason: 'the thread that the model runs in' },
  { room: 'providers', folder: 'local', file: 'embedding-thread.worker', reason: 'what runs in that thread' },
  { room: 'providers', folder: 'local', file: 'embedding-queue', reason: 'who has the next turn' },
  { room: 'providers', folder: 'local', file: 'embedding-job', reason: 'the texts of one request, piece by piece' },
  { room: 'providers', folder: 'local', file: 'sentence-encoder', reason: 'the model' },
  { room: 'providers', folder: 'local', file: 'unigram-tokenizer', reason: 'texts as the tokens of the model' },
  { room: 'providers', folder: 'local', file: 'local-embedder', reason: 'the model for the gateway itself' },
  { room: 'providers', folder: 'local', file: 'windows', reason: 'long texts in parts that the model takes' },
  { room: 'providers', folder: 'local', file: 'packages.d', reason: 'types of packages that have none' },
  { room: 'providers', folder: 'sandbox', file: 'arguments', reason: "a tool call's input" },
  { room: 'providers', folder: 'sandbox', file: 'tool-calls', reason: 'which tools are called, and when' },
  { room: 'providers', folder: 'sandbox', file: 'tokens', reason: 'usage counted as a real upstream would' },
];

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
      (entry) =>
        !places.some((place) => place !== undefined && isEntryFor(entry, place.room, place.folder, stemOf(place.rest))),
    ).map(({ room, folder, file }) => `${room}/${folder}/${file}`);
  },
};

function shapedPlace(path: string) {
  const place = placeOf(path);
  const shape = place === undefined ? undefined : SHAPES[place.room];
  if (place?.folder === undefined || shape === undefined) return undefined;
  const [operation, wire = operation] = place.folder.split('/');
  if (wire === undefined || wire === 'shared' || (place.room === 'formats' && wire === operation)) return undefined;
  return { room: place.room, folder: wire, rest: place.rest, shape };
}

function checkName(file: FileFacts): Violation[] {
  const place = shapedPlace(file.path);
  if (place === undefined || isTestFile(file.path)) return [];
  const stem = stemOf(place.rest);
  if (place.shape.allowed.includes(stem) || isListed(place.room, place.folder, stem)) return [];
  const message =
    `'${place.rest}' is not part of the shape of ${place.room} (${place.shape.allowed.join(', ')}); move it to one of ` +
    `these or to ${place.room}/shared, or list it with its reason in this rule`;
  return [{ path: file.path, line: 1, rule: name, message }];
}

function isListed(room: string, folder: string, file: string): boolean {
  return MORE_NAMES.some((entry) => isEntryFor(entry, room, folder, file));
}

function isEntryFor(entry: (typeof MORE_NAMES)[number], room: string, folder: string, file: string): boolean {
  return entry.room === room && isNamed(entry.file, file) && (entry.folder === '*' || entry.folder === folder);
}

function stemOf(rest: string): string {
  return rest.replace(/\.tsx?$/, '');
}

/** Returns whether the pattern matches: `encode-*` matches every file with that prefix. */
function isNamed(pattern: string, file: string): boolean {
  return pattern.endsWith('*') ? file.startsWith(pattern.slice(0, -1)) : file === pattern;
}

function missingFiles(files: readonly FileFacts[]): Violation[] {
  const folders = Map.groupBy(files, (file) => file.path.split('/').slice(0, 3).join('/'));
  return [...folders].flatMap(([folder, inFolder]) => {
    const required = shapedPlace(inFolder[0]?.path ?? '')?.shape.required ?? [];
    const absent = required.filter((stem) => !inFolder.some((file) => file.path === `${folder}/${stem}.ts`));
    return absent.map((stem) => {
      const message = `the folder has no ${stem}.ts; add it, since the registry and the docs read it`;
      return { path: inFolder[0]?.path ?? folder, line: 1, rule: name, message };
    });
  });
}

import { readdirSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(import.meta.dir, '..', '..', 'src', 'formats', 'text');
/** The path of that folder from the page. */
const LINK = '../src/formats/text';

const INTRODUCTION = `# Files of the text formats

Generated from \`src/formats/text\` by \`npm run generate\`; a test fails while this page differs from the folders.

Every text format has the same files. A name is a part (\`stream\`), its direction (\`stream.decode\`), and a piece if one file would be longer than
400 lines (\`stream.decode.tools\`).

- \`decode\` reads the wire into the canonical exchange of \`src/domain/exchange\`, \`encode\` writes the exchange to the wire.
- A file without a direction has both, or data that both use.
- A format has only the parts that it needs. A short part stays in the file that uses it: \`request\` or \`answer\`.

A translated call goes through four files: the client's format decodes the request, the upstream's format encodes it, the upstream's format decodes
the answer or the stream, and the client's format encodes that. A relayed call goes through the \`relay\` files of one format.

## How to find the file for a change

1. Take the format: that of the upstream for what the provider sends and receives, that of the client for what clients send and receive.
2. Take the column of the first table. To fix a stream that a client of Messages gets from any provider, open
   \`anthropic-messages/stream.encode.ts\`; if the stream of a provider that speaks Messages is misread, \`anthropic-messages/stream.decode.ts\`.
3. If the change is about one part (tools, reasoning, usage, media), the second table has its file.
4. The test beside it has the same name (\`stream.encode.test.ts\`), or only the part's name if it tests both directions (\`stream.test.ts\`).

Code for several formats is in \`src/formats/text/shared\`: chat and text completions have their usage, errors and relayed answers there. Each
\`index.ts\` implements the interface in \`src/formats/text/format.ts\`.
`;

/** The directions of a call, each with the names of its files. */
const DIRECTIONS: readonly (readonly [title: string, files: readonly string[]])[] = [
  ["decode a client's request", ['request.decode']],
  ["encode an upstream's request", ['request.encode']],
  ["decode an upstream's answer", ['answer.decode']],
  ["encode a client's answer", ['answer.encode']],
  ['decode a stream', ['stream.decode']],
  ['encode a stream', ['stream.encode']],
  ['relay', ['relay', 'relay.request', 'relay.answer', 'relay.stream']],
];

/** The parts in the order of the page. */
const PARTS: readonly (readonly [part: string, holds: string])[] = [
  ['index', 'the format as one object'],
  ['endpoints', 'paths, credentials, headers; facts of a request that routing needs'],
  ['schema', "the fields that a client may send; of an upstream's format its names and constants"],
  ['fields', 'every field and its fate in other formats, for [losses.md](losses.md)'],
  ['capabilities', 'the features that the format and its models carry'],
  ['request', 'the request: settings, and how the other parts are put together'],
  ['messages', 'the conversation'],
  ['content', 'the blocks or items within messages'],
  ['media', 'images, audio and files: where they are, and which have to be fetched'],
  ['tools', 'tools, their schemas and the choice of a tool'],
  ['reasoning', 'the amount of reasoning, thoughts and their state'],
  ['citations', 'sources'],
  ['search', 'how searches that the gateway has run are shown'],
  ['encoding', 'what the files that encode share'],
  ['decoding', 'what the files that decode share'],
  ['answer', 'a whole answer, finish reasons'],
  ['stream', 'an answer in pieces'],
  ['usage', 'token counts'],
  ['failure', 'errors'],
  ['relay', 'changes to relayed bytes'],
  ['produced', 'the output of a relayed stream, for a count'],
  ['objects', 'ids of objects that a provider keeps'],
  ['model-list', "a model as the format's model list shows it"],
  ['storing', 'answers that are stored and continued'],
  ['compaction', 'conversations that are made shorter'],
  ['socket', 'messages of a WebSocket'],
];

/** Generates docs/text-formats.md. Throws if a format has a file whose part has no description here. */
export function textFormatsPage(): string {
  const formats = readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'shared')
    .map(({ name }) => ({ name, files: filesOf(name) }))
    .sort((a, b) => a.name.localeCompare(b.name));
  const described = new Set(PARTS.map(([part]) => part));
  for (const { name, files } of formats) {
    const unknown = files.filter((file) => !described.has(partOf(file)));
    if (unknown.length > 0)
      throw new Error(`tools/docs/text-formats.ts does not describe ${unknown.join(', ')} of ${name}`);
  }
  const directions = formats.map(({ name, files }) => [
    `\`${name}\``,
    ...DIRECTIONS.map(([, names]) =>
      linksTo(
        name,
        files.filter((file) => names.includes(file)),
      ),
    ),
  ]);
  const parts = PARTS.map(([part, holds]) => [
    `\`${part}\``,
    holds,
    ...formats.map(({ name, files }) =>
      linksTo(
        name,
        files.filter((file) => partOf(file) === part),
        part,
      ),
    ),
  ]);
  return [
    INTRODUCTION,
    '## Format × direction\n',
    table(['format', ...DIRECTIONS.map(([title]) => title)], directions),
    '\nThe formats with empty cells are spoken by upstreams only.\n',
    '## Part × format\n',
    table(['part', 'holds', ...formats.map(({ name }) => name)], parts),
    '',
  ].join('\n');
}

/** Returns the names of a format's files without `.ts`, the shortest of a part first. */
function filesOf(format: string): string[] {
  const names = readdirSync(path.join(FOLDER, format));
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => name.slice(0, -'.ts'.length))
    .sort();
}

function partOf(file: string): string {
  return file.split('.')[0] ?? file;
}

/** Returns a link to each file, named without its part if the row already names the part. */
function linksTo(format: string, files: readonly string[], part?: string): string {
  const links = files.map((file) => {
    const label = file === part ? '✓' : part === undefined ? file : file.slice(part.length + 1);
    return `[${label}](${LINK}/${format}/${file}.ts)`;
  });
  return links.join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `|${cells.join('|')}|`).join('\n');
}

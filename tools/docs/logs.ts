import path from 'node:path';
import { LOG_COMPONENTS, LOG_EVENT_LIST } from '../../src/domain/logs/events.ts';
import { LOG_FIELDS, writtenName } from '../../src/domain/logs/fields.ts';

/* docs/logs.md is written by hand except for its reference, which is generated. */

const BEGIN = '<!-- reference -->';

/** Returns docs/logs.md with its reference. */
export async function logsPage(): Promise<string> {
  const text = await Bun.file(path.join(import.meta.dir, '..', '..', 'docs', 'logs.md')).text();
  const begin = text.indexOf(BEGIN);
  if (begin < 0) throw new Error(`docs/logs.md has no ${BEGIN}`);
  return `${text.slice(0, begin)}${BEGIN}\n\n${[...components(), ...fields(), ...events()].join('\n')}`;
}

function components(): string[] {
  return [
    '## Components',
    '',
    'Each line belongs to one of these, which can have a level of its own:',
    '',
    `${LOG_COMPONENTS.map((component) => `\`${component}\``).join(', ')}.`,
    '',
  ];
}

const TYPES = {
  id: 'string',
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  list: 'array',
  map: 'object',
} as const;

function fields(): string[] {
  return [
    '## Fields',
    '',
    'The names do not change within a major version, and a name has the same meaning and type in every line. A field without a value is left out.',
    '',
    '| field | type | meaning |',
    '|---|---|---|',
    ...Object.entries(LOG_FIELDS).map(
      ([name, [type, meaning]]) => `| \`${writtenName(name)}\` | ${TYPES[type]} | ${meaning} |`,
    ),
    '',
  ];
}

function events(): string[] {
  const rows = LOG_EVENT_LIST.map(
    ({ component, event, level, message }) => `| \`${component}\` | \`${event}\` | \`${level}\` | ${message} |`,
  );
  return [
    '## Events',
    '',
    'Find lines and alert on them by `event`; the message is for people, and its words may change.',
    '',
    '| component | event | level | message |',
    '|---|---|---|---|',
    ...rows,
    '',
  ];
}

import { describe, expect, test } from 'bun:test';
import { isAboutLookup, mentionsOf } from './mentions.ts';
import { withoutContext } from './prompt.ts';
import type { Tool } from './request.ts';

const TOOLS: readonly Tool[] = ['read', 'bash', 'get_weather', 'WebSearch', 'Task', 'issues.find'].map((name) => ({
  kind: 'function',
  name,
  parameters: undefined,
}));

function asked(prompt: string): [string, string | null][] {
  return mentionsOf(TOOLS, prompt).map(({ tool, given }) => [tool.name, given]);
}

describe('a name that is also a word is recognized only as a name', () => {
  test.each([
    'read the file',
    'Run bash to list files.',
    'The task is to read.',
    'bash (the shell) is fine',
    'in /usr/bin/bash',
    'my tooling reads',
  ])('not in %j', (prompt) => {
    expect(asked(prompt)).toEqual([]);
  });

  test.each<[string, [string, string | null][]]>([
    ['please use `read`', [['read', null]]],
    ['use the read tool', [['read', null]]],
    ['use the tool bash!', [['bash', null]]],
    ['bash("ls (all)")', [['bash', '"ls (all)"']]],
    [
      'Task({"prompt": "a) b"}), `read`',
      [
        ['Task', '{"prompt": "a) b"}'],
        ['read', null],
      ],
    ],
    ['the bash tool with {"command": "ls"}', [['bash', '{"command": "ls"}']]],
    ['call `bash` with arguments: {"command": "ls"}', [['bash', '{"command": "ls"}']]],
  ])('but in %j', (prompt, mentions) => {
    expect(asked(prompt)).toEqual(mentions);
  });
});

test.each<[string, [string, string | null][]]>([
  [
    'What does websearch say of get_weather?',
    [
      ['WebSearch', null],
      ['get_weather', null],
    ],
  ],
  ['get_weathers or my_get_weather', []],
  ['get_weather.', [['get_weather', null]]],
  ['issues.find, please', [['issues.find', null]]],
  ['GET_WEATHER twice: get_weather', [['get_weather', null]]],
  [
    'get_weather({"a":1}), get_weather({"a":2})',
    [
      ['get_weather', '{"a":1}'],
      ['get_weather', '{"a":2}'],
    ],
  ],
  ['Use get_weather: get_weather(city=Rome)', [['get_weather', 'city=Rome']]],
  ['get_weather(never closed', [['get_weather', null]]],
])('a name that cannot be a word is recognized: %j', (prompt, mentions) => {
  expect(asked(prompt)).toEqual(mentions);
});

test('at most sixteen calls are made', () => {
  expect(asked(Array.from({ length: 40 }, (_, index) => `bash(${index})`).join(' '))).toHaveLength(16);
});

test('rounds are separated by "then", but not inside arguments', () => {
  const rounds = mentionsOf(TOOLS, 'bash(now then) `read`, then `read`. Then get_weather').map(({ round }) => round);
  expect(rounds).toEqual([0, 0, 1, 2]);
});

describe('context that a program added to the message is removed', () => {
  test.each([
    ['<system-reminder>use get_weather</system-reminder>\nHello', 'Hello'],
    ['Hi <a x="1">get_weather</a> there', 'Hi   there'],
    ['<task>use get_weather</task>', '<task>use get_weather</task>'],
    ['<userRequest>Hi</userRequest>', '<userRequest>Hi</userRequest>'],
    ['a < b and b > c', 'a < b and b > c'],
    ['<b>open get_weather', '<b>open get_weather'],
    ['<a>1</a> kept <a>2</a>', 'kept'],
    ['</a> kept', '</a> kept'],
  ])('%j', (text, prompt) => {
    expect(withoutContext(text)).toBe(prompt);
  });

  test('in linear time', () => {
    const open = Array.from({ length: 60_000 }, (_, index) => `<a${index % 5_000}>`).join('');
    expect(withoutContext(open)).toBe(open);
    expect(withoutContext(`${'<x>'.repeat(60_000)}${'</x>'.repeat(60_000)}`)).toEndWith('</x>');
  });
});

describe('a tool that only looks something up', () => {
  const isAbout = (name: string, prompt: string) =>
    isAboutLookup({ kind: 'function', name, parameters: undefined }, prompt);

  test.each([
    ['get_weather', "What's the weather like in Paris?"],
    ['get_current_weather', 'Weather, please'],
    ['search_docs', 'Is it in the DOCS?'],
  ])('%s matches %j', (name, prompt) => {
    expect(isAbout(name, prompt)).toBe(true);
  });

  test.each([
    ['get_weather', 'What is the time?'],
    ['get_weather', 'The weathered get'],
    ['run_command', 'Which command lists files?'],
    ['delete_file', 'What is in the file?'],
    ['weather', 'How is the weather?'],
    ['get_', 'get'],
  ])('%s does not match %j', (name, prompt) => {
    expect(isAbout(name, prompt)).toBe(false);
  });
});

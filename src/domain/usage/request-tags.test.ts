import { expect, test } from 'bun:test';
import { Failure } from '../failure/failure.ts';
import { isTag, tagsInHeader, withEndUser, withMetadata } from './request-tags.ts';

test.each([
  ['team=search,project=x', ['team=search', 'project=x']],
  [' team = Größe 🚦 ,, a.b-c_d=1=2 ', ['team=Größe 🚦', 'a.b-c_d=1=2']],
  ['', []],
  [`${'k'.repeat(64)}=${'🚦'.repeat(64)}`, [`${'k'.repeat(64)}=${'🚦'.repeat(64)}`]],
])('%j gives %j', (header, tags) => {
  expect(tagsInHeader(header)).toEqual(tags);
});

test.each([
  ['team', 'the value ``'],
  ['=x', 'the key ``'],
  ['te am=x', 'the key `te am`'],
  [`${'k'.repeat(65)}=x`, 'the key'],
  [`team=${'x'.repeat(65)}`, 'values are 1 to 64'],
  ['team=a\tb', 'printable'],
  ['team=a\u{202e}b', 'printable'],
  ['team=a,team=b', '`team` twice'],
  [Array.from({ length: 17 }, (_, index) => `k${index}=v`).join(','), 'has 17 tags'],
])('%j is refused, naming the header', (header, problem) => {
  const failure = tagsInHeader(header) as Failure;
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code: 'invalid_value', details: { param: 'x-switchyard-tags' } });
  expect(failure.message).toContain(problem);
});

test('valid metadata follows the tags of the header, and the rest is ignored', () => {
  const metadata = {
    team: 'other',
    run: 'r1',
    'b d': 'x',
    long: 'x'.repeat(65),
    comma: 'a,b',
    number: 5,
    half: '\ud800',
  };
  expect(withMetadata(['team=a'], metadata)).toEqual(['team=a', 'run=r1']);
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, 'v']));
  expect(withMetadata(['team=a'], many)).toHaveLength(16);
});

test('the end user is a tag of its own, unless the client has set it', () => {
  expect(withEndUser(['team=a'], ' ann@example.com ')).toEqual(['team=a', 'end_user=ann@example.com']);
  expect(withEndUser(['end_user=bob'], 'ann')).toEqual(['end_user=bob']);
  expect(withEndUser(['team=a'], '  ')).toEqual(['team=a']);
});

test.each(['x'.repeat(300), 'a,b', 'line\nbreak', `${'🚦'.repeat(70)}`, '\ud800'])(
  'the end user %j becomes a valid tag',
  (user) => {
    const [tag = ''] = withEndUser([], user);
    expect(isTag(tag)).toBe(true);
    expect(withEndUser([], `${user}!`)).not.toEqual([tag]);
  },
);

/* Reads the JUnit report of `bun test`: one element per line, attributes escaped. */

export interface SkippedTest {
  readonly name: string;
  readonly file: string;
}

/** Returns tests marked with `test.skip` or `test.todo`, without the hooks of skipped groups, which have elements as well. */
export function skippedTests(junit: string): readonly SkippedTest[] {
  return [...junit.matchAll(/<testcase ([^>]*?)>\s*<skipped/g)]
    .map(([, attributes = '']) => {
      const [name, group] = [attribute(attributes, 'name'), attribute(attributes, 'classname')];
      return { name: group === '' ? name : `${group} > ${name}`, file: attribute(attributes, 'file') };
    })
    .filter(({ name }) => !name.endsWith(HOOK_NAME));
}

/** The name that Bun gives the hooks of a skipped group. */
const HOOK_NAME = '(unnamed)';

/** Returns the time of each test file, in milliseconds. Groups within a file have nested elements of the same kind. */
export function fileTimes(junit: string): Readonly<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const [, attributes = ''] of junit.matchAll(/<testsuite ([^>]*)>/g)) {
    const file = attribute(attributes, 'file');
    if (file === attribute(attributes, 'name')) times[file] = Number(attribute(attributes, 'time')) * 1_000;
  }
  return times;
}

function attribute(attributes: string, key: string): string {
  return unescapeXml(new RegExp(`(?:^|\\s)${key}="([^"]*)"`).exec(attributes)?.[1] ?? '');
}

function unescapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(#\d+|\w+);/g, (whole, entity: string) => {
    return entity.startsWith('#') ? String.fromCodePoint(Number(entity.slice(1))) : (entities[entity] ?? whole);
  });
}
